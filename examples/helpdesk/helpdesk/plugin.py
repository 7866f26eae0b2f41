"""What the helpdesk brings to the service."""

from __future__ import annotations

from pathlib import Path

from helpdesk import agents, errors, hooks, models, reports, service_levels, slack
from rowgate import Periodic, Plugin, Setting, as_unit

plugin = Plugin(
    "helpdesk",
    "Tickets, their comments, and how soon they are to be solved.",
    version="1.0.0",
    requires="rowgate>=0.3",
    models=(models,),
    hooks=(hooks,),
    blueprints=("helpdesk.routes:build",),
    commands=("helpdesk.commands:group",),
    periodic=(Periodic("helpdesk_mark_breaches", "* * * * *", as_unit(service_levels.mark_breaches)),),
    notifications=("HELPDESK_TICKET_ASSIGNED", "HELPDESK_TICKET_BREACHED", "HELPDESK_TICKET_ANSWERED"),
    channels={"slack": slack.channel},
    mails=Path(__file__).parent / "mails",
    sample=Path(__file__).parent / "sample",
    tools=agents.tools,
    errors=(errors.TicketClosed, errors.NoMember),
    reports={"helpdesk": reports.tickets},
    settings=(
        *(
            Setting(f"helpdesk_hours_{each}", hours, f"hours to solve a ticket of priority {each}", low=1, high=8760)
            for each, hours in {"low": 72, "normal": 24, "high": 8, "urgent": 2}.items()
        ),
        Setting("helpdesk_slack_url", "", "incoming webhook of Slack, for those who want their notifications there"),
        Setting("helpdesk_slack_private", False, "it may be in a private network"),
    ),
)
