"""What the helpdesk brings to the service."""

from __future__ import annotations

from app.jobs.registry import Periodic, as_unit
from app.plugins import Plugin
from config import Setting
from helpdesk import errors, hooks, models, reports, service_levels

plugin = Plugin(
    "helpdesk",
    "Tickets, their comments, and how soon they are to be solved.",
    version="1.0.0",
    requires="rowgate>=0.2",
    models=(models,),
    hooks=(hooks,),
    blueprints=("helpdesk.routes:build",),
    commands=("helpdesk.commands:group",),
    periodic=(Periodic("helpdesk_mark_breaches", "* * * * *", as_unit(service_levels.mark_breaches)),),
    notifications=("HELPDESK_TICKET_ASSIGNED", "HELPDESK_TICKET_BREACHED", "HELPDESK_TICKET_ANSWERED"),
    errors=(errors.TicketClosed, errors.NoMember),
    reports={"helpdesk": reports.tickets},
    settings=tuple(
        Setting(f"helpdesk_hours_{each}", hours, f"hours to solve a ticket of priority {each}", low=1, high=8760)
        for each, hours in {"low": 72, "normal": 24, "high": 8, "urgent": 2}.items()
    ),
)
