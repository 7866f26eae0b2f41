"""Servers that are away, slow or rude: nothing is lost, nobody waits for them, and what is hopeless is given up."""

from __future__ import annotations

import json
from datetime import timedelta
from email.message import EmailMessage
from itertools import pairwise

import pytest
from sqlalchemy import text

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.mail import delivery, smtp
from app.testing.database import transaction
from app.testing.waiting import work
from tests.auth.sign_in.visitors import address, sign_up, visit
from tests.mail.letters import rows
from tests.mail.server import free_port

DAY = timedelta(hours=24)


@pytest.fixture
def email(mailing):
    """The address of somebody who has just signed up; the mail waits."""
    made = address()
    assert sign_up(visit(mailing), email=made).status_code == 200
    return made


def row(app, email):
    (found,) = rows(app, email)
    return found


def attempt(app, email):
    with app.app_context():
        delivery.deliver(row(app, email)["id"])
    return row(app, email)


def test_a_sign_up_is_answered_while_the_server_is_down_and_its_mail_comes_later(build, mailing, later, server):
    away = build(mail_url=f"smtp://127.0.0.1:{free_port()}", mail_timeout=1.0)
    email = address()
    assert sign_up(visit(away), email=email).status_code == 200
    work(away)
    waits = row(away, email)
    assert (waits["status"], waits["attempts"]) == ("pending", 1)
    assert waits["error_message"].startswith("ConnectionRefusedError")
    later(timedelta(minutes=1))
    with mailing.app_context():
        delivery.deliver_due()
    assert len(server.to(email)) == 1


def test_a_server_that_is_too_slow_is_left_and_asked_again(build, mailing, server, later):
    hurried = build(mail_url=server.url, mail_timeout=0.5)
    server.delay = 5.0
    email = address()
    sign_up(visit(hurried), email=email)
    work(hurried)
    waits = row(hurried, email)
    assert (waits["status"], waits["attempts"], server.received) == ("pending", 1, [])
    assert "imed" in waits["error_message"]
    server.delay = 0.0
    later(timedelta(minutes=1))
    assert attempt(hurried, email)["status"] == "sent"
    assert len(server.to(email)) == 1


def test_a_server_that_hangs_up_after_taking_a_message_gets_it_again_under_the_same_id(mailing, server, email, later):
    server.hangs_up = True
    assert attempt(mailing, email)["status"] == "pending"
    server.hangs_up = False
    later(timedelta(minutes=1))
    assert attempt(mailing, email)["status"] == "sent"
    first, second = server.to(email)
    assert first["Message-ID"] == second["Message-ID"] == row(mailing, email)["message_id"]


def test_an_answer_of_4xx_is_no_refusal(mailing, server, email, later):
    server.answer = "451 4.7.1 Greylisted, come back"
    waits = attempt(mailing, email)
    assert (waits["status"], waits["error_message"]) == ("pending", "451 4.7.1 Greylisted, come back")
    assert waits["text"] is not None
    server.answer = ""
    later(timedelta(minutes=1))
    sent = attempt(mailing, email)
    assert (sent["status"], sent["attempts"], sent["error_message"]) == ("sent", 2, None)


@pytest.mark.parametrize("stage", ["recipient", "message"])
def test_a_refusal_for_good_is_noted_at_once_and_never_tried_again(mailing, server, email, later, stage):
    if stage == "recipient":
        server.refused[email] = "550 5.1.1 No such user here"
    else:
        server.answer = "554 5.7.1 We want no mail of yours"
    work(mailing)
    refused = row(mailing, email)
    assert (refused["status"], refused["attempts"], refused["text"], refused["html"]) == ("failed", 1, None, None)
    assert refused["error_message"] == (server.refused.get(email) or server.answer)
    server.refused, server.answer = {}, ""
    later(DAY)
    with mailing.app_context():
        delivery.deliver_due()
    assert server.received == []


def test_one_refused_recipient_does_not_keep_mail_from_others(mailing, server, email):
    server.refused[email] = "550 5.1.1 No such user here"
    other = address()
    sign_up(visit(mailing), email=other)
    work(mailing)
    assert [row(mailing, each)["status"] for each in (email, other)] == ["failed", "sent"]


def test_admins_see_what_was_refused(mailing, server, email):
    server.refused[email] = "550 5.1.1 No such user here"
    work(mailing)
    invoked = mailing.test_cli_runner().invoke(args=["mail", "list", "--status", "failed", "--json"])
    assert invoked.exit_code == 0, invoked.output
    (listed,) = json.loads(invoked.output)
    assert (listed["to"], listed["kind"]) == (email, "verify-address")
    assert listed["error"] == "550 5.1.1 No such user here"
    others = mailing.test_cli_runner().invoke(args=["mail", "list", "--status", "sent", "--json"])
    assert json.loads(others.output) == []


def test_attempts_are_spread_over_a_day_and_then_given_up(build, mailing, monkeypatch, email):
    away = build(mail_url=f"smtp://127.0.0.1:{free_port()}", mail_timeout=1.0)
    began = row(away, email)["created_at"]
    moments = []
    while (waits := row(away, email))["status"] == "pending":
        assert len(moments) < 50
        moment = max(waits["next_attempt_at"], began)
        monkeypatch.setattr(delivery, "now", lambda moment=moment: moment)
        moments.append((moment - began) / timedelta(minutes=1))
        attempt(away, email)
    gaps = [after - before for before, after in pairwise(moments)]
    assert gaps[0] == pytest.approx(1)
    assert max(gaps) <= 240
    assert moments[-1] == pytest.approx(24 * 60)
    assert 10 <= len(moments) <= 20
    given_up = row(away, email)
    assert given_up["status"] == "failed"
    assert (given_up["text"], given_up["html"]) == (None, None)
    assert given_up["error_message"].startswith("ConnectionRefusedError")


def test_a_message_that_is_not_due_is_left_alone(build, mailing, server, email):
    away = build(mail_url=f"smtp://127.0.0.1:{free_port()}", mail_timeout=1.0)
    attempt(away, email)
    assert attempt(mailing, email)["attempts"] == 1
    with mailing.app_context():
        delivery.deliver_due()
    assert server.received == []


def test_a_fault_of_our_own_is_tried_again_and_given_up_like_one_of_the_server(mailing, email, monkeypatch, later):
    def break_(*_):
        raise RuntimeError

    monkeypatch.setattr(smtp, "deliver", break_)
    assert attempt(mailing, email)["error_message"] == "RuntimeError"
    later(DAY)
    assert attempt(mailing, email)["status"] == "failed"


def test_a_message_sealed_with_another_key_is_given_up(build, mailing, server, email):
    other = build(mail_url=server.url, secret_key="another key of this service, long enough")
    refused = attempt(other, email)
    assert (refused["status"], refused["text"]) == ("failed", None)
    assert "SECRET_KEY" in refused["error_message"]


def test_a_command_tries_the_server_and_says_what_it_answers(mailing, server):
    runner = mailing.test_cli_runner()
    taken = runner.invoke(args=["mail", "test", "Somebody@Example.com"])
    assert (taken.exit_code, taken.output) == (0, "Somebody@Example.com: taken by the server.\n")
    (message,) = server.to("somebody@example.com")
    assert isinstance(message, EmailMessage)
    assert message["Subject"] == "A message from Rowgate"
    server.refused["nobody@example.com"] = "550 5.1.1 No such user here"
    refused = runner.invoke(args=["mail", "test", "nobody@example.com"])
    assert (refused.exit_code, refused.output) == (1, "Error: 550 5.1.1 No such user here\n")


def test_a_command_says_that_no_server_is_named_or_there(app, build):
    unset = app.test_cli_runner().invoke(args=["mail", "test", "a@example.com"])
    assert (unset.exit_code, unset.output) == (1, "Error: MAIL_URL is not set\n")
    away = build(mail_url=f"smtp://127.0.0.1:{free_port()}")
    refused = away.test_cli_runner().invoke(args=["mail", "test", "a@example.com"])
    assert refused.exit_code == 1
    assert refused.output.startswith("Error: ConnectionRefusedError")


@pytest.mark.usefixtures("_nothing_waits")
def test_old_messages_are_removed_and_those_only_shown_lose_their_links_in_a_day(app):
    old, shown = address(), address()
    for email in (old, shown):
        sign_up(visit(app), email=email)
    with app.app_context(), transaction() as session:
        moved = 'UPDATE platform_mail SET created_at = now() - CAST(:age AS interval) WHERE "to" = :email'
        session.execute(text(moved), {"age": "31 days", "email": old})
        session.execute(text(moved), {"age": "25 hours", "email": shown})
    with app.app_context():
        run_unit(SYSTEM, delivery.expire)
    assert rows(app, old) == []
    assert (row(app, shown)["status"], row(app, shown)["text"]) == ("shown", None)
