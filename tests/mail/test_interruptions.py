"""Workers that are killed between two steps of a delivery: the message is sent, at least once, under one Message-ID."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.mail import delivery, smtp
from tests.auth.sign_in.visitors import address, sign_up, visit
from tests.mail.letters import rows

STEPS = ("_claim", "_opened", "smtp.deliver", "_conclude")
# Whether the message had left when the worker was killed at the beginning of a step.
LEFT = {"_claim": 0, "_opened": 0, "smtp.deliver": 0, "_conclude": 1}


@pytest.fixture
def mail(mailing):
    """The row of a mail that waits."""
    email = address()
    sign_up(visit(mailing), email=email)
    return rows(mailing, email)[0]


def kill(*_, **__):
    raise SystemExit


def deliver(app, mail, monkeypatch, *, killed_at=""):
    with monkeypatch.context() as patch, app.app_context():
        if killed_at:
            module, name = (smtp, "deliver") if "." in killed_at else (delivery, killed_at)
            patch.setattr(module, name, kill)
            with pytest.raises(SystemExit):
                delivery.deliver(mail["id"])
        else:
            delivery.deliver(mail["id"])


@pytest.mark.parametrize("step", STEPS)
def test_a_message_whose_sender_was_killed_is_sent_again_once_the_claim_is_over(
    mailing, mail, server, monkeypatch, later, step
):
    deliver(mailing, mail, monkeypatch, killed_at=step)
    assert len(server.received) == LEFT[step]
    lease = timedelta(seconds=delivery.STEPS * mailing.config["SETTINGS"].mail_timeout)
    later(lease + timedelta(seconds=1))
    with mailing.app_context():
        delivery.deliver_due()
    assert len(server.received) == LEFT[step] + 1
    assert {message["Message-ID"] for message in server.received} == {mail["message_id"]}
    assert rows(mailing, mail["to"])[0]["status"] == "sent"


@pytest.mark.parametrize("step", STEPS[1:])
def test_nobody_else_sends_a_message_while_its_claim_lasts(mailing, mail, server, monkeypatch, later, step):
    deliver(mailing, mail, monkeypatch, killed_at=step)
    later(timedelta(seconds=delivery.STEPS * mailing.config["SETTINGS"].mail_timeout / 2))
    deliver(mailing, mail, monkeypatch)
    with mailing.app_context():
        delivery.deliver_due()
    assert len(server.received) == LEFT[step]
    assert rows(mailing, mail["to"])[0]["attempts"] == 1


def test_a_worker_that_comes_back_late_does_not_conclude_for_the_one_after_it(
    mailing, mail, server, monkeypatch, later
):
    deliver(mailing, mail, monkeypatch, killed_at="smtp.deliver")
    late = delivery.Claimed(
        mail["id"],
        mail["kind"],
        mail["cause"],
        1,
        mail["created_at"],
        mail["to"],
        "",
        "",
        "",
        mail["message_id"],
        None,
        [],
    )
    later(timedelta(hours=1))
    deliver(mailing, mail, monkeypatch, killed_at="smtp.deliver")
    with mailing.app_context():
        delivery._postpone(late, "too late")
        delivery._conclude(late, status="failed")
    row = rows(mailing, mail["to"])[0]
    assert (row["status"], row["attempts"], row["error_message"]) == ("pending", 2, None)


def test_a_message_that_kills_whoever_sends_it_is_given_up(mailing, mail, server, monkeypatch, later):
    monkeypatch.setattr(delivery, "MOST_ATTEMPTS", 3)
    for hours in range(3):
        later(timedelta(hours=hours))
        deliver(mailing, mail, monkeypatch, killed_at="smtp.deliver")
    later(timedelta(hours=4))
    deliver(mailing, mail, monkeypatch)
    row = rows(mailing, mail["to"])[0]
    assert (row["status"], row["text"], row["html"]) == ("failed", None, None)
    assert server.received == []
