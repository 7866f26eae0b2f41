"""Deliveries: what arrives, in which order, how often, and what comes of what does not arrive."""

from __future__ import annotations

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from app.notification.routing import notify
from app.testing.database import unit_of_work
from app.webhooks import deliveries
from tests.webhooks.conftest import COMPANY, HOOKS, company


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


def test_what_was_written_before_an_endpoint_was_made_is_not_heard_of(owner, receive, deliver):
    company(owner, "Before")
    hook = receive(owner)
    company(owner, "After")
    deliver()
    assert hook.heard() == [("crm.company.create", "After")]


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


@pytest.mark.parametrize("said", ["Mon, 01 Jan 99999 00:00:00 GMT", "soon", "-1"])
def test_what_an_address_asks_for_that_makes_no_sense_is_passed_over(owner, receive, deliver, loopback, said):
    hook = receive(owner)
    loopback.answer(hook.path, status=429, headers={"Retry-After": said})
    company(owner, "Works")
    deliver()
    assert [each["status"] for each in hook.deliveries()] == ["failed"]


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
    # What others have made public is replayed as well.
    assert {before, ("crm.company.create", "Missed")} <= set(hook.heard())


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


def test_an_attempt_after_a_rotation_is_signed_by_both_secrets(owner, receive, deliver, loopback, clock):
    hook = receive(owner)
    loopback.answer(hook.path, status=500, times=1)
    company(owner, "Works")
    deliver()
    hook.requests()
    secrets = hook.secret, hook.post("_rotate").json["secret"]
    clock.move(seconds=6)
    deliver()
    (request,) = hook.requests()
    for secret in secrets:
        Webhook(secret).verify(request.body, request.headers)


def test_an_endpoint_that_writes_what_it_hears_keeps_nobody_else_waiting(owner, cast, receive, deliver):
    hook, other = receive(owner), receive(cast.user(), "/other")
    company(owner, "Loop 0")
    for number in range(1, 4):
        company(other.actor, f"Other {number}")
        deliver()
        assert other.heard() == [("crm.company.create", f"Other {number}")]
        ((_, heard),) = hook.heard()
        company(owner, f"Loop {number} of {heard[:6]}")
