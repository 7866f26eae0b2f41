"""The plugin of flags, the audit log and webhooks."""

from __future__ import annotations

from app.platform import audit_log, models, webhooks
from app.plugins import Plugin

plugin = Plugin(
    "platform",
    "Switches and the record of who changed what.",
    models=(models, webhooks),
    hooks=(audit_log,),
    commands=("app.commands.flags:group",),
)
