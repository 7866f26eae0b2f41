"""What follows writes of tickets, of comments, and of deals that are won, in their transaction."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select

from helpdesk.errors import NoMember, TicketClosed
from helpdesk.models import HelpdeskComment, HelpdeskTicket
from helpdesk.service_levels import due
from rowgate import Unit, Write, failing_at, notify, now, on_create, on_update
from rowgate.mail import send_mail
from rowgate.models import AuthMember, AuthUser, CrmContact, CrmDeal


@on_create(HelpdeskTicket, many=True)
def open_tickets(tickets: Sequence[HelpdeskTicket], writes: Sequence[Write]) -> None:
    """A new ticket has its time, and an assignee from its organization."""
    check_assignees(tickets, writes)
    for ticket in tickets:
        ticket.due_at = due(ticket.priority, now())
        ticket.solved_at = now() if ticket.state in ("solved", "closed") else None


@on_update(HelpdeskTicket, changing=["priority", "state", "assignee_id"], many=True)
def change_tickets(tickets: Sequence[HelpdeskTicket], writes: Sequence[Write]) -> None:
    """The time follows the priority, and when it was solved follows the state."""
    check_assignees(tickets, writes)
    for ticket, write in zip(tickets, writes, strict=True):
        if write.changed("priority"):
            ticket.due_at = due(ticket.priority, ticket.created_at)
            ticket.breached = ticket.breached and ticket.due_at < now()
        if write.entered("state", ticket, "solved", "closed"):
            ticket.solved_at = ticket.solved_at or now()
        elif write.changed("state"):
            ticket.solved_at = None


def check_assignees(tickets: Sequence[HelpdeskTicket], writes: Sequence[Write]) -> None:
    """Refuse assignees from outside, asking the database once; raises NoMember."""
    wanted = {ticket.assignee_id for ticket in tickets if ticket.assignee_id is not None}
    if not wanted:
        return
    members = _members(writes[0].unit, wanted)
    for index, ticket in enumerate(tickets):
        with failing_at(index):
            if ticket.assignee_id is not None and (ticket.organization_id, ticket.assignee_id) not in members:
                raise NoMember()


def _members(unit: Unit, users: set[UUID]) -> set[tuple[UUID, UUID]]:
    found = select(AuthMember.organization_id, AuthMember.user_id).where(AuthMember.user_id.in_(users))
    with unit.session.no_autoflush:
        return {(organization, user) for organization, user in unit.session.execute(found)}


@on_create(HelpdeskComment)
def follow_comment(comment: HelpdeskComment, write: Write) -> None:
    """A closed ticket takes no comments; one that waits is open again once its requester answers."""
    ticket = write.unit.get(HelpdeskTicket, comment.ticket_id, lock=True)
    if ticket.state == "closed":
        raise TicketClosed()
    by_requester = comment.author_id is not None and comment.author_id == ticket.requester_id
    if by_requester and ticket.state == "waiting":
        ticket.state = "open"
    if not by_requester and not comment.internal:
        tell_of_answer(write.unit, ticket, comment)


def tell_of_answer(unit: Unit, ticket: HelpdeskTicket, comment: HelpdeskComment) -> None:
    """Notify whoever has made a ticket, and send the contact whom it is about a mail."""
    if ticket.requester_id is not None:
        data = {"ticketId": str(ticket.id)}
        notify(unit, ticket.requester_id, "HELPDESK_TICKET_ANSWERED", ticket.subject, comment.text, data=data)
    if ticket.contact_id is not None:
        contact = unit.get(CrmContact, ticket.contact_id)
        author = unit.get(AuthUser, comment.author_id).name if comment.author_id else "Somebody"
        values = {"name": contact.first_name, "subject": ticket.subject, "author": author, "body": comment.text}
        # Answers may follow each other, within what an address gets in a day.
        send_mail(unit, "helpdesk-answer", contact.email, values, cause=comment.id, paused=False)


@on_update(CrmDeal, changing=["stage"])
def welcome_customer(deal: CrmDeal, write: Write) -> None:
    """A deal that is won begins with a ticket, where whoever won it may make one."""
    unit = write.unit
    if deal.stage == "won" and deal.organization_id in unit.principal.memberships:
        given = {"subject": f"Welcome {deal.name}"[:200], "organization_id": deal.organization_id}
        unit.create(HelpdeskTicket, given | {"contact_id": deal.contact_id})
