"""Passkeys beside codes: as both factors at once, or as the second one after a challenge."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from app.auth.models.identity import AuthUser
from app.testing.cast import Actor
from tests.auth.passkeys.authenticator import PRESENT, Authenticator, decoded
from tests.auth.passkeys.ceremonies import ask, creation, is_refused, keep, register, request, second, sign_in, verify
from tests.auth.sign_in.visitors import session_of, visit


def test_a_passkey_that_verified_its_user_counts_as_both_factors(both, device):
    opened = sign_in(both, device)
    assert opened.status_code == 200
    assert opened.json["token"]


def test_a_passkey_that_verified_nobody_is_one_factor(both, device):
    asked = sign_in(both, device, flags=PRESENT)
    assert set(asked.json) == {"twoFactorRequired", "challenge", "methods", "expiresAt"}
    assert not {"set-auth-token", "Set-Cookie"} & set(asked.headers.keys())
    opened = both.answer(asked.json["challenge"])
    assert opened.status_code == 200
    rows = Actor(both.app, opened.json["token"]).get("/api/v1/auth/session").json["data"]
    assert rows[0]["signInMethod"] == "passkey"


def test_a_passkey_that_was_the_first_factor_is_not_the_second_as_well(both, device):
    asked = sign_in(both, device, flags=PRESENT).json
    assert asked["methods"] == ["totp", "recovery"]
    assert is_refused(ask(both.client, challenge=asked["challenge"]))
    answer = device.get(request(both.client, challenge=both.challenge(visit(both.app))), flags=PRESENT)
    assert is_refused(verify(both.client, answer, challenge=asked["challenge"]))


def test_after_a_password_a_passkey_is_offered(both):
    assert both.sign_in().json["methods"] == ["totp", "recovery", "passkey"]


def test_the_account_of_a_challenge_is_asked_for_its_own_passkeys(both, other, device):
    further = Authenticator()
    register(both, further)
    register(other, Authenticator())
    listed = request(both.client, challenge=both.challenge())["allowCredentials"]
    own = {device.credentials[0].id, further.credentials[0].id}
    assert {decoded(each["id"]) for each in listed} == own


@pytest.mark.parametrize("flags", [PRESENT, PRESENT | 4], ids=["present", "verified"])
def test_a_passkey_answers_the_challenge(both, device, flags):
    browser = visit(both.app)
    opened = second(both, device, both.challenge(browser), browser, flags=flags)
    assert opened.status_code == 200
    assert session_of(browser)["user"]["email"] == both.email
    rows = Actor(both.app, opened.json["token"]).get("/api/v1/auth/session").json["data"]
    assert rows[0]["signInMethod"] == "password"


def test_a_challenge_is_answered_once(both, device):
    challenge = both.challenge()
    assert second(both, device, challenge).status_code == 200
    assert is_refused(both.answer(challenge))
    assert is_refused(ask(both.client, challenge=challenge))


def test_v12_twenty_right_answers_at_once_open_one_session(both, device):
    challenge = both.challenge()
    answer = device.get(request(both.client, challenge=challenge))
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: verify(visit(both.app), answer, challenge=challenge), range(20)))
    assert sorted(each.status_code for each in answers) == [200] + [401] * 19


def test_a_passkey_of_somebody_else_answers_no_challenge(both, other):
    stranger = Authenticator()
    register(other, stranger)
    challenge = both.challenge()
    options = request(both.client, challenge=challenge)
    assert is_refused(verify(both.client, stranger.get(options | {"allowCredentials": []}), challenge=challenge))
    foreign = stranger.get(request(both.client))
    assert is_refused(verify(both.client, foreign, challenge=challenge))


def test_an_answer_to_the_challenge_of_somebody_else_is_none(both, other):
    stranger = Authenticator()
    other.switch_on()
    register(other, stranger)
    answer = stranger.get(request(other.client, challenge=other.challenge()))
    assert is_refused(verify(both.client, answer, challenge=both.challenge()))


def test_what_was_to_be_registered_with_is_no_second_factor_and_the_other_way_round(both, device):
    challenge = both.challenge()
    asked, made = request(both.client, challenge=challenge), creation(both)
    assert keep(both, Authenticator().create(made | {"challenge": asked["challenge"]})).status_code == 400
    answer = device.get(asked | {"challenge": made["challenge"]})
    assert is_refused(verify(both.client, answer, challenge=challenge))


def test_an_answer_made_for_a_challenge_signs_nobody_in_without_it(both, device):
    answer = device.get(request(both.client, challenge=both.challenge()))
    assert is_refused(verify(both.client, answer))


def test_an_answer_made_without_a_challenge_answers_none(both, device):
    answer = device.get(request(both.client))
    assert is_refused(verify(both.client, answer, challenge=both.challenge()))


@pytest.mark.parametrize("challenge", ["x", "ä", "7Kc0" * 10])
def test_a_challenge_that_is_none_is_asked_about_in_vain(both, device, challenge):
    assert is_refused(ask(both.client, challenge=challenge))
    assert is_refused(verify(both.client, device.get(request(both.client)), challenge=challenge))


def test_v12_a_challenge_that_guesses_have_voided_takes_no_passkey(both, device):
    challenge = both.challenge()
    answer = device.get(request(both.client, challenge=challenge))
    for step in range(5, 10):
        both.answer(challenge, code=both.code(step))
    assert is_refused(verify(both.client, answer, challenge=challenge))


def test_v28_whoever_is_banned_in_between_does_not_get_in(both, device):
    challenge = both.challenge()
    answer = device.get(request(both.client, challenge=challenge))
    both.change(AuthUser, banned=True)
    assert is_refused(verify(both.client, answer, challenge=challenge))


def test_a_passkey_alone_asks_for_no_second_factor_after_a_password(owner):
    assert owner.sign_in().json["token"]
