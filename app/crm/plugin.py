"""The plugin of companies, contacts and deals."""

from app.crm import hooks, models
from app.plugins import Plugin

plugin = Plugin(
    "crm",
    "Companies, the people in them, and the deals being made.",
    models=(models,),
    hooks=(hooks,),
    blueprints=("blueprints.records.company:build",),
)
