"""The plugin of notifications and preferences."""

from app.jobs.registry import Job
from app.notification import channels, hooks, live, mails, models
from app.plugins import Plugin

plugin = Plugin(
    "notification",
    "What users are told, and how they want to be told.",
    models=(models,),
    hooks=(hooks, mails, channels),
    jobs={channels.DELIVER: Job(channels.deliver, channels.give_up)},
    notifications=("MESSAGE", "MENTION"),
    blueprints=("blueprints.teams.notifications:build",),
    init_app=live.init_app,
)
