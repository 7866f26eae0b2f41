"""Mail that anybody can have sent to an address: one of a kind in five minutes, however often it is asked for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from sqlalchemy import text

from app.auth.accounts import recovery, verification
from app.foundation.crypto import vault
from app.mail import outbox
from app.runtime import rate_limits
from app.testing.database import transaction
from app.testing.waiting import await_true, work
from tests.auth.sign_in.visitors import address, sign_up, visit
from tests.mail.letters import kinds

FORGOT, RESEND = "/api/auth/forgot-password", "/api/auth/verify-email/resend"


@pytest.fixture
def email(mailing):
    made = address()
    sign_up(visit(mailing), email=made)
    work(mailing)
    return made


def ask(app, email, path=FORGOT):
    return app.test_client().post(path, json={"email": email}).status_code


def test_a_thousand_requests_for_one_address_send_one_mail(mailing, server, email):
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: ask(mailing, email), range(1000))) == {202}
    work(mailing)
    assert kinds(mailing, email) == ["verify-address", "reset-password"]
    assert len(server.to(email)) == 2


def test_spellings_of_one_address_are_one_address(mailing, email):
    for spelling in (email, email.upper(), email.title()):
        assert ask(mailing, spelling) == 202
    work(mailing)
    assert kinds(mailing, email).count("reset-password") == 1


def test_jobs_that_meet_send_one_mail(mailing, email, monkeypatch):
    writing, go_on, render = [], Event(), outbox.render

    def wait_and_render(*arguments, **options):
        writing.append(arguments)
        assert go_on.wait(10)
        return render(*arguments, **options)

    def send():
        with mailing.app_context():
            recovery.send_reset_link(None, sealed=vault().encrypt(email))

    def have_met():
        return len(writing) == 2 or (len(writing) == 1 and waits_for_a_lock(mailing))

    monkeypatch.setattr(outbox, "render", wait_and_render)
    with ThreadPoolExecutor(2) as pool:
        sent = [pool.submit(send) for _ in range(2)]
        await_true(have_met)
        go_on.set()
        for each in sent:
            each.result()
    assert kinds(mailing, email).count("reset-password") == 1


def waits_for_a_lock(app):
    waiting = text("SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)")
    with app.app_context(), transaction() as session:
        return session.scalar(waiting)


def test_after_five_minutes_another_mail_can_be_had(mailing, email, monkeypatch):
    clock = outbox.now
    for minutes, mails in ((0, 1), (4.9, 1), (5.1, 2)):
        monkeypatch.setattr(outbox, "now", lambda minutes=minutes: clock() + timedelta(minutes=minutes))
        with mailing.app_context():
            recovery.send_reset_link(None, sealed=vault().encrypt(email))
        assert kinds(mailing, email).count("reset-password") == mails


def test_one_kind_of_mail_does_not_keep_another_back(mailing, email):
    assert (ask(mailing, email), ask(mailing, email, RESEND)) == (202, 202)
    work(mailing)
    assert kinds(mailing, email) == ["verify-address", "reset-password"]


def test_the_mail_of_the_sign_up_counts_as_one_that_was_asked_for(mailing, email, monkeypatch):
    clock = outbox.now
    for minutes, mails in ((0, 1), (6, 2)):
        monkeypatch.setattr(outbox, "now", lambda minutes=minutes: clock() + timedelta(minutes=minutes))
        with mailing.app_context():
            verification.send_verification_link(None, sealed=vault().encrypt(email))
        assert kinds(mailing, email).count("verify-address") == mails


def test_requests_of_one_network_are_counted_for_all_routes_together(mailing):
    client = visit(mailing)
    statuses = [
        client.post(path, json={"email": f"n{number}@pace.example"}).status_code
        for number in range(16)
        for path in (FORGOT, RESEND)
    ]
    assert statuses == [202] * 30 + [429] * 2
    refused = client.post(FORGOT, json={"email": "n@pace.example"})
    assert int(refused.headers["Retry-After"]) > 0


def test_in_production_loopback_is_counted_as_well(build):
    production = build(
        environment="production", secret_key="x" * 40, mail_limit="2 per hour", base_url="http://localhost"
    )
    with production.app_context():
        rate_limits.counter().shared.reset()
    assert [ask(production, f"l{number}@pace.example") for number in range(3)] == [202, 202, 429]


def test_no_table_of_jobs_names_the_address(mailing, email):
    ask(mailing, email)
    with mailing.app_context(), transaction() as session:
        (arguments,) = session.scalars(text("SELECT args::text FROM procrastinate_jobs WHERE task_name LIKE 'send%'"))
    assert "sealed" in arguments
    assert email not in arguments
