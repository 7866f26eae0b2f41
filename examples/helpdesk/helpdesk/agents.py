"""A tool for agents: answer a ticket and solve it, in one transaction."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from helpdesk.models import HelpdeskComment, HelpdeskTicket
from rowgate import Tool, Unit


def solve_ticket(unit: Unit, ticket_id: UUID, answer: str) -> dict[str, Any]:
    """Answer a ticket, and mark it as solved. Its requester is told what was answered."""
    unit.create(HelpdeskComment, {"ticket_id": ticket_id, "text": answer})
    return unit.update(HelpdeskTicket, ticket_id, {"state": "solved"})


# The policies are asked and the hooks run, as by HTTP.
tools = {"solve_ticket": Tool(solve_ticket, writes=True, is_judged=True)}
