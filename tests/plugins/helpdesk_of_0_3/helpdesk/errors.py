"""What can go wrong with tickets."""

from __future__ import annotations

from app.foundation.errors import Failure


class TicketClosed(Failure):
    """A comment on a ticket that is closed."""

    status, code, text = 409, "HELPDESK_TICKET_CLOSED", "The ticket is closed: open it again, or make another"


class NoMember(Failure):
    """An assignee from outside of the organization."""

    status, code, text = 400, "HELPDESK_NO_MEMBER", "Tickets are assigned to members of their organization"
