"""Switching the second factor on and off."""

from __future__ import annotations

import pyotp
import pytest
from sqlalchemy import select

from app.auth.models.identity import AuthPasskey, AuthUser
from app.auth.sign_in.two_factor import enrolment
from app.testing.cast import Actor
from app.testing.database import transaction, unit_of_work
from tests.auth.people import TWO_FACTOR, join
from tests.auth.sign_in.visitors import PASSWORD, session_of, visit

LISTED = "/api/v1/auth/two-factor"


def test_enrolling_shows_a_secret_once_as_text_address_and_picture(person):
    enrolled = person.post(f"{TWO_FACTOR}/enroll")
    assert (enrolled.status_code, set(enrolled.json)) == (200, {"id", "secret", "uri", "qrSvg"})
    assert enrolled.headers["Cache-Control"] == "no-store"
    read = pyotp.parse_uri(enrolled.json["uri"])
    assert (read.secret, read.name, read.issuer) == (enrolled.json["secret"], person.email, "Rowgate")
    assert len(read.byte_secret()) >= 20
    assert enrolled.json["qrSvg"].startswith("<svg ")
    assert "script" not in enrolled.json["qrSvg"]


@pytest.mark.parametrize("route", ["enroll", "recovery-codes"])
def test_setting_factors_up_wants_recent_proof(ada, route):
    ada.wait()
    refused = ada.post(f"{TWO_FACTOR}/{route}")
    assert (refused.status_code, refused.json["code"]) == (403, "REAUTHENTICATION_REQUIRED")
    assert ada.post("/api/auth/reauthenticate", {"password": PASSWORD}).status_code == 200
    assert ada.post(f"{TWO_FACTOR}/{route}").status_code == (409 if route == "enroll" else 200)


def test_a_second_enrolment_replaces_one_that_was_not_confirmed(person):
    first, second = (person.post(f"{TWO_FACTOR}/enroll").json for _ in range(2))
    person.secret = first["secret"]
    assert person.post(f"{TWO_FACTOR}/confirm", {"code": person.code()}).status_code == 401
    person.secret = second["secret"]
    assert person.post(f"{TWO_FACTOR}/confirm", {"code": person.code()}).status_code == 200
    assert [row["id"] for row in person.get(LISTED).json["data"]] == [second["id"]]


def test_a_factor_that_is_on_is_not_replaced_by_enrolling(ada):
    assert ada.post(f"{TWO_FACTOR}/enroll").status_code == 409
    assert ada.post(f"{TWO_FACTOR}/confirm", {"code": ada.code()}).status_code == 404


def test_nothing_is_asked_for_before_the_first_code(person):
    person.post(f"{TWO_FACTOR}/enroll")
    assert person.sign_in().json["token"]


def test_a_wrong_first_code_switches_nothing_on(person):
    person.secret = person.post(f"{TWO_FACTOR}/enroll").json["secret"]
    refused = person.post(f"{TWO_FACTOR}/confirm", {"code": person.wrong_code()})
    assert (refused.status_code, refused.json["code"]) == (401, "INVALID_CODE")
    assert person.get(LISTED).json["data"][0]["verified"] is False
    assert person.sign_in().json["token"]


def test_confirming_gives_ten_codes_and_tells_the_owner(person):
    person.secret = person.post(f"{TWO_FACTOR}/enroll").json["secret"]
    confirmed = person.post(f"{TWO_FACTOR}/confirm", {"code": person.code()})
    assert confirmed.headers["Cache-Control"] == "no-store"
    assert len(set(confirmed.json["recoveryCodes"])) == 10
    assert person.get(LISTED).json["data"][0]["verified"] is True
    assert person.get(f"/api/v1/auth/user/{person.id}").json["twoFactorEnabled"] is True
    assert "asks for a code" in person.mails("factors-changed")[0]


def test_confirming_ends_the_other_sessions_and_keeps_this_one(person):
    elsewhere = visit(person.app)
    other = Actor(person.app, person.sign_in(elsewhere).json["token"])
    person.switch_on()
    assert other.get(LISTED).status_code == 401
    assert session_of(elsewhere) is None
    assert person.get(LISTED).status_code == 200


def test_new_recovery_codes_replace_the_earlier_ones(ada):
    renewed = ada.post(f"{TWO_FACTOR}/recovery-codes")
    assert renewed.headers["Cache-Control"] == "no-store"
    assert len(set(renewed.json["recoveryCodes"]) - set(ada.recovery)) == 10
    assert ada.answer(ada.challenge(), recoveryCode=ada.recovery[0]).status_code == 401
    assert ada.answer(ada.challenge(), recoveryCode=renewed.json["recoveryCodes"][0]).status_code == 200
    assert "recovery codes" in ada.mails("factors-changed")[-1]


@pytest.mark.parametrize("given", [{}, {"password": "not the password"}], ids=["none", "wrong"])
def test_switching_off_wants_the_password(ada, given):
    refused = ada.post(f"{TWO_FACTOR}/disable", {"code": ada.code()} | given)
    assert (refused.status_code, refused.json["code"]) == (401, "INVALID_EMAIL_OR_PASSWORD")
    assert ada.challenge()


def test_switching_off_wants_a_code(ada):
    refused = ada.post(f"{TWO_FACTOR}/disable", {"password": PASSWORD, "code": ada.wrong_code()})
    assert (refused.status_code, refused.json["code"]) == (401, "INVALID_CODE")
    assert ada.post(f"{TWO_FACTOR}/disable", {"password": PASSWORD}).status_code == 400
    assert ada.challenge()


@pytest.mark.parametrize("kind", ["timed", "recovery"])
def test_with_password_and_a_code_of_either_kind_it_is_off(ada, kind):
    code = ada.code() if kind == "timed" else ada.recovery[3].upper()
    assert ada.post(f"{TWO_FACTOR}/disable", {"password": PASSWORD, "code": code}).status_code == 200
    assert ada.sign_in().json["token"]
    assert ada.get(f"/api/v1/auth/user/{ada.id}").json["twoFactorEnabled"] is False
    assert ada.get(LISTED).json["data"] == []
    assert "no longer asks for a code" in ada.mails("factors-changed")[-1]


def test_an_account_without_a_password_switches_off_on_recent_proof_and_a_code(app, clock, cast):
    actor = cast.user()
    person = join(app, clock)
    person.id, person.token = str(actor.user_id), actor.token
    person.switch_on()
    person.wait()
    refused = person.post(f"{TWO_FACTOR}/disable", {"code": person.code()})
    assert (refused.status_code, refused.json["code"]) == (403, "REAUTHENTICATION_REQUIRED")
    person.wait(minutes=0)
    assert person.post(f"{TWO_FACTOR}/disable", {"code": person.code()}).status_code == 200


@pytest.mark.parametrize("route", ["disable", "recovery-codes", "confirm"])
def test_without_a_factor_there_is_nothing_to_change(person, route):
    body = {"disable": {"password": PASSWORD, "code": "123456"}, "confirm": {"code": "123456"}}.get(route, {})
    assert person.post(f"{TWO_FACTOR}/{route}", body).status_code == 404


def test_a_reset_by_whoever_runs_the_service_takes_factors_passkeys_and_sessions_away(ada):
    ada.trust()
    with ada.app.app_context(), unit_of_work() as unit:
        passkey = {"public_key": "x", "credential_id": f"reset-{ada.id}", "device_type": "single_device"}
        unit.session.add(AuthPasskey(user_id=ada.id, name="Key", **passkey))
        enrolment.reset(unit, unit.session.get_one(AuthUser, ada.id))
    assert ada.get(LISTED).status_code == 401
    ada.token = ada.sign_in(visit(ada.app)).json["token"]
    for listed in (LISTED, "/api/v1/auth/passkey", f"{TWO_FACTOR}/devices"):
        assert ada.get(listed).json["data"] == []
    assert "removed the second factors" in ada.mails("factors-changed")[-1]


def test_a_reset_is_audited_with_what_went(ada, cast):
    factor = ada.factor()
    with ada.app.app_context(), unit_of_work() as unit:
        enrolment.reset(unit, unit.session.get_one(AuthUser, ada.id))
    for target, action in ((ada.id, "auth.user.reset_factors"), (str(factor.id), "auth.two_factor.delete")):
        log = cast.admin.get("/api/v1/platform/audit-log", query_string={"targetId": target}).json["data"]
        assert [row["actorType"] for row in log if row["action"] == action] == ["system"]


@pytest.mark.parametrize("segment", ["two-factor", "passkey"])
@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH", "DELETE"])
def test_the_generic_routes_of_factors_are_for_reading(ada, segment, verb):
    collection = f"/api/v1/auth/{segment}"
    path = collection if verb == "POST" else f"{collection}/{ada.get(LISTED).json['data'][0]['id']}"
    assert ada.send(verb, path, {"verified": False}).status_code == 405


def test_an_impersonating_admin_sets_no_factor_up(person, cast):
    token = cast.user(role="admin").post("/api/auth/impersonate", {"userId": person.id}).json["token"]
    assert Actor(person.app, token).post(f"{TWO_FACTOR}/enroll").status_code == 403
    with person.app.app_context(), transaction() as session:
        assert session.scalar(select(AuthUser.two_factor_enabled).where(AuthUser.id == person.id)) is False
