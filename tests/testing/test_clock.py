"""The clock of the kit: the whole application goes by it, until the test is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.auth.credentials import sessions
from app.crm.models import CrmCompany
from app.foundation.clock import moment_of, now
from app.testing.clock import moved

NEAR = timedelta(seconds=20)


def test_time_passes_for_whoever_knows_the_clock_by_name(clock):
    clock.move(hours=3)
    clock.move(minutes=30)
    ahead = timedelta(hours=3, minutes=30)
    assert sessions.now is now
    assert ahead <= sessions.now() - datetime.now(UTC) + timedelta(milliseconds=1) < ahead + NEAR


def test_it_can_be_set_and_goes_on_from_there(clock):
    moment = datetime(2031, 5, 17, 12, tzinfo=UTC)
    clock.set(moment)
    first = now()
    assert moment - timedelta(milliseconds=1) <= first < moment + NEAR
    clock.move(days=-1)
    assert moment - timedelta(days=1, milliseconds=1) <= now() < moment


def test_records_are_made_at_that_time(workshop, clock):
    clock.move(hours=1)
    made = workshop.make(CrmCompany)
    assert moment_of(made["createdAt"]) - datetime.now(UTC) > timedelta(minutes=59)


def test_a_session_ends(owner, clock):
    assert owner.get("/api/v1/crm/contact").status_code == 200
    clock.move(days=400)
    assert owner.get("/api/v1/crm/contact").status_code == 401


def test_the_admin_of_the_tests_is_asked_for_no_password_however_long_they_run(cast, owner, clock):
    assert cast.admin.post("/api/auth/impersonate", {"userId": str(owner.user_id)}).status_code == 200
    clock.move(minutes=11)
    assert cast.admin.post("/api/auth/impersonate", {"userId": str(owner.user_id)}).status_code == 200


def test_the_time_is_as_before_when_the_test_is_over():
    with moved() as clock:
        clock.move(days=7)
        assert now() - datetime.now(UTC) > timedelta(days=6)
    assert abs(now() - datetime.now(UTC)) < NEAR
