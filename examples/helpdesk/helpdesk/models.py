"""Tickets and what is said about them: what is stored, and who sees it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Mapped

from rowgate import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    SORTABLE,
    Organization,
    Parent,
    Policy,
    Record,
    boolean,
    enum,
    long_text,
    reference,
    string,
    timestamp,
)


class HelpdeskTicket(Record):
    """Something that somebody needs help with."""

    __tablename__ = "helpdesk_ticket"
    domain, segment = "helpdesk", "ticket"
    policy = Policy(Organization("organization_id"))
    transitions = {
        "state": {
            "new": ["open", "waiting", "solved", "closed"],
            "open": ["waiting", "solved", "closed"],
            "waiting": ["open", "solved", "closed"],
            "solved": ["open", "closed"],
            "closed": ["open"],
        }
    }

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    requester_id: Mapped[UUID | None] = reference(
        "auth_user", "set null", READ_ONLY, FILTERABLE, relation="requester", default=CALLER_USER
    )
    assignee_id: Mapped[UUID | None] = reference("auth_user", "set null", FILTERABLE, relation="assignee")
    contact_id: Mapped[UUID | None] = reference("crm_contact", "set null", FILTERABLE)
    subject: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    description: Mapped[str | None] = long_text(max=20_000)
    priority: Mapped[str] = enum("low", "normal", "high", "urgent", flags=(FILTERABLE,), default="normal")
    state: Mapped[str] = enum("new", "open", "waiting", "solved", "closed", flags=(FILTERABLE,), default="new")
    due_at: Mapped[datetime | None] = timestamp(READ_ONLY, FILTERABLE, SORTABLE)
    solved_at: Mapped[datetime | None] = timestamp(READ_ONLY)
    breached: Mapped[bool] = boolean(READ_ONLY, FILTERABLE, default=False)


class HelpdeskComment(Record):
    """What somebody says about a ticket; requesters are told unless it is internal."""

    __tablename__ = "helpdesk_comment"
    domain, segment, plural = "helpdesk", "comment", "comments"
    policy = Policy(Parent("ticket_id"))

    ticket_id: Mapped[UUID] = reference("helpdesk_ticket", "cascade", IMMUTABLE, FILTERABLE)
    author_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    text: Mapped[str] = long_text(min=1, max=20_000)
    internal: Mapped[bool] = boolean(FILTERABLE, IMMUTABLE, default=False)
