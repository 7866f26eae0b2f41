"""Signing in with a password: new sessions, and what a stranger learns from refusals."""

from __future__ import annotations

from unittest.mock import Mock

from argon2 import PasswordHasher
from sqlalchemy import select, update

from app.auth.accounts import passwords
from app.auth.credentials import throttling
from app.auth.models.identity import AuthAccount, AuthUser
from app.foundation import crypto
from app.runtime import rate_limits
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.sign_in.visitors import CONTACTS, PASSWORD, address, sign_up, visit

# What passwords are hashed with outside of tests: it is replaced when their application is made.
HASHER = passwords.HASHER


def test_signing_in_opens_a_new_session_each_time(browser, app):
    email = address()
    first = sign_up(browser, email=email).json["token"]
    response = visit(app).post("/api/auth/signin", json={"email": email, "password": PASSWORD})
    assert response.json["redirect"] is False
    assert response.json["token"] not in (None, first)
    assert Actor(app, first).get(CONTACTS).status_code == 200
    assert Actor(app, response.json["token"]).get(CONTACTS).status_code == 200


def refusal(client, email, password=PASSWORD):
    response = client.post("/api/auth/signin", json={"email": email, "password": password})
    return response.status_code, response.json, "Set-Cookie" in response.headers


def test_unknown_wrong_banned_and_locked_answer_alike(browser, app):
    wrong, banned, locked = address(), address(), address()
    for email in (wrong, banned, locked):
        sign_up(visit(app), email=email)
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.email == banned).values(banned=True))
    alike = (401, {"error": "Invalid email or password", "code": "INVALID_EMAIL_OR_PASSWORD", "details": {}}, False)
    assert refusal(browser, address()) == alike
    assert refusal(browser, "no address at all") == alike
    assert refusal(browser, wrong, "not the password") == alike
    assert refusal(browser, banned) == alike
    for _ in range(2):
        refusal(browser, locked, "not the password")
    assert refusal(browser, locked, PASSWORD) == alike


def test_a_sign_in_hashes_for_unknown_addresses_too(browser, monkeypatch):
    verified = []
    # The one that is kept was hashed as those of tests are.
    monkeypatch.setattr(passwords, "_nobodys", passwords._nobodys.__wrapped__)
    hasher = Mock(wraps=HASHER, verify=lambda stored, password: verified.append(stored) or False)
    monkeypatch.setattr(passwords, "HASHER", hasher)
    refusal(browser, address())
    assert len(verified) == 1
    assert verified[0].startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_after_five_failures_an_account_is_locked_from_every_network_for_a_while(app, monkeypatch):
    monkeypatch.setattr(throttling, "FIRST", 60)
    email = address()
    sign_up(visit(app), email=email)
    client = visit(app)
    for number in range(5):
        base = {"REMOTE_ADDR": f"198.19.{number}.1"}
        body = {"email": email, "password": "wrong wrong"}
        assert client.post("/api/auth/signin", json=body, environ_base=base).status_code == 401
    good = {"email": email, "password": PASSWORD}
    far = {"REMOTE_ADDR": "198.19.99.1"}
    assert client.post("/api/auth/signin", json=good, environ_base=far).status_code == 401
    with app.app_context():
        account = crypto.vault().digest(email)
        lock = f"sign-in/lock/account/{account}"
        assert 50 < rate_limits.counter().shared.storage.ttl(lock) <= 60
        rate_limits.counter().shared.storage.delete(lock)
    assert client.post("/api/auth/signin", json=good, environ_base=far).status_code == 200


def test_the_delay_doubles_to_a_quarter_of_an_hour():
    assert [throttling.delay(times) for times in (0, 1, 2, 3, 9, 10, 500)] == [1, 2, 4, 8, 512, 900, 900]


def test_v20_failures_of_one_network_delay_all_its_sign_ins_and_nobody_elses(app, monkeypatch):
    monkeypatch.setattr(throttling, "FIRST", 60)
    email = address()
    sign_up(visit(app), email=email)
    client = visit(app)
    for number in range(5):
        base = {"REMOTE_ADDR": f"2001:db8:77:1::{number + 1}"}
        client.post("/api/auth/signin", json={"email": address(), "password": "x" * 9}, environ_base=base)
    body = {"email": email, "password": PASSWORD}
    for place, status in (("2001:db8:77:1:ffff::9", 401), ("2001:db8:77:2::1", 200)):
        headers = {"X-Forwarded-For": "203.0.113.77"}
        response = client.post("/api/auth/signin", json=body, headers=headers, environ_base={"REMOTE_ADDR": place})
        assert response.status_code == status


def test_a_password_hashed_with_old_parameters_is_hashed_again_on_sign_in(browser, app, monkeypatch):
    monkeypatch.setattr(passwords, "HASHER", HASHER)
    email = address()
    made = sign_up(browser, email=email).json["user"]
    old = PasswordHasher(time_cost=1, memory_cost=8 * 1024, parallelism=1).hash(PASSWORD)
    own = AuthAccount.user_id == made["id"]
    with app.app_context(), transaction() as session:
        session.execute(update(AuthAccount).where(own).values(password=old))
    assert browser.post("/api/auth/signin", json={"email": email, "password": PASSWORD}).status_code == 200
    with app.app_context(), transaction() as session:
        assert "m=19456" in session.scalar(select(AuthAccount.password).where(own))
