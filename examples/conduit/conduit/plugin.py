"""What Conduit brings to the service."""

from __future__ import annotations

from conduit import hooks, models
from rowgate import Plugin

plugin = Plugin(
    "conduit",
    "Articles, their authors, and who follows whom.",
    version="1.0.0",
    requires="rowgate>=0.3",
    models=(models,),
    hooks=(hooks,),
    blueprints=("conduit.articles:build", "conduit.people:build"),
)
