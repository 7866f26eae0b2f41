"""What tickets do beyond what all models share."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from helpdesk.models import HelpdeskComment, HelpdeskTicket
from helpdesk.service_levels import mark_breaches
from sqlalchemy import select

from app.mail.models import PlatformMail
from rowgate import SYSTEM, now, run_unit, wire
from rowgate.models import AuthMember, CrmContact, CrmDeal

TICKETS, COMMENTS = HelpdeskTicket.collection_path(), HelpdeskComment.collection_path()
MEMBERS = AuthMember.collection_path()


@pytest.fixture
def agent(cast, owner):
    """A colleague who works on tickets."""
    return cast.colleague(owner)


@pytest.fixture
def ticket(owner):
    return owner.post(TICKETS, {"subject": "The door is stuck", "priority": "urgent"}).json


@pytest.fixture
def tick(app):
    """What the clock does each minute."""

    def run():
        with app.app_context():
            run_unit(SYSTEM, mark_breaches)

    return run


def told(actor):
    rows = actor.get("/api/v1/notification/notification").json["data"]
    return sorted(row["type"] for row in rows if row["type"].startswith("HELPDESK"))


def moment(text):
    return datetime.fromisoformat(text)


def test_a_ticket_is_due_by_its_priority(owner, ticket):
    assert moment(ticket["dueAt"]) - moment(ticket["createdAt"]) == pytest.approx(
        timedelta(hours=2), abs=timedelta(seconds=1)
    )
    later = owner.patch(f"{TICKETS}/{ticket['id']}", {"priority": "low"}).json
    assert moment(later["dueAt"]) - moment(later["createdAt"]) == timedelta(hours=72)


def test_a_ticket_that_is_late_is_told_of_once(agent, owner, ticket, clock, tick):
    owner.post(f"{TICKETS}/{ticket['id']}/_assign", {"assigneeId": str(agent.user_id)})
    tick()
    assert owner.get(f"{TICKETS}/{ticket['id']}").json["breached"] is False
    clock.move(hours=2, minutes=1)
    tick()
    tick()
    assert owner.get(f"{TICKETS}/{ticket['id']}").json["breached"] is True
    assert told(agent) == ["HELPDESK_TICKET_ASSIGNED", "HELPDESK_TICKET_BREACHED"]


def test_a_ticket_that_is_solved_is_not_late(owner, ticket, clock, tick):
    solved = owner.patch(f"{TICKETS}/{ticket['id']}", {"state": "solved"})
    assert solved.json["solvedAt"] is not None
    clock.move(hours=3)
    tick()
    assert owner.get(f"{TICKETS}/{ticket['id']}").json["breached"] is False


def test_assigning_opens_the_ticket_and_tells_the_assignee(agent, owner, ticket):
    assigned = owner.post(f"{TICKETS}/{ticket['id']}/_assign", {"assigneeId": str(agent.user_id)})
    assert (assigned.status_code, assigned.json["state"]) == (200, "open")
    assert told(agent) == ["HELPDESK_TICKET_ASSIGNED"]


def test_a_stranger_is_assigned_nothing_and_assigns_nothing(cast, owner, ticket):
    stranger = cast.user()
    path = f"{TICKETS}/{ticket['id']}/_assign"
    assert stranger.post(path, {"assigneeId": str(stranger.user_id)}).status_code == 404
    colleague_elsewhere = cast.colleague(stranger)
    refused = owner.post(path, {"assigneeId": str(colleague_elsewhere.user_id)})
    assert refused.status_code == 400
    assert owner.get(f"{TICKETS}/{ticket['id']}").json["state"] == "new"


def test_somebody_who_has_left_is_no_assignee(agent, owner, ticket):
    path = f"{TICKETS}/{ticket['id']}/_assign"
    members = owner.get(MEMBERS).json["data"]
    (member,) = [each for each in members if each["userId"] == str(agent.user_id)]
    assert owner.delete(f"{MEMBERS}/{member['id']}").status_code == 200
    assert owner.post(path, {"assigneeId": str(agent.user_id)}).status_code == 400


def test_an_answer_is_told_and_sent_by_mail_to_those_who_want_it(app, agent, owner, ticket):
    preferred = owner.put("/api/integrations/teams/notifications/preferences", {"channels": {"email": True}})
    assert preferred.status_code == 200
    agent.post(COMMENTS, {"ticketId": ticket["id"], "text": "Oil is on its way", "internal": False})
    agent.post(COMMENTS, {"ticketId": ticket["id"], "text": "Who has the oil?", "internal": True})
    assert told(owner) == ["HELPDESK_TICKET_ANSWERED"]
    with app.app_context():
        kinds = run_unit(SYSTEM, lambda unit: list(unit.session.scalars(select(PlatformMail.kind))))
    assert kinds.count("notification") == 1


def test_a_contact_is_sent_what_colleagues_answer(app, agent, owner, workshop):
    contact = workshop.make(CrmContact, firstName="Grace", email="grace@example.com")
    ticket = owner.post(TICKETS, {"subject": "No light", "contactId": contact["id"]}).json
    for text, internal in (("Try the switch", False), ("Is it dark there?", True), ("And the fuse", False)):
        agent.post(COMMENTS, {"ticketId": ticket["id"], "text": text, "internal": internal})
    with app.app_context():
        found = select(PlatformMail.to, PlatformMail.subject).where(PlatformMail.kind == "helpdesk-answer")
        sent = run_unit(SYSTEM, lambda unit: [tuple(row) for row in unit.session.execute(found)])
    assert sent == [("grace@example.com", "Re: No light")] * 2


def test_notifications_are_posted_to_slack_for_those_who_want_that(
    app, agent, owner, ticket, loopback, do_jobs, monkeypatch
):
    at = {"helpdesk_slack_url": f"{loopback.url}/hook", "helpdesk_slack_private": True}
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], **at))
    loopback.answer("/hook", body={"ok": True})
    agent.put("/api/integrations/teams/notifications/preferences", {"channels": {"slack": True}})
    owner.post(f"{TICKETS}/{ticket['id']}/_assign", {"assigneeId": str(agent.user_id)})
    do_jobs()
    assert [asked.json for asked in loopback.requests] == [{"text": "*The door is stuck*"}]


def test_an_answer_of_the_requester_opens_a_ticket_that_waits(owner, ticket):
    owner.patch(f"{TICKETS}/{ticket['id']}", {"state": "waiting"})
    assert owner.post(COMMENTS, {"ticketId": ticket["id"], "text": "It is stuck again"}).status_code == 201
    assert owner.get(f"{TICKETS}/{ticket['id']}").json["state"] == "open"


def test_a_closed_ticket_takes_no_comments(owner, ticket):
    owner.patch(f"{TICKETS}/{ticket['id']}", {"state": "closed"})
    refused = owner.post(COMMENTS, {"ticketId": ticket["id"], "text": "Hello?"})
    assert (refused.status_code, refused.json["code"]) == (409, "HELPDESK_TICKET_CLOSED")


def test_many_tickets_in_one_request_have_their_time_each(owner):
    made = owner.post(TICKETS, [{"subject": "One"}, {"subject": "Two", "priority": "low"}])
    assert made.status_code == 201
    assert all(each["dueAt"] for each in made.json["data"])


def test_a_deal_that_is_won_begins_with_a_ticket(owner, workshop):
    deal = workshop.make(CrmDeal, name="Crane")
    owner.patch(f"{CrmDeal.collection_path()}/{deal['id']}", {"stage": "won"})
    assert [each["subject"] for each in owner.get(TICKETS).json["data"]] == ["Welcome Crane"]


def test_a_report_says_how_tickets_went(owner, ticket, do_jobs):
    owner.patch(f"{TICKETS}/{ticket['id']}", {"state": "solved"})
    start, end = (wire(now() + timedelta(days=days)) for days in (-1, 1))
    period = {"periodStart": start, "periodEnd": end}
    report = owner.post("/api/v1/analytics/report", {"name": "Tickets", "kind": "helpdesk", **period}).json
    do_jobs()
    (row,) = owner.get(f"/api/v1/analytics/report/{report['id']}").json["data"]
    assert (row["state"], row["priority"], row["tickets"], row["late"]) == ("solved", "urgent", 1, 0)
    assert row["medianHours"] < 1


def test_the_command_counts_late_tickets(app, ticket, clock, tick):
    clock.move(hours=3)
    tick()
    shown = app.test_cli_runner().invoke(args=["helpdesk", "breaches", "--json"])
    assert ticket["organizationId"] in shown.output
