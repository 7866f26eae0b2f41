"""Deliveries: what arrives, in which order, how often, and what comes of what does not arrive."""

from __future__ import annotations

from itertools import pairwise

import pytest
from sqlalchemy import text
from standardwebhooks import Webhook, WebhookVerificationError

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.notification.routing import notify
from app.testing.database import transaction, unit_of_work
from app.webhooks import claims, deliveries, dispatcher, switching
from app.webhooks.sending import Outcome
from tests.webhooks.conftest import HOOKS

COMPANY = "/api/v1/crm/company"


def company(actor, name):
    return actor.post(COMPANY, {"name": name}).json["id"]


def test_changes_of_a_record_arrive_signed_and_in_order(owner, receive, deliver):
    hook = receive(owner)
    works = company(owner, "Harbour Works")
    owner.patch(f"{COMPANY}/{works}", {"name": "Harbour Foods"})
    owner.delete(f"{COMPANY}/{works}")
    deliver()
    # The record is gone by now: what it was is told to nobody.
    assert hook.heard() == [("crm.company.delete", None)]
    company(owner, "Another")
    deliver()
    assert hook.heard() == [("crm.company.create", "Another")]


def test_an_event_has_what_the_feed_has_and_the_headers_of_the_standard(owner, receive, deliver):
    hook = receive(owner)
    since = owner.get("/api/v1/_changes").json["meta"]["next"]
    company(owner, "Harbour Works")
    deliver()
    (request,) = hook.requests()
    (change,) = owner.get(f"/api/v1/_changes?since={since}&models=crm/company").json["data"]
    assert request.json == {"type": "crm.company.create", "timestamp": change["at"], "data": change}
    (delivery,) = hook.deliveries()
    assert request.headers["webhook-id"] == delivery["eventId"]
    assert (delivery["status"], delivery["responseStatus"], delivery["payload"]) == ("delivered", 204, request.json)


@pytest.mark.parametrize(
    ("wanted", "arrives"),
    [("crm.company.create", True), ("crm.company.update", False), ("crm.deal.*", False), ("crm.*", True), ("*", True)],
)
def test_what_was_not_asked_for_does_not_arrive(owner, receive, deliver, wanted, arrives):
    hook = receive(owner, eventTypes=[wanted])
    company(owner, "Harbour Works")
    deliver()
    assert [name for type, name in hook.heard() if type == "crm.company.create"] == ["Harbour Works"] * arrives


def test_conditions_decide_what_comes_into_sight_and_goes_out_of_it(owner, receive, deliver):
    hook = receive(owner, where={"industry": "food"})
    works = owner.post(COMPANY, {"name": "Works", "industry": "shipping"}).json["id"]
    deliver()
    owner.patch(f"{COMPANY}/{works}", {"industry": "food"})
    deliver()
    owner.patch(f"{COMPANY}/{works}", {"industry": "shipping"})
    deliver()
    assert hook.heard() == [("crm.company.create", "Works"), ("crm.company.delete", None)]


def test_notifications_arrive(owner, receive, deliver, app):
    hook = receive(owner, eventTypes=["notification.notification.create"])
    with app.app_context(), unit_of_work() as unit:
        notify(unit, owner.user_id, "system", "The roof is done")
    deliver()
    (request,) = hook.requests()
    assert request.json["data"]["record"]["title"] == "The roof is done"


def test_an_event_is_sent_again_under_its_id_until_it_arrives(owner, receive, deliver, loopback, clock, exact_waits):
    hook = receive(owner)
    loopback.answer(hook.path, status=500, times=3)
    company(owner, "Harbour Works")
    deliver()
    for wait in exact_waits[:3]:
        clock.move(seconds=wait - 1)
        assert deliver() == 0
        clock.move(seconds=2)
        assert deliver() == 1
    found = hook.requests()
    assert len(found) == 4
    assert len({each.headers["webhook-id"] for each in found}) == 1
    assert [(each["status"], each["attempts"]) for each in hook.deliveries()] == [("delivered", 4)]


def test_a_delivery_is_given_up_after_its_last_attempt(owner, receive, deliver, loopback, clock, exact_waits):
    hook = receive(owner)
    loopback.answer(hook.path, "No", status=500)
    company(owner, "Harbour Works")
    for wait in (0, *exact_waits, 100_000):
        clock.move(seconds=wait + 1)
        deliver()
    assert len(hook.requests()) == len(exact_waits) + 1
    (delivery,) = hook.deliveries("?status=abandoned")
    assert (delivery["attempts"], delivery["responseStatus"], delivery["responseExcerpt"]) == (10, 500, "No")


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


@pytest.mark.parametrize("said", ["Mon, 01 Jan 99999 00:00:00 GMT", "soon", "-1"])
def test_what_an_address_asks_for_that_makes_no_sense_is_passed_over(owner, receive, deliver, loopback, said):
    hook = receive(owner)
    loopback.answer(hook.path, status=429, headers={"Retry-After": said})
    company(owner, "Works")
    deliver()
    assert [each["status"] for each in hook.deliveries()] == ["failed"]


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


@pytest.mark.parametrize(
    ("status", "headers"), [(301, {"Location": "http://127.0.0.1:1/"}), (404, {}), (500, {}), (204, None)]
)
def test_only_an_answer_of_success_counts_as_arrived(owner, receive, deliver, loopback, status, headers):
    hook = receive(owner)
    loopback.answer(hook.path, status=status, headers=headers or {})
    company(owner, "Harbour Works")
    deliver()
    assert hook.deliveries()[0]["status"] == ("delivered" if status == 204 else "failed")
    assert hook.now()["failureCount"] == (status != 204)


def test_an_address_that_asks_for_time_is_left_alone_until_then(owner, receive, deliver, loopback, clock):
    hook = receive(owner)
    loopback.answer(hook.path, status=429, headers={"Retry-After": "120"}, times=1)
    company(owner, "First")
    deliver()
    company(owner, "Second")
    clock.move(seconds=60)
    assert deliver() == 0
    clock.move(seconds=70)
    deliver()
    assert sorted(name for _, name in hook.heard()) == ["First", "First", "Second"]


def test_an_address_that_is_gone_is_switched_off_and_its_user_told(owner, receive, deliver, loopback, mails):
    hook = receive(owner)
    loopback.answer(hook.path, status=410)
    company(owner, "Harbour Works")
    deliver()
    now = hook.now()
    assert (now["enabled"], now["disabledReason"]) == (False, "gone")
    assert mails(owner)[-1] == "webhook-disabled"


def test_five_days_without_success_switch_off(owner, receive, deliver, loopback, clock, mails):
    hook = receive(owner)
    loopback.answer(hook.path, status=500)
    for _ in range(4):
        company(owner, "Works")
        deliver()
        clock.move(days=1, hours=6)
    assert hook.now()["enabled"]
    deliver()
    assert hook.now()["disabledReason"] == "failing"
    assert mails(owner).count("webhook-disabled") == 1


def test_a_success_ends_the_count_of_days(owner, receive, deliver, loopback, clock):
    hook = receive(owner)
    loopback.answer(hook.path, status=500, times=1)
    company(owner, "Works")
    deliver()
    clock.move(days=4)
    deliver()
    assert (hook.now()["failureCount"], hook.now()["failingSince"]) == (0, None)


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


def test_switched_off_it_hears_nothing_and_a_replay_brings_what_it_has_missed(owner, receive, deliver, do_jobs):
    hook = receive(owner)
    company(owner, "Before")
    deliver()
    (before,) = hook.heard()
    owner.patch(f"{HOOKS}/{hook.id}", {"enabled": False})
    missed = company(owner, "Missed")
    deliver()
    owner.patch(f"{HOOKS}/{hook.id}", {"enabled": True})
    deliver()
    assert hook.heard() == []
    since = owner.get(f"{COMPANY}/{missed}").json["createdAt"]
    assert hook.post(f"_replay?since={since}").status_code == 202
    do_jobs()
    deliver()
    assert hook.heard() == [("crm.company.create", "Missed")]
    assert hook.post("_replay?since=2020-01-01T00:00:00.000Z").status_code == 202
    do_jobs()
    deliver()
    assert sorted(hook.heard()) == [before, ("crm.company.create", "Missed")]


def test_a_delivery_is_sent_again_on_request(owner, receive, deliver):
    hook = receive(owner)
    company(owner, "Harbour Works")
    deliver()
    (first,) = hook.requests()
    (delivery,) = hook.deliveries()
    assert hook.post(f"_deliveries/{delivery['id']}/_redeliver").status_code == 202
    assert hook.post(f"_deliveries/{delivery['id']}/_redeliver").status_code == 409
    deliver()
    (again,) = hook.requests()
    assert (again.headers["webhook-id"], again.json) == (first.headers["webhook-id"], first.json)


def test_a_test_arrives(owner, receive, deliver):
    hook = receive(owner)
    assert hook.post("_test").status_code == 202
    deliver()
    (request,) = hook.requests()
    assert request.json["type"] == "webhook.test"


def test_an_answer_without_end_is_read_for_a_while(owner, receive, deliver, loopback):
    hook = receive(owner)
    loopback.answer(hook.path, "x" * 1_000_000, status=200)
    company(owner, "Harbour Works")
    deliver()
    (delivery,) = hook.deliveries()
    assert (delivery["status"], delivery["responseExcerpt"]) == ("delivered", "x" * 1000)


def test_a_record_that_is_too_large_is_told_without_it(owner, receive, deliver, monkeypatch):
    monkeypatch.setattr(deliveries, "MAX_PAYLOAD_BYTES", 500)
    hook = receive(owner)
    works = company(owner, "Harbour Works")
    deliver()
    (request,) = hook.requests()
    assert (request.json["data"]["recordId"], request.json["data"]["record"]) == (works, None)


def test_after_a_rotation_both_secrets_verify_for_a_day(owner, receive, deliver, clock):
    hook = receive(owner)
    old = hook.secret
    hook.secret = hook.post("_rotate").json["secret"]
    company(owner, "One")
    deliver()
    (request,) = hook.requests()
    for secret in (old, hook.secret):
        Webhook(secret).verify(request.body, request.headers)
    clock.move(hours=25)
    company(owner, "Two")
    deliver()
    (request,) = hook.requests()
    Webhook(hook.secret).verify(request.body, request.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(old).verify(request.body, request.headers)


def test_what_was_sent_of_a_record_goes_with_a_purge(owner, receive, deliver):
    hook = receive(owner)
    works = company(owner, "Harbour Works")
    deliver()
    assert owner.delete(f"{COMPANY}/{works}?purge=true").status_code == 200
    assert [each["payload"] for each in hook.deliveries("?status=delivered")] == [None]
    deliver()
    assert hook.heard()[-1] == ("crm.company.delete", None)
