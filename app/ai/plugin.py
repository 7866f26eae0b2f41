"""The plugin of chats, providers and answers."""

from app.ai import canvas_hooks, heartbeat, hooks, reports, settings, turns
from app.ai.models import answering, chats
from app.jobs.registry import Periodic, as_unit
from app.plugins import Plugin

plugin = Plugin(
    "ai",
    "Chat conversations, what they produce, and the provider chain that answers them.",
    models=(chats, answering),
    hooks=(hooks, canvas_hooks),
    periodic=(Periodic("close_abandoned_streams", "* * * * * */20", as_unit(turns.close_abandoned)),),
    notifications=("CANVAS_ACCESS", "CANVAS_MENTION"),
    reports={"chat_quality": reports.chat_quality, "provider_costs": reports.provider_costs},
    blueprints=("blueprints.content.chats:build",),
    settings=settings.SETTINGS,
    init_app=heartbeat.init_app,
)
