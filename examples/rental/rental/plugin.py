"""What the rental brings to the service."""

from __future__ import annotations

from pathlib import Path

# Hooks run in the order in which they are imported: mails tell the prices that those of `hooks` set.
from rental import hooks, mails, models
from rowgate import Plugin

plugin = Plugin(
    "rental",
    "Items, who has them when, and invoices.",
    version="1.0.0",
    requires="rowgate>=0.3",
    models=(models,),
    hooks=(hooks, mails),
    mails=Path(__file__).parent / "templates",
)
