"""Between the password and the code: the question, and how it may be answered."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import delete, func, select

from app.auth.accounts import proofs, users
from app.auth.models.identity import AuthSession, AuthTwoFactor, AuthUser, AuthVerification
from app.foundation.clock import now
from app.testing.cast import Actor
from app.testing.database import transaction, unit_of_work
from app.testing.waiting import work
from tests.auth.people import CHALLENGE, SECRET_OF_LINK, TWO_FACTOR, join
from tests.auth.sign_in.visitors import PASSWORD, SAME_ORIGIN, cookie_of, session_of, visit

SOME_ID = "01a1fedd-47f3-7536-a333-810773c4a6d4"


def sessions_of(person):
    with person.app.app_context(), transaction() as session:
        return session.scalar(select(func.count()).select_from(AuthSession).where(AuthSession.user_id == person.id))


def attempts(person):
    """What was counted on the challenges of a person."""
    own = (AuthVerification.user_id == person.id, AuthVerification.purpose == proofs.CHALLENGE)
    with person.app.app_context(), transaction() as session:
        return list(session.scalars(select(AuthVerification.attempts).where(*own)))


def refused(answer):
    return answer.status_code == 401 and answer.json["code"] == "INVALID_CODE" and "Set-Cookie" not in answer.headers


def test_the_right_password_is_answered_with_the_question_and_nothing_else(ada):
    stranger, before = visit(ada.app), sessions_of(ada)
    asked = ada.sign_in(stranger)
    assert asked.status_code == 200
    assert set(asked.json) == {"twoFactorRequired", "challenge", "methods", "expiresAt"}
    assert asked.json["twoFactorRequired"] is True
    assert asked.json["methods"] == ["totp", "recovery"]
    over = datetime.fromisoformat(asked.json["expiresAt"]) - now()
    assert timedelta(minutes=9) < over <= timedelta(minutes=10)
    assert asked.headers["Cache-Control"] == "no-store"
    assert not {"set-auth-token", "Set-Cookie"} & set(asked.headers.keys())
    assert sessions_of(ada) == before


def test_a_wrong_password_is_not_told_that_there_is_a_second_factor(ada, person, app, clock):
    other = join(app, clock)
    answers = [each.sign_in(password="not the password") for each in (ada, other)]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].json == answers[1].json


def test_with_the_code_somebody_is_signed_in_as_by_a_password_alone(ada):
    elsewhere = visit(ada.app)
    opened = ada.answer(ada.challenge(elsewhere), elsewhere)
    assert (opened.status_code, set(opened.json)) == (200, {"redirect", "token", "user"})
    assert opened.headers["set-auth-token"] == opened.json["token"]
    assert session_of(elsewhere)["user"]["email"] == ada.email
    rows = Actor(ada.app, opened.json["token"]).get("/api/v1/auth/session").json["data"]
    assert {row["signInMethod"] for row in rows} == {"password"}


def test_a_session_that_is_not_to_be_remembered_ends_with_the_browser(ada):
    elsewhere = visit(ada.app)
    ada.answer(ada.challenge(elsewhere), elsewhere, code=ada.code(), rememberMe=False)
    assert cookie_of(elsewhere).max_age is None


def closed_routes(app):
    """Every route and verb that wants somebody to be signed in."""
    rules = [(rule, app.view_functions[rule.endpoint].access) for rule in app.url_map.iter_rules()]
    return [
        (method, re.sub(r"<[^>]*>", SOME_ID, rule.rule))
        for rule, access in rules
        for method in sorted(rule.methods - {"OPTIONS"})
        if not access.open and not access.optional
    ]


def test_v10_between_password_and_code_every_protected_route_says_401(ada):
    stranger = visit(ada.app)
    presented = {"Authorization": f"Bearer {ada.challenge(stranger)}"}
    routes = closed_routes(ada.app)
    assert len(routes) > 300
    for headers in (SAME_ORIGIN, SAME_ORIGIN | presented):
        statuses = {route: stranger.open(route[1], method=route[0], headers=headers).status_code for route in routes}
        assert statuses == dict.fromkeys(routes, 401)
    assert session_of(stranger) is None


def test_v10_no_key_is_made_with_a_challenge(ada):
    stranger = visit(ada.app)
    presented = {"Authorization": f"Bearer {ada.challenge(stranger)}"}
    assert stranger.post("/api/v1/auth/api-key", json={"name": "k"}, headers=presented).status_code == 401


@pytest.mark.parametrize("challenge", ["x", "7Kc0" * 10, "ä\U0001f511", "x" * 200])
def test_a_challenge_that_is_none_is_refused_as_a_wrong_code_is(ada, challenge):
    wrong = ada.answer(ada.challenge(), code=ada.wrong_code())
    assert refused(wrong)
    assert ada.answer(challenge).json == wrong.json


@pytest.mark.parametrize("codes", [{}, {"code": "123456", "recoveryCode": "4f7k2m9q1x"}, {"code": None}, {"code": ""}])
def test_a_challenge_is_answered_with_one_code(ada, codes):
    body = {"challenge": ada.challenge()} | codes
    assert ada.client.post(CHALLENGE, json=body, headers=SAME_ORIGIN).status_code == 400


def test_a_challenge_opens_one_session(ada):
    challenge = ada.challenge()
    assert ada.answer(challenge).status_code == 200
    ada.clock.forward()
    assert refused(ada.answer(challenge))


def test_v12_after_five_wrong_codes_the_right_one_is_refused(ada):
    challenge = ada.challenge()
    assert all(refused(ada.answer(challenge, code=ada.code(step))) for step in range(5, 10))
    assert refused(ada.answer(challenge))
    assert ada.answer(ada.challenge()).status_code == 200


def test_four_wrong_codes_leave_the_challenge_good(ada):
    challenge = ada.challenge()
    assert all(refused(ada.answer(challenge, code=ada.code(step))) for step in range(5, 9))
    assert ada.answer(challenge).status_code == 200


def test_v12_wrong_recovery_codes_count_as_well(ada):
    challenge = ada.challenge()
    assert all(refused(ada.answer(challenge, recoveryCode=f"wrong{number}")) for number in range(5))
    assert refused(ada.answer(challenge, recoveryCode=ada.recovery[0]))


def guess_ten_times(person):
    for _ in range(2):
        challenge = person.challenge()
        for step in range(5, 10):
            assert refused(person.answer(challenge, code=person.code(step)))


def test_v12_after_ten_wrong_codes_none_is_heard_for_an_hour(ada):
    guess_ten_times(ada)
    for given in ({"code": ada.code()}, {"recoveryCode": ada.recovery[0]}):
        answer = ada.answer(ada.challenge(), **given)
        assert answer.status_code == 429
        assert 3500 < int(answer.headers["Retry-After"]) <= 3601


def test_when_the_hour_is_over_codes_are_heard_again(ada):
    guess_ten_times(ada)
    ada.change(AuthTwoFactor, locked_until=now() - timedelta(seconds=1))
    assert ada.answer(ada.challenge()).status_code == 200


def test_guesses_in_a_session_count_with_those_at_the_sign_in(ada):
    for step in range(5, 15):
        assert ada.post("/api/auth/reauthenticate", {"code": ada.code(step)}).status_code == 401
    assert ada.post("/api/auth/reauthenticate", {"code": ada.code()}).status_code == 429
    assert ada.post(f"{TWO_FACTOR}/disable", {"password": PASSWORD, "code": ada.code()}).status_code == 429
    assert ada.answer(ada.challenge()).status_code == 429


def test_v12_twenty_right_codes_at_once_open_one_session(ada):
    challenge, before = ada.challenge(), sessions_of(ada)
    visitors = [visit(ada.app) for _ in range(20)]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda visitor: ada.answer(challenge, visitor), visitors))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 19
    assert sessions_of(ada) == before + 1


def test_v12_the_same_code_for_several_challenges_at_once_opens_one_session(ada):
    visitors = [visit(ada.app) for _ in range(8)]
    challenges = [ada.challenge(visitor) for visitor in visitors]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ada.answer, challenges, visitors))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 7


def test_v12_of_twenty_wrong_codes_at_once_five_are_heard(ada):
    challenge = ada.challenge()
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda step: ada.answer(challenge, visit(ada.app), code=ada.code(step)), range(5, 25)))
    assert all(refused(answer) for answer in answers)
    assert ada.factor().failed_verification_count == 5
    assert attempts(ada) == []


def test_a_challenge_is_over_after_ten_minutes(ada):
    challenge = ada.challenge()
    ada.change(AuthVerification, expires_at=now() - timedelta(seconds=1))
    assert refused(ada.answer(challenge))


def test_a_challenge_is_for_its_own_account(ada, app, clock):
    bob = join(app, clock)
    bob.switch_on()
    assert refused(ada.answer(bob.challenge(), code=ada.code()))


def test_v28_whoever_is_banned_in_between_does_not_get_in(ada):
    challenge = ada.challenge()
    ada.change(AuthUser, banned=True)
    assert refused(ada.answer(challenge))
    ada.change(AuthUser, banned=False)
    assert ada.answer(challenge).status_code == 200


def test_v28_whoever_is_deleted_in_between_does_not_get_in(ada):
    challenge = ada.challenge()
    with ada.app.app_context(), transaction() as session:
        session.execute(delete(AuthUser).where(AuthUser.id == ada.id))
    assert refused(ada.answer(challenge))


def test_a_new_password_voids_the_challenges_of_the_old_one(ada):
    challenge = ada.challenge()
    change = {"currentPassword": PASSWORD, "newPassword": "another fine password"}
    assert ada.post("/api/auth/change-password", change).status_code == 200
    assert refused(ada.answer(challenge))


def test_a_password_that_the_operator_sets_voids_the_challenges_of_the_old_one(ada):
    challenge = ada.challenge()
    with ada.app.app_context(), unit_of_work() as unit:
        users.set_password(unit, unit.session.get_one(AuthUser, ada.id), "another fine password")
    assert refused(ada.answer(challenge))


def test_v30_a_reset_voids_the_challenges_of_the_old_password(ada):
    challenge = ada.challenge()
    ada.reset_password()
    assert refused(ada.answer(challenge))


def test_a_page_of_another_site_cannot_answer(ada, build):
    body = {"challenge": ada.challenge(), "code": ada.code()}
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    strict = visit(build(cors_origins="https://app.example.com"))
    assert strict.post(CHALLENGE, json=body, headers=foreign).status_code == 403
    assert strict.post(CHALLENGE, json=body, headers=SAME_ORIGIN).status_code == 200


def test_v30_what_proves_the_mailbox_is_no_second_factor(ada):
    ada.reset_password("a third fine password")
    asked = ada.sign_in(password="a third fine password")
    assert asked.json["twoFactorRequired"] is True
    assert not {"set-auth-token", "Set-Cookie"} & set(asked.headers.keys())
    assert ada.answer(asked.json["challenge"]).status_code == 200


def test_v30_the_secret_of_a_reset_is_no_answer(ada):
    ada.client.post("/api/auth/forgot-password", json={"email": ada.email})
    work(ada.app)
    secret = SECRET_OF_LINK.search(ada.mails("reset-password")[-1])[1]
    assert refused(ada.answer(ada.challenge(), recoveryCode=secret[:40]))
    assert refused(ada.answer(secret))
