"""The plugin of notifications and preferences."""

from app.notification import broadcaster, hooks, mails, models, settings
from app.plugins import Plugin

plugin = Plugin(
    "notification",
    "What users are told, and how they want to be told.",
    models=(models,),
    hooks=(hooks, mails),
    notifications=("MESSAGE", "MENTION"),
    blueprints=("blueprints.teams.notifications:build",),
    settings=settings.SETTINGS,
    init_app=broadcaster.init_app,
)
