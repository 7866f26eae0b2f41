"""Recent proof: how a session gets it, and that guesses at it are counted."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from app.auth.credentials import throttling
from app.foundation.clock import now
from app.testing.cast import Actor
from tests.auth.accounts.people import PASSWORD, next_code
from tests.auth.sign_in.visitors import address


def told(answer):
    return answer.status_code, answer.json["code"]


def test_the_password_proves_a_session_again(ada):
    ada.grow_stale()
    assert told(ada.post("change-email", email=address())) == (403, "REAUTHENTICATION_REQUIRED")
    answer = ada.post("reauthenticate", password=PASSWORD)
    proved = datetime.fromisoformat(answer.json["authenticatedAt"])
    assert timedelta(0) <= now() - proved < timedelta(minutes=1)
    assert ada.post("change-email", email=address()).status_code == 202


def test_a_code_proves_a_session_again_once(ada):
    secret = ada.add_factor()
    ada.grow_stale()
    code = next_code(secret)
    assert ada.post("reauthenticate", code=code).status_code == 200
    assert ada.post("change-email", email=address()).status_code == 202
    assert told(ada.post("reauthenticate", code=code)) == (401, "INVALID_CODE")


def test_one_session_is_proved_and_not_the_others(ada):
    other = Actor(ada.app, ada.sign_in().json["token"])
    ada.grow_stale()
    assert other.post("/api/auth/reauthenticate", {"password": PASSWORD}).status_code == 200
    assert told(ada.post("change-email", email=address())) == (403, "REAUTHENTICATION_REQUIRED")


@pytest.mark.parametrize("minutes", [9, 11])
def test_a_proof_is_recent_for_ten_minutes(ada, minutes):
    ada.grow_stale(minutes)
    assert ada.post("change-email", email=address()).status_code == (202 if minutes < 10 else 403)


def test_a_wrong_password_proves_nothing(ada):
    ada.grow_stale()
    assert told(ada.post("reauthenticate", password="not the password")) == (401, "INVALID_EMAIL_OR_PASSWORD")
    assert told(ada.post("reauthenticate", code="123456")) == (401, "INVALID_CODE")
    assert told(ada.post("account/delete")) == (403, "REAUTHENTICATION_REQUIRED")


def test_guesses_with_a_session_count_as_those_at_the_sign_in(ada, monkeypatch):
    monkeypatch.setattr(throttling, "FIRST", 300)
    for _ in range(5):
        ada.post("reauthenticate", password="not the password")
    assert told(ada.post("reauthenticate", password=PASSWORD)) == (401, "INVALID_EMAIL_OR_PASSWORD")
    assert ada.sign_in().status_code == 401


@pytest.mark.parametrize("body", [{}, {"password": PASSWORD, "code": "123456"}, {"password": None}, {"code": "1" * 41}])
def test_one_proof_is_sent(ada, body):
    assert told(ada.post("reauthenticate", **body)) == (400, "VALIDATION_ERROR")


def test_a_key_proves_nothing(ada):
    key = Actor(ada.app, ada.actor.post("/api/v1/auth/api-key", {"name": "mine", "scopes": ["write"]}).json["key"])
    assert key.post("/api/auth/reauthenticate", {"password": PASSWORD}).status_code == 403
