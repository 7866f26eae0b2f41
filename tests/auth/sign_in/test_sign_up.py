"""Signing up: what is accepted, what is made, what is answered."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.auth.models.identity import AuthUser
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.sign_in.visitors import PASSWORD, address, cookie_of, sign_up, visit


def test_signing_up_answers_token_and_user_and_sets_the_cookie(browser):
    email = address()
    response = sign_up(browser, email=email.upper())
    user = response.json["user"]
    assert response.status_code == 200
    assert set(user) == {"id", "name", "email", "image", "emailVerified", "createdAt", "updatedAt"}
    assert (user["email"], user["name"], user["emailVerified"]) == (
        email,
        email.upper().partition("@")[0].lower(),
        False,
    )
    assert response.json["token"] == response.headers["set-auth-token"]
    assert response.headers["Cache-Control"] == "no-store"
    cookie = cookie_of(browser)
    assert cookie.http_only
    assert cookie.same_site == "Lax"
    assert cookie.path == "/"
    assert not cookie.secure
    assert cookie.max_age == 7 * 24 * 3600
    assert cookie.value != response.json["token"]


def test_a_new_user_has_an_organization_and_may_write(browser, app):
    token = sign_up(browser).json["token"]
    made = Actor(app, token).post("/api/v1/crm/company", {"name": "Mine"})
    assert made.status_code == 201


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"email": "nobody"}, 400, "INVALID_EMAIL"),
        ({"email": "a@b@c.de"}, 400, "INVALID_EMAIL"),
        ({"email": "a" * 250 + "@example.com"}, 400, "INVALID_EMAIL"),
        ({"name": "  "}, 400, "VALIDATION_ERROR"),
        ({"name": "\u202egnp.exe"}, 400, "VALIDATION_ERROR"),
        ({"password": "short77"}, 400, "PASSWORD_TOO_SHORT"),
        ({"password": "x" * 129}, 400, "PASSWORD_TOO_LONG"),
        ({"password": "password1"}, 400, "PASSWORD_TOO_COMMON"),
        ({"password": "Rowgate2026!"}, 400, "PASSWORD_TOO_COMMON"),
        ({"email": 7}, 400, "VALIDATION_ERROR"),
        ({"password": None}, 400, "VALIDATION_ERROR"),
        ({"role": "admin"}, 400, "VALIDATION_ERROR"),
        ({"emailVerified": True}, 400, "VALIDATION_ERROR"),
        ({"callbackURL": "https://evil.example/"}, 400, "VALIDATION_ERROR"),
    ],
)
def test_a_bad_sign_up_is_refused_by_name_and_makes_nobody(browser, app, changes, status, code):
    email = address()
    response = sign_up(browser, **({"email": email} | changes))
    assert (response.status_code, response.json["code"]) == (status, code)
    assert next(iter(changes)) in response.json["details"]["fields"]
    with app.app_context(), transaction() as session:
        assert session.scalar(select(AuthUser.id).where(AuthUser.email == email)) is None


@pytest.mark.parametrize("password", ["x" * 8, "\u00e4" * 128, "        ", "p\U0001f40e\U0001f40e\U0001f40e-horse"])
def test_passwords_of_8_to_128_characters_are_taken_as_they_are(browser, app, password):
    email = address()
    if password == "x" * 8:
        password = "x7Kq-2bZ"
    assert sign_up(browser, email=email, password=password).status_code == 200
    again = visit(app).post("/api/auth/signin", json={"email": email, "password": password})
    assert again.status_code == 200


def test_signing_up_with_a_known_address_is_422(browser, app):
    email = address()
    sign_up(browser, email=email)
    response = sign_up(visit(app), email=email.upper())
    assert (response.status_code, response.json["code"]) == (422, "USER_ALREADY_EXISTS")


def test_v29_a_look_alike_of_the_at_sign_is_no_address(browser):
    response = sign_up(browser, email="ada\uff20example.com@example.com")
    assert (response.status_code, response.json["code"]) == (400, "INVALID_EMAIL")


def test_where_addresses_must_be_verified_an_unverified_account_gets_neither_session_nor_key(build, cast):
    strict = build(require_email_verification=True)
    email = address()
    response = sign_up(visit(strict), email=email)
    assert response.json["token"] is None
    assert "Set-Cookie" not in response.headers
    refused = visit(strict).post("/api/auth/signin", json={"email": email, "password": PASSWORD})
    assert refused.status_code == 403
    verified = cast.user()
    assert Actor(strict, verified.token).post("/api/v1/auth/api-key").status_code == 201
    with strict.app_context(), transaction() as session:
        user = session.get_one(AuthUser, verified.user_id)
        user.email_verified = False
    assert Actor(strict, verified.token).post("/api/v1/auth/api-key").status_code == 403
