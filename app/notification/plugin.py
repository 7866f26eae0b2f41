"""The plugin of notifications and preferences."""

from app.notification import broadcaster, hooks, mails, models
from app.plugins import Plugin
from config import Setting

plugin = Plugin(
    "notification",
    "What users are told, and how they want to be told.",
    models=(models,),
    hooks=(hooks, mails),
    notifications=("MESSAGE", "MENTION"),
    blueprints=("blueprints.teams.notifications:build",),
    settings=(
        Setting("streams_per_user", 20, "streams of notifications of a user in each worker", low=1, high=10_000),
    ),
    init_app=broadcaster.init_app,
)
