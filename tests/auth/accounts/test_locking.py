"""Guesses from elsewhere do not lock the owner of an account out of the devices it was used on."""

from __future__ import annotations

import pytest

from app.auth.credentials import throttling
from tests.auth.accounts.people import NEW_PASSWORD, PASSWORD, sign_up_person
from tests.auth.sign_in.visitors import SAME_ORIGIN, visit


@pytest.fixture(autouse=True)
def _slowly(monkeypatch):
    """A lock outlasts the test."""
    monkeypatch.setattr(throttling, "FIRST", 300)


def sign_in(client, email, password=PASSWORD):
    return client.post("/api/auth/signin", json={"email": email, "password": password}).status_code


def guess_from_elsewhere(person, times=6):
    for _ in range(times):
        assert sign_in(visit(person.app), person.email, "not the password") == 401


def test_the_owner_gets_in_from_a_known_device_while_the_account_is_locked(ada):
    guess_from_elsewhere(ada)
    assert sign_in(visit(ada.app), ada.email) == 401
    assert sign_in(ada.browser, ada.email) == 200


def test_the_owner_changes_the_password_from_a_known_device_while_the_account_is_locked(ada):
    guess_from_elsewhere(ada)
    body = {"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}
    assert ada.post("change-password", **body).status_code == 401
    assert ada.browser.post("/api/auth/change-password", json=body, headers=SAME_ORIGIN).status_code == 200


def test_a_known_device_does_not_unlock_the_account_elsewhere(ada):
    guess_from_elsewhere(ada)
    assert sign_in(ada.browser, ada.email) == 200
    assert sign_in(visit(ada.app), ada.email) == 401


def test_guesses_on_a_known_device_lock_that_device_and_nothing_else(ada):
    for _ in range(5):
        sign_in(ada.browser, ada.email, "not the password")
    assert sign_in(ada.browser, ada.email) == 401
    assert sign_in(visit(ada.app), ada.email) == 200


def test_a_device_is_known_to_the_accounts_that_were_used_on_it_and_to_no_other(app, ada):
    other = sign_up_person(app)
    guess_from_elsewhere(other)
    assert sign_in(ada.browser, other.email) == 401


def test_a_network_that_is_locked_keeps_no_known_device_out(app, ada):
    ada.browser.environ_base["REMOTE_ADDR"] = "198.51.100.7"
    stranger = visit(app)
    stranger.environ_base["REMOTE_ADDR"] = "198.51.100.7"
    for number in range(6):
        sign_in(stranger, f"nobody{number}@locking.example")
    assert sign_in(stranger, ada.email) == 401
    assert sign_in(ada.browser, ada.email) == 200


@pytest.mark.parametrize("cookie", ["", "x", "x" * 3000, "gAAAAAB" + "x" * 100])
def test_a_made_up_cookie_makes_no_device_known(ada, cookie):
    guess_from_elsewhere(ada)
    client = visit(ada.app)
    client.set_cookie("device", cookie)
    assert sign_in(client, ada.email) == 401


def test_the_cookie_of_a_device_is_for_the_server_alone_and_names_nobody(ada):
    cookie = ada.browser.get_cookie("device")
    assert cookie.http_only
    assert cookie.same_site == "Lax"
    assert ada.id not in cookie.value
    assert "@" not in cookie.value


def test_a_device_is_known_after_signing_out(ada):
    ada.browser.post("/api/auth/signout", headers=SAME_ORIGIN)
    guess_from_elsewhere(ada)
    assert sign_in(ada.browser, ada.email) == 200
