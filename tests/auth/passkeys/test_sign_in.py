"""Signing in with a passkey alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import update

from app.auth.models.identity import AuthUser, AuthVerification
from app.foundation.clock import now
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.passkeys.authenticator import (
    BACKED_UP,
    ELIGIBLE,
    ORIGIN,
    PRESENT,
    VERIFIED,
    Authenticator,
    changed,
    decoded,
    encoded,
)
from tests.auth.passkeys.ceremonies import PASSKEY, creation, is_refused, keep, register, request, sign_in, verify
from tests.auth.sign_in.visitors import SAME_ORIGIN, cookie_of, session_of, visit


def test_whoever_it_is_is_asked_without_a_list_of_passkeys(owner):
    asked = visit(owner.app).post(f"{PASSKEY}/sign-in/options", json={}, headers=SAME_ORIGIN)
    assert asked.headers["Cache-Control"] == "no-store"
    assert asked.json["rpId"] == "localhost"
    assert not asked.json.get("allowCredentials")
    assert len(decoded(asked.json["challenge"])) >= 32


def test_a_passkey_signs_its_owner_in(owner, device):
    browser = visit(owner.app)
    opened = sign_in(owner, device, browser)
    assert (opened.status_code, set(opened.json)) == (200, {"redirect", "token", "user"})
    assert opened.headers["set-auth-token"] == opened.json["token"]
    assert opened.headers["Cache-Control"] == "no-store"
    assert session_of(browser)["user"]["email"] == owner.email
    rows = Actor(owner.app, opened.json["token"]).get("/api/v1/auth/session").json["data"]
    assert rows[0]["signInMethod"] == "passkey"


def test_the_list_says_when_a_passkey_was_used(owner, device):
    assert owner.get(PASSKEY).json["data"][0]["lastUsedAt"] is None
    sign_in(owner, device)
    assert owner.get(PASSKEY).json["data"][0]["lastUsedAt"] is not None


def test_the_list_says_when_a_passkey_began_to_be_backed_up(person):
    device = Authenticator(flags=PRESENT | VERIFIED | ELIGIBLE)
    register(person, device)
    assert person.get(PASSKEY).json["data"][0]["backedUp"] is False
    sign_in(person, device, flags=PRESENT | VERIFIED | ELIGIBLE | BACKED_UP)
    assert person.get(PASSKEY).json["data"][0]["backedUp"] is True


def test_a_session_that_is_not_to_be_remembered_ends_with_the_browser(owner, device):
    browser = visit(owner.app)
    verify(browser, device.get(request(browser)), rememberMe=False)
    assert cookie_of(browser).max_age is None


def test_of_several_passkeys_each_signs_its_own_person_in(owner, other, device):
    register(other, device)
    for credential, person in zip(device.credentials, (owner, other), strict=True):
        assert sign_in(person, device, credential=credential).json["user"]["email"] == person.email


def test_an_authenticator_that_verifies_nobody_is_enough_for_an_account_without_codes(owner, device):
    assert sign_in(owner, device, flags=PRESENT).json["token"]


def test_v12_twenty_right_answers_at_once_open_one_session(owner, device):
    answer = device.get(request(visit(owner.app)))
    visitors = [visit(owner.app) for _ in range(20)]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda visitor: verify(visitor, answer), visitors))
    assert sorted(each.status_code for each in answers) == [200] + [401] * 19
    assert len([each for each in visitors if session_of(each)]) == 1


def test_an_answer_works_once(owner, device):
    browser = visit(owner.app)
    answer = device.get(request(browser))
    assert verify(browser, answer).status_code == 200
    assert is_refused(verify(browser, answer))


def test_a_challenge_takes_one_answer_even_from_an_authenticator_that_does_not_count(person):
    device = Authenticator(counts=False)
    register(person, device)
    options = request(person.client)
    assert verify(person.client, device.get(options)).status_code == 200
    assert is_refused(verify(person.client, device.get(options)))


def test_a_refused_answer_uses_its_challenge_up(owner, device):
    options = request(owner.client)
    assert is_refused(verify(owner.client, device.get(options, signature=b"x")))
    assert is_refused(verify(owner.client, device.get(options)))


def test_a_challenge_is_over_after_five_minutes(owner, device, app):
    options = request(owner.client)
    with app.app_context(), transaction() as session:
        ours = AuthVerification.purpose == "passkey_challenge"
        session.execute(update(AuthVerification).where(ours).values(expires_at=now() - timedelta(seconds=1)))
    assert is_refused(verify(owner.client, device.get(options)))


def test_a_challenge_of_a_registration_signs_nobody_in(owner, device):
    options = request(owner.client) | {"challenge": creation(owner)["challenge"]}
    assert is_refused(verify(owner.client, device.get(options)))


WRONG = {
    "another origin": {"client_data": {"origin": "https://evil.example"}},
    "an origin below ours": {"client_data": {"origin": f"{ORIGIN}.evil.example"}},
    "another port": {"client_data": {"origin": "http://localhost:3002"}},
    "another scheme": {"client_data": {"origin": "https://localhost:3001"}},
    "no origin": {"client_data": {"origin": None}},
    "another relying party": {"rp_id": "evil.example"},
    "another challenge": {"client_data": {"challenge": encoded(b"x" * 32)}},
    "no challenge": {"client_data": {"challenge": ""}},
    "a challenge that is none": {"client_data": {"challenge": {"a": 1}}},
    "a challenge that is not ASCII": {"client_data": {"challenge": "ä\U0001f511"}},
    "the other ceremony": {"client_data": {"type": "webauthn.create"}},
    "nobody there": {"flags": VERIFIED},
    "backed up but not eligible": {"flags": PRESENT | VERIFIED | BACKED_UP},
    "another signature": {"signature": b"0E\x02 " + b"x" * 67},
    "no signature": {"signature": b""},
    "the handle of somebody else": {"user_handle": b"x" * 16},
}


@pytest.mark.parametrize("why", WRONG)
def test_an_answer_that_is_wrong_signs_nobody_in(owner, device, why):
    browser = visit(owner.app)
    assert is_refused(sign_in(owner, device, browser, **WRONG[why]))
    assert session_of(browser) is None


@pytest.mark.parametrize("part", ["clientDataJSON", "authenticatorData", "signature"])
def test_an_answer_that_was_tampered_with_signs_nobody_in(owner, device, part):
    answer = device.get(request(owner.client))
    content = bytearray(decoded(answer["response"][part]))
    content[-2] ^= 1
    assert is_refused(verify(owner.client, changed(answer, **{part: encoded(bytes(content))})))


def test_raising_the_flags_of_an_answer_breaks_its_signature(owner, device):
    answer = device.get(request(owner.client), flags=PRESENT)
    content = bytearray(decoded(answer["response"]["authenticatorData"]))
    content[32] |= VERIFIED
    assert is_refused(verify(owner.client, changed(answer, authenticatorData=encoded(bytes(content)))))


def test_a_key_that_is_not_registered_signs_nobody_in(owner, person, device):
    stranger = Authenticator()
    stranger.create(creation(person))
    assert is_refused(sign_in(person, stranger))


def test_the_key_of_one_passkey_does_not_answer_for_another(owner, other, device):
    attacker = Authenticator()
    register(other, attacker)
    attacker.credentials[0].id = device.credentials[0].id
    assert is_refused(sign_in(owner, attacker))


def test_v28_a_banned_owner_gets_the_answer_of_everybody(owner, device):
    owner.change(AuthUser, banned=True)
    assert is_refused(sign_in(owner, device))


def test_where_addresses_must_be_verified_only_who_has_the_key_learns_that_it_is_not(owner, device, build):
    strict = build(require_email_verification=True)
    owner.change(AuthUser, email_verified=False)
    browser = visit(strict)
    assert verify(browser, device.get(request(browser))).status_code == 403
    assert is_refused(verify(browser, device.get(request(browser), signature=b"x")))


def test_another_site_cannot_sign_somebody_in(owner, device, build):
    strict = visit(build(cors_origins="https://app.example.com"))
    body = {"response": device.get(request(strict))}
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert strict.post(f"{PASSKEY}/sign-in/verify", json=body, headers=foreign).status_code == 403


def test_further_origins_are_named_in_the_settings(person, build):
    native = "android:apk-key-hash:2jmj7l5rSw0yVb_vlWAYkK_YBwk"
    settings = {"base_url": "https://api.example.test", "passkey_origins": f"https://app.example.test, {native}"}
    named = build(**settings)
    person.client.application = person.app = named
    for origin in ("https://api.example.test", "https://app.example.test", native):
        device = Authenticator(origin)
        register(person, device)
        assert sign_in(person, device).status_code == 200
    foreign = Authenticator("https://other.example.test")
    assert keep(person, foreign.create(creation(person))).status_code == 400


@pytest.mark.parametrize("base_url", ["https://API.example.test", "https://api.example.test:443"])
def test_origin_and_relying_party_are_written_as_browsers_do(person, build, base_url):
    person.client.application = person.app = build(base_url=base_url)
    device = Authenticator("https://api.example.test")
    assert creation(person)["rp"]["id"] == "api.example.test"
    register(person, device)
    assert sign_in(person, device).status_code == 200
