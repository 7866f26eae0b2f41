"""What waits: whose turn it is, what stands in nobody's way, and what goes in the end."""

from __future__ import annotations

from itertools import pairwise
from uuid import uuid4

import pytest
from sqlalchemy import text

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.testing.database import transaction
from app.webhooks import claims, deliveries, dispatcher, hooks, switching
from app.webhooks.sending import Outcome
from tests.webhooks.conftest import COMPANY, HOOKS, company


def test_what_follows_of_a_record_waits_with_it_and_other_records_do_not(owner, receive, deliver, loopback, clock):
    hook = receive(owner)
    works = company(owner, "Works")
    loopback.answer(hook.path, status=500, times=1)
    deliver()
    owner.patch(f"{COMPANY}/{works}", {"name": "Works 2"})
    company(owner, "Other")
    deliver()
    assert sorted(name for _, name in hook.heard()) == ["Other", "Works"]
    clock.move(seconds=6)
    deliver()
    assert hook.heard() == [("crm.company.create", "Works 2"), ("crm.company.update", "Works 2")]


def test_many_changes_of_a_record_arrive_in_order(owner, receive, deliver):
    hook = receive(owner)
    works = company(owner, "Number 0")
    for number in range(1, 25):
        owner.patch(f"{COMPANY}/{works}", {"name": f"Number {number}"})
    deliver()
    positions = [int(each.json["data"]["id"]) for each in hook.requests()]
    assert len(positions) == 25
    assert all(earlier < later for earlier, later in pairwise(positions))


def test_records_behind_many_that_wait_are_not_held_up(owner, receive, deliver, loopback, clock, monkeypatch):
    monkeypatch.setattr(claims, "LOOKED_AT", 3)
    hook = receive(owner)
    works = company(owner, "Works")
    loopback.answer(hook.path, status=500, times=1)
    deliver()
    for number in range(8):
        owner.patch(f"{COMPANY}/{works}", {"name": f"Works {number}"})
    clock.move(seconds=10)
    company(owner, "Other")
    deliver()
    assert len(hook.requests()) == 1 + 9 + 1


def test_a_replay_of_what_waits_goes_on(owner, receive, deliver, loopback, clock, do_jobs, monkeypatch):
    monkeypatch.setattr(claims, "LOOKED_AT", 3)
    hook = receive(owner)
    works = company(owner, "Works")
    deliver()
    loopback.answer(hook.path, status=500, times=1)
    for number in range(8):
        owner.patch(f"{COMPANY}/{works}", {"name": f"Works {number}"})
    deliver()
    clock.move(seconds=10)
    hook.post("_replay?since=2020-01-01T00:00:00.000Z")
    do_jobs()
    deliver()
    assert hook.deliveries("?status=pending") == hook.deliveries("?status=failed") == []


def test_an_endpoint_that_hears_much_leaves_room_for_others(app, owner, cast, receive, deliver, loopback):
    busy, other = receive(owner), receive(cast.user(), "/other")
    for number in range(6):
        company(owner, f"Works {number}")
    company(other.actor, "Other")
    with app.app_context():
        dispatcher.dispatch()
        messages = run_unit(SYSTEM, claims.claim_due, 2, 2)
        run_unit(SYSTEM, claims.hand_back, [each.id for each in messages])
    assert {str(each.endpoint_id) for each in messages} == {busy.id, other.id}


def test_endpoints_that_do_not_answer_have_some_of_the_slots(app, owner, cast, receive, deliver, loopback, clock):
    hooks = [receive(cast.user(), f"/{number}") for number in range(3)]
    for hook in hooks:
        loopback.answer(hook.path, status=500)
        company(hook.actor, "Works")
    deliver()
    clock.move(seconds=10)
    with app.app_context():
        assert len(run_unit(SYSTEM, claims.claim_due, 10, 2)) == 2


def test_more_events_than_one_transaction_takes_are_written_in_portions(owner, receive, deliver, monkeypatch):
    monkeypatch.setattr(dispatcher, "MOST", 3)
    hook = receive(owner)
    for number in range(7):
        company(owner, f"Works {number}")
    deliver()
    assert len(hook.requests()) == 7


def test_what_cannot_be_judged_fails_and_arrives_once_it_can(owner, receive, deliver, clock, monkeypatch):
    hook = receive(owner)
    company(owner, "Works")
    with monkeypatch.context() as broken:
        for module in (dispatcher, deliveries):
            broken.setattr(module, "judge", lambda *_: 1 / 0)
        deliver()
    (delivery,) = hook.deliveries()
    assert (delivery["status"], delivery["errorMessage"]) == ("failed", "What it hears cannot be told")
    clock.move(seconds=10)
    deliver()
    assert hook.heard() == [("crm.company.create", "Works")]


def test_an_attempt_that_could_not_be_prepared_does_not_count(owner, receive, deliver, clock, monkeypatch):
    hook = receive(owner)
    company(owner, "Works")
    with monkeypatch.context() as broken:
        broken.setattr(deliveries, "_candidates", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            deliver()
    clock.move(seconds=10)
    deliver()
    assert [each["attempts"] for each in hook.deliveries()] == [1]


def test_a_purge_beside_an_attempt_is_not_undone_by_its_end(app, owner, receive, deliver, loopback):
    hook = receive(owner)
    works = company(owner, "Works")
    with app.app_context():
        dispatcher.dispatch()
        (message,) = deliveries.claim(10, 5)
        assert owner.delete(f"{COMPANY}/{works}?purge=true").status_code == 200
        deliveries.conclude([Outcome(message, 1, 200, "I have heard of Works")])
    assert "Works" not in str(hook.deliveries())


def kept(app):
    with app.app_context(), transaction() as session:
        return session.scalar(text("SELECT count(*) FROM integration_webhook_delivery"))


def test_deliveries_go_after_a_month(app, owner, receive, deliver, clock):
    receive(owner)
    company(owner, "Works")
    deliver()
    before = kept(app)
    for days, gone in ((29, 0), (2, 1)):
        clock.move(days=days)
        with app.app_context():
            switching.expire()
        assert kept(app) <= before - gone
        assert gone or kept(app) > 0


def test_deliveries_go_with_their_endpoint(app, owner, receive, deliver):
    hook = receive(owner)
    company(owner, "Works")
    deliver()
    owner.delete(f"{HOOKS}/{hook.id}")
    with app.app_context():
        switching.expire()
    assert kept(app) == 0


def test_more_than_may_wait_switches_off(app, owner, receive, deliver, loopback, monkeypatch):
    monkeypatch.setattr(switching, "MAX_WAITING", 2)
    hook = receive(owner)
    loopback.answer(hook.path, status=500)
    for number in range(3):
        company(owner, f"Works {number}")
    deliver()
    with app.app_context():
        run_unit(SYSTEM, switching.switch_off_overflowing)
    assert hook.now()["disabledReason"] == "overflow"


def test_what_was_sent_of_a_record_goes_with_a_purge(owner, receive, deliver):
    hook = receive(owner)
    works = company(owner, "Harbour Works")
    deliver()
    assert owner.delete(f"{COMPANY}/{works}?purge=true").status_code == 200
    assert [each["payload"] for each in hook.deliveries("?status=delivered")] == [None]
    deliver()
    assert hook.heard()[-1] == ("crm.company.delete", None)


def test_a_purge_forgets_of_any_number_of_records(app):
    with app.app_context():
        run_unit(SYSTEM, hooks.forget, [uuid4() for _ in range(70_000)])
