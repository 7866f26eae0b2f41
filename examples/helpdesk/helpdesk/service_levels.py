"""How soon tickets are to be solved, and what happens to those that are late."""

from __future__ import annotations

from datetime import datetime, timedelta

from flask import current_app
from sqlalchemy import select

from helpdesk.models import HelpdeskTicket
from rowgate import Unit, notify, now

# Tickets that one run of the clock marks at most.
BATCH_SIZE = 200
UNSOLVED = ("new", "open", "waiting")


def due(priority: str, since: datetime) -> datetime:
    """When a ticket of this priority is to be solved."""
    hours: int = getattr(current_app.config["SETTINGS"], f"helpdesk_hours_{priority}")
    return since + timedelta(hours=hours)


def mark_breaches(unit: Unit) -> None:
    """Mark tickets whose time is over, once, and tell who works on them, or else who asked."""
    late = (HelpdeskTicket.state.in_(UNSOLVED), HelpdeskTicket.due_at < now(), HelpdeskTicket.breached.is_(False))
    tickets = select(HelpdeskTicket).where(*late).order_by(HelpdeskTicket.id).limit(BATCH_SIZE)
    told = []
    for ticket in unit.session.scalars(tickets.with_for_update(skip_locked=True)):
        ticket.breached = True
        receiver = ticket.assignee_id or ticket.requester_id
        if receiver is not None:
            told.append((receiver, ticket))
    # In one order, so that two who notify the same people do not wait for each other.
    for receiver, ticket in sorted(told, key=lambda each: each[0]):
        data = {"ticketId": str(ticket.id)}
        notify(unit, receiver, "HELPDESK_TICKET_BREACHED", f"{ticket.subject} is late", data=data)
