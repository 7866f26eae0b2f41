"""Proving an address: the mail and the session or the password of its account, together."""

from __future__ import annotations

import pytest

from app.mail import outbox
from app.testing.cast import Actor
from tests.auth.accounts.people import PASSWORD, VERIFY, sign_up_person
from tests.auth.sign_in.visitors import CONTACTS, address, session_of, sign_up, visit

INVALID = (400, "INVALID_TOKEN")


def told(answer):
    return answer.status_code, answer.json["code"]


def test_a_new_account_is_not_verified_and_its_mail_leads_to_the_page_that_verifies(newcomer):
    assert newcomer.mails() == [VERIFY]
    assert not newcomer.is_verified()


def test_the_session_of_the_account_and_the_mail_verify_it(newcomer):
    answer = newcomer.post("verify-email", token=newcomer.secret(VERIFY))
    assert (answer.status_code, set(answer.json)) == (200, {"user"})
    assert answer.json["user"]["emailVerified"] is True
    assert answer.json["user"]["email"] == newcomer.email
    assert newcomer.is_verified()


def test_the_password_and_the_mail_verify_it_and_sign_nobody_in(newcomer):
    client = visit(newcomer.app)
    answer = client.post("/api/auth/verify-email", json={"token": newcomer.secret(VERIFY), "password": PASSWORD})
    assert answer.status_code == 200
    assert not {"Set-Cookie", "set-auth-token"} & set(answer.headers.keys())
    assert "token" not in answer.json
    assert session_of(client) is None
    assert newcomer.is_verified()


@pytest.mark.parametrize("body", [{}, {"password": "not the password"}, {"password": ""}])
def test_the_mail_alone_verifies_nothing(newcomer, body):
    secret = newcomer.secret(VERIFY)
    assert told(newcomer.asks("verify-email", token=secret, **body)) == (401, "INVALID_EMAIL_OR_PASSWORD")
    assert not newcomer.is_verified()
    assert newcomer.asks("verify-email", token=secret, password=PASSWORD).status_code == 200


def test_the_session_of_somebody_else_does_not_verify_an_account(newcomer, ada):
    secret = newcomer.secret(VERIFY)
    assert told(ada.post("verify-email", token=secret)) == (401, "INVALID_EMAIL_OR_PASSWORD")
    assert not newcomer.is_verified()


def test_guesses_at_the_password_with_a_link_count_as_those_at_the_sign_in(newcomer):
    secret = newcomer.secret(VERIFY)
    for _ in range(5):
        newcomer.asks("verify-email", token=secret, password="not the password")
    assert told(newcomer.asks("verify-email", token=secret, password=PASSWORD)) == (401, "INVALID_EMAIL_OR_PASSWORD")


def test_a_verification_is_asked_for_again_and_the_earlier_link_ceases_to_work(newcomer, monkeypatch):
    first = newcomer.secret(VERIFY)
    monkeypatch.setattr(outbox, "PAUSE", outbox.PAUSE * 0)
    assert newcomer.asks("verify-email/resend", email=newcomer.email).status_code == 202
    second = newcomer.secret(VERIFY)
    assert second != first
    assert told(newcomer.post("verify-email", token=first)) == INVALID
    assert newcomer.post("verify-email", token=second).status_code == 200


def test_nothing_is_sent_again_to_a_verified_address(ada, monkeypatch):
    monkeypatch.setattr(outbox, "PAUSE", outbox.PAUSE * 0)
    assert ada.asks("verify-email/resend", email=ada.email).status_code == 202
    assert ada.mails() == [VERIFY]


def test_where_addresses_must_be_verified_a_verified_one_lets_in(build):
    strict = build(require_email_verification=True)
    email = address()
    made = sign_up(visit(strict), email=email)
    assert made.json["token"] is None
    person = sign_up_person(strict, email=address())
    person.email = email
    assert person.sign_in().status_code == 403
    assert person.asks("verify-email", token=person.secret(VERIFY), password=PASSWORD).status_code == 200
    assert person.sign_in().status_code == 200


def test_a_banned_account_proves_nothing(newcomer):
    secret = newcomer.secret(VERIFY)
    newcomer.set(banned=True)
    assert told(newcomer.asks("verify-email", token=secret, password=PASSWORD)) == INVALID


def test_verifying_takes_nothing_away(newcomer):
    key = Actor(newcomer.app, newcomer.actor.post("/api/v1/auth/api-key", {"name": "mine"}).json["key"])
    assert newcomer.post("verify-email", token=newcomer.secret(VERIFY)).status_code == 200
    assert newcomer.is_signed_in()
    assert newcomer.sign_in().status_code == 200
    assert key.get(CONTACTS).status_code == 200
