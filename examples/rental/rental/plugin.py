"""What the rental brings to the service."""

from __future__ import annotations

from rental import hooks, models
from rowgate import Plugin

plugin = Plugin(
    "rental",
    "Items, who has them when, and invoices.",
    version="1.0.0",
    requires="rowgate>=0.3",
    models=(models,),
    hooks=(hooks,),
)
