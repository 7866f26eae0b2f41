"""The tool of the helpdesk, as an agent calls it."""

from __future__ import annotations

import pytest
from helpdesk.models import HelpdeskComment, HelpdeskTicket

TICKETS, COMMENTS = HelpdeskTicket.collection_path(), HelpdeskComment.collection_path()


@pytest.fixture
def ticket(owner):
    return owner.post(TICKETS, {"subject": "The door is stuck"}).json


def call(actor, **arguments):
    params = {"name": "solve_ticket", "arguments": arguments}
    sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return actor.post("/mcp", sent).json["result"]


def test_a_ticket_is_answered_and_solved_at_once(owner, ticket):
    solved = call(owner, ticket_id=ticket["id"], answer="Push harder.")
    assert solved["structuredContent"]["state"] == "solved"
    (comment,) = owner.get(f"{COMMENTS}?ticketId={ticket['id']}").json["data"]
    assert comment["text"] == "Push harder."


def test_nothing_is_written_where_one_of_both_is_refused(cast, owner, ticket):
    assert call(cast.user(), ticket_id=ticket["id"], answer="x")["isError"]
    assert call(owner, ticket_id="x", answer="x")["isError"]
    tickets_alone = cast.key(owner, "write", access=[{"models": ["helpdesk/ticket"], "operations": ["update"]}])
    assert call(tickets_alone, ticket_id=ticket["id"], answer="x")["isError"]
    assert owner.get(f"{TICKETS}/{ticket['id']}").json["state"] == "new"
    assert owner.get(COMMENTS).json["data"] == []
