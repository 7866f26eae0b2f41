"""Choosing a new password: by a link in a mail, and with the old one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.auth.accounts import proofs
from app.auth.models.identity import AuthAccount, AuthVerification
from app.foundation.clock import now
from app.mail import outbox
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.accounts.people import NEW_PASSWORD, PASSWORD, RESET, next_code, sign_up_person
from tests.auth.sign_in.visitors import CONTACTS, SAME_ORIGIN, address, visit

INVALID = (400, "INVALID_TOKEN")


def told(answer):
    return answer.status_code, answer.json["code"]


@pytest.fixture
def link(ada):
    """The secret of a link to choose a new password."""
    assert ada.asks("forgot-password", email=ada.email).json == {}
    return ada.secret(RESET)


def test_a_link_sets_a_new_password(ada, link):
    answer = ada.asks("reset-password", token=link, password=NEW_PASSWORD)
    assert (answer.status_code, answer.json) == (200, {})
    assert ada.sign_in(PASSWORD).status_code == 401
    assert ada.sign_in(NEW_PASSWORD).status_code == 200


def test_a_new_password_ends_every_session_and_is_told(ada, link):
    assert ada.is_signed_in()
    ada.asks("reset-password", token=link, password=NEW_PASSWORD)
    assert not ada.is_signed_in()
    assert ada.browser.get("/api/auth/session").json is None
    assert ada.mails()[-1] == "password-changed"


def test_a_reset_verifies_the_address(newcomer):
    newcomer.asks("forgot-password", email=newcomer.email)
    newcomer.asks("reset-password", token=newcomer.secret(RESET), password=NEW_PASSWORD)
    assert newcomer.is_verified()


@pytest.mark.parametrize("password", ["short", "x" * 129, "password1", "Rowgate2026!"])
def test_a_refused_password_leaves_the_link_good(ada, link, password):
    refused = ada.asks("reset-password", token=link, password=password)
    assert refused.status_code == 400
    assert refused.json["code"].startswith("PASSWORD_")
    assert "password" in refused.json["details"]["fields"]
    assert ada.is_signed_in()
    assert ada.asks("reset-password", token=link, password=NEW_PASSWORD).status_code == 200


def test_a_reset_uses_up_the_other_links_of_the_account(ada, link, monkeypatch):
    monkeypatch.setattr(outbox, "PAUSE", timedelta(0))
    ada.asks("forgot-password", email=ada.email)
    second = ada.secret(RESET)
    assert ada.asks("reset-password", token=second, password=NEW_PASSWORD).status_code == 200
    assert told(ada.asks("reset-password", token=link, password="another new one")) == INVALID


@pytest.mark.parametrize(("revoke", "status"), [(None, 200), (False, 200), (True, 401)])
def test_keys_go_with_a_reset_where_that_is_asked_for(ada, link, revoke, status):
    key = Actor(ada.app, ada.actor.post("/api/v1/auth/api-key", {"name": "mine"}).json["key"])
    more = {} if revoke is None else {"revokeKeys": revoke}
    assert ada.asks("reset-password", token=link, password=NEW_PASSWORD, **more).status_code == 200
    assert key.get(CONTACTS).status_code == status


def test_a_reset_leaves_the_second_factor_in_force(ada):
    secret = ada.add_factor()
    ada.asks("forgot-password", email=ada.email)
    assert ada.asks("reset-password", token=ada.secret(RESET), password=NEW_PASSWORD).status_code == 200
    asked = ada.sign_in(NEW_PASSWORD).json
    assert asked["twoFactorRequired"] is True
    assert "token" not in asked
    given = ada.asks("two-factor/challenge", challenge=asked["challenge"], code=next_code(secret))
    assert given.status_code == 200


def test_a_banned_account_gets_no_link_and_cannot_use_one(ada, link, monkeypatch):
    monkeypatch.setattr(outbox, "PAUSE", timedelta(0))
    ada.set(banned=True)
    assert told(ada.asks("reset-password", token=link, password=NEW_PASSWORD)) == INVALID
    before = len(ada.mails())
    assert ada.asks("forgot-password", email=ada.email).status_code == 202
    assert len(ada.mails()) == before


def test_an_account_made_by_an_admin_gets_a_link_to_choose_its_first_password(app, cast):
    email = address()
    made = cast.admin.post("/api/v1/auth/user", {"name": "New", "email": email})
    assert made.status_code == 201
    person = sign_up_person(app)
    person.email, person.id = email, made.json["id"]
    assert person.mails() == ["welcome"]
    assert person.asks("reset-password", token=person.secret("welcome"), password=NEW_PASSWORD).status_code == 200
    assert person.sign_in(NEW_PASSWORD).status_code == 200
    assert person.is_verified()


def test_changing_the_password_wants_the_old_one(ada):
    wrong = ada.post("change-password", currentPassword="not the password", newPassword=NEW_PASSWORD)
    assert told(wrong) == (401, "INVALID_EMAIL_OR_PASSWORD")
    missing = ada.post("change-password", newPassword=NEW_PASSWORD)
    assert told(missing) == (401, "INVALID_EMAIL_OR_PASSWORD")
    assert ada.sign_in(PASSWORD).status_code == 200


@pytest.mark.parametrize("elsewhere", [None, False, True])
def test_changing_the_password_gives_a_fresh_token_and_ends_other_sessions_where_asked(ada, elsewhere):
    other = ada.sign_in().json["token"]
    more = {} if elsewhere is None else {"revokeOtherSessions": elsewhere}
    answer = ada.post("change-password", currentPassword=PASSWORD, newPassword=NEW_PASSWORD, **more)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert not ada.is_signed_in()
    ada.token = answer.json["token"]
    assert ada.is_signed_in()
    assert ada.browser.get("/api/auth/session").json is not None
    ada.token = other
    assert ada.is_signed_in() is not bool(elsewhere)
    assert ada.sign_in(NEW_PASSWORD).status_code == 200
    assert "password-changed" in ada.mails()


def test_a_changed_password_makes_links_to_choose_one_worthless(ada, link):
    ada.post("change-password", currentPassword=PASSWORD, newPassword=NEW_PASSWORD)
    assert told(ada.asks("reset-password", token=link, password="another new one")) == INVALID


def test_a_refused_new_password_is_named_as_it_was_sent(ada):
    refused = ada.post("change-password", currentPassword=PASSWORD, newPassword="password1")
    assert told(refused) == (400, "PASSWORD_TOO_COMMON")
    assert set(refused.json["details"]["fields"]) == {"newPassword"}


def test_a_cookie_changes_the_password_from_our_own_pages_only(ada):
    body = {"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}
    assert ada.browser.post("/api/auth/change-password", json=body).status_code == 403
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert ada.browser.post("/api/auth/change-password", json=body, headers=foreign).status_code == 403
    assert ada.browser.post("/api/auth/change-password", json=body, headers=SAME_ORIGIN).status_code == 200


def test_an_account_without_a_password_gets_its_first_one_on_recent_proof(ada):
    with ada.app.app_context(), transaction() as session:
        account = session.scalar(select(AuthAccount).where(AuthAccount.user_id == ada.id))
        account.provider_id, account.issuer, account.password = "google", "https://accounts.google.com", None
    ada.grow_stale()
    assert told(ada.post("change-password", newPassword=NEW_PASSWORD)) == (403, "REAUTHENTICATION_REQUIRED")
    ada.grow_stale(minutes=0)
    assert ada.post("change-password", newPassword=NEW_PASSWORD).status_code == 200
    assert ada.sign_in(NEW_PASSWORD).status_code == 200


def test_links_are_stored_as_digests_bound_to_purpose_and_account(ada, link):
    with ada.app.app_context(), transaction() as session:
        own = (AuthVerification.user_id == ada.id, AuthVerification.purpose == proofs.RESET)
        row = session.scalar(select(AuthVerification).where(*own))
        stored = [row.value, row.identifier, row.context]
        assert timedelta(minutes=29) < row.expires_at - now() <= timedelta(minutes=30)
    assert len(link) == 43
    assert not any(link in each or ada.email in each for each in stored)


def test_a_reset_forgets_failed_sign_ins(ada, link):
    for _ in range(6):
        ada.sign_in("not the password")
    assert ada.sign_in().status_code == 401
    ada.asks("reset-password", token=link, password=NEW_PASSWORD)
    answer = visit(ada.app).post("/api/auth/signin", json={"email": ada.email, "password": NEW_PASSWORD})
    assert answer.status_code == 200
