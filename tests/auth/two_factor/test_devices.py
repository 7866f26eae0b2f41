"""Trusted devices: where no second factor is asked for, for whom, and until when."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from app.auth.accounts import users
from app.auth.models.identity import AuthTrustedDevice, AuthUser
from app.foundation.clock import now
from app.testing.database import unit_of_work
from tests.auth.people import CHALLENGE, TWO_FACTOR, join
from tests.auth.sign_in.visitors import PASSWORD, SAME_ORIGIN, visit

DEVICES = f"{TWO_FACTOR}/devices"


def is_asked(person, client=None, **given):
    return "challenge" in person.sign_in(client, **given).json


def test_a_trusted_device_is_not_asked_again(ada):
    ada.trust()
    signed_in = ada.sign_in()
    assert signed_in.json["token"] == signed_in.headers["set-auth-token"]


def test_a_device_is_asked_again_unless_it_was_to_be_trusted(ada):
    assert ada.answer(ada.challenge()).status_code == 200
    assert is_asked(ada)
    assert ada.get(DEVICES).json["data"] == []


def test_a_wrong_code_makes_no_device_trusted(ada):
    assert ada.answer(ada.challenge(), code=ada.wrong_code(), trustDevice=True).status_code == 401
    assert ada.get(DEVICES).json["data"] == []


def test_trusted_devices_are_listed_without_what_they_are_known_by(ada):
    ada.trust()
    (device,) = ada.get(DEVICES).json["data"]
    assert set(device) == {"id", "ipAddress", "userAgent", "lastUsedAt", "expiresAt", "createdAt"}
    assert device["ipAddress"] == ada.client.environ_base["REMOTE_ADDR"]
    lasts = datetime.fromisoformat(device["expiresAt"]) - now()
    assert timedelta(days=29, hours=23) < lasts <= timedelta(days=30)


def test_trust_ends_after_thirty_days(ada):
    ada.trust()
    ada.change(AuthTrustedDevice, expires_at=now() - timedelta(seconds=1))
    assert is_asked(ada)
    assert ada.get(DEVICES).json["data"] == []


def test_use_does_not_lengthen_trust(ada):
    ada.trust()
    before = ada.get(DEVICES).json["data"][0]
    assert not is_asked(ada)
    assert ada.get(DEVICES).json["data"][0]["expiresAt"] == before["expiresAt"]


def test_a_device_that_is_taken_off_the_list_is_asked_again(ada):
    ada.trust()
    path = f"{DEVICES}/{ada.get(DEVICES).json['data'][0]['id']}"
    assert ada.send("DELETE", path).json["deleted"] is True
    assert ada.send("DELETE", path).status_code == 404
    assert is_asked(ada)


def test_v16_nobody_takes_a_device_of_somebody_else_off_the_list(ada, app, clock):
    ada.trust()
    path = f"{DEVICES}/{ada.get(DEVICES).json['data'][0]['id']}"
    other = join(app, clock)
    unknown = other.send("DELETE", f"{DEVICES}/01a1fedd-47f3-7536-a333-810773c4a6d4")
    foreign = other.send("DELETE", path)
    assert (foreign.status_code, foreign.json) == (404, unknown.json)
    assert other.get(DEVICES).json["data"] == []
    assert not is_asked(ada)


def test_another_browser_is_asked(ada):
    ada.trust()
    assert is_asked(ada, visit(ada.app))


def test_another_account_in_the_same_browser_is_asked(ada, app, clock):
    ada.trust()
    bob = join(app, clock)
    bob.client = ada.client
    bob.switch_on()
    assert is_asked(bob)
    assert bob.answer(bob.challenge()).status_code == 200
    assert is_asked(bob)
    assert not is_asked(ada)


def test_two_accounts_may_both_trust_one_browser(ada, app, clock):
    ada.trust()
    bob = join(app, clock)
    bob.client = ada.client
    bob.switch_on()
    bob.trust()
    assert not is_asked(ada)
    assert not is_asked(bob)


def test_signing_out_keeps_the_trust(ada):
    ada.trust()
    assert ada.client.post("/api/auth/signout", headers=SAME_ORIGIN).status_code == 200
    assert not is_asked(ada)


def test_a_made_up_cookie_is_no_trusted_device(ada):
    ada.trust()
    forger = visit(ada.app)
    forger.set_cookie("device", ada.client.get_cookie("device").value[:-8] + "AAAAAAA=")
    assert is_asked(ada, forger)


def reset(person):
    person.reset_password("another fine password")


def change_elsewhere(person):
    elsewhere = visit(person.app)
    token = person.answer(person.challenge(elsewhere), elsewhere).json["token"]
    body = {"currentPassword": PASSWORD, "newPassword": "another fine password", "revokeOtherSessions": True}
    headers = {"Authorization": f"Bearer {token}"}
    assert elsewhere.post("/api/auth/change-password", json=body, headers=headers).status_code == 200


def make_anew(person):
    assert person.post(f"{TWO_FACTOR}/disable", {"password": PASSWORD, "code": person.code()}).status_code == 200
    person.switch_on()


def set_by_the_operator(person):
    with person.app.app_context(), unit_of_work() as unit:
        users.set_password(unit, unit.session.get_one(AuthUser, person.id), "another fine password")


@pytest.mark.parametrize(
    ("act", "password"),
    [
        (reset, "another fine password"),
        (change_elsewhere, "another fine password"),
        (set_by_the_operator, "another fine password"),
        (make_anew, PASSWORD),
    ],
    ids=["reset", "change elsewhere", "a password by the operator", "another factor"],
)
def test_trust_is_gone_after(ada, act, password):
    ada.trust()
    act(ada)
    assert is_asked(ada, password=password)


def test_a_change_of_password_that_ends_no_other_session_keeps_the_trust(ada):
    ada.trust()
    change = {"currentPassword": PASSWORD, "newPassword": "another fine password"}
    assert ada.post("/api/auth/change-password", change).status_code == 200
    assert not is_asked(ada, password="another fine password")


def test_without_a_cookie_there_is_no_device_to_trust(ada, build):
    admitting = build(cors_origins="https://app.example.com")
    page = visit(admitting)
    headers = {"Origin": "https://app.example.com", "Sec-Fetch-Site": "cross-site"}
    sign_in = {"email": ada.email, "password": PASSWORD}
    challenge = page.post("/api/auth/signin", json=sign_in, headers=headers).json["challenge"]
    body = {"challenge": challenge, "code": ada.code(), "trustDevice": True}
    opened = page.post(CHALLENGE, json=body, headers=headers)
    assert opened.json["token"]
    assert "Set-Cookie" not in opened.headers
    assert ada.get(DEVICES).json["data"] == []
