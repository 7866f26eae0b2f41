"""The plugin of chats, providers and answers."""

from app.ai import canvas_hooks, heartbeat, hooks, reports, seeding, turns
from app.ai.models import answering, chats
from app.jobs.registry import Periodic, as_unit
from app.plugins import Plugin
from config import Setting

plugin = Plugin(
    "ai",
    "Chat conversations, what they produce, and the provider chain that answers them.",
    models=(chats, answering),
    hooks=(hooks, canvas_hooks, seeding),
    periodic=(Periodic("close_abandoned_streams", "* * * * * */20", as_unit(turns.close_abandoned)),),
    notifications=("CANVAS_ACCESS", "CANVAS_MENTION"),
    reports={"chat_quality": reports.chat_quality, "provider_costs": reports.provider_costs},
    blueprints=("blueprints.content.chats:build",),
    settings=(Setting("private_provider_urls", False, "allow model providers at private and loopback addresses"),),
    init_app=heartbeat.init_app,
)
