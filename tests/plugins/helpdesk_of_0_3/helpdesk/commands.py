"""flask helpdesk: looks after tickets."""

from __future__ import annotations

from flask.cli import with_appcontext
from sqlalchemy import func, select

from app.commands.groups import Group, as_json, show
from app.engine.database import reading
from helpdesk.models import HelpdeskTicket

group = Group("helpdesk", help="Look after tickets.")


@group.command("breaches")
@as_json
@with_appcontext
def breaches(as_json: bool) -> None:
    """Count the tickets that are late, by organization."""
    late = (
        select(HelpdeskTicket.organization_id, func.count()).where(HelpdeskTicket.breached)
        .group_by(HelpdeskTicket.organization_id).order_by(HelpdeskTicket.organization_id)
    )  # fmt: skip
    with reading() as session:
        found = [{"organization": str(organization), "tickets": count} for organization, count in session.execute(late)]
    show(found, as_json, ("organization", "tickets"))
