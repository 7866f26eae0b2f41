"""New passwords, wherever one is chosen: not the first that are guessed, and not known from breaches."""

from __future__ import annotations

import hashlib
import threading
import time

import pytest
from flask import Flask, Response, request
from werkzeug.serving import make_server

from app.auth.accounts import breaches
from app.engine.write.unit_of_work import UNIT_KEY
from app.extensions import db
from tests.auth.accounts.people import NEW_PASSWORD, PASSWORD, RESET, sign_up_person
from tests.auth.sign_in.visitors import address, sign_up, visit
from tests.mail.server import free_port

BREACHED = "ruffled moorhen 81"


class Ranges:
    """A service of breached passwords on loopback, with padding as the real one has it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.padded: list[bool] = []
        self.status, self.body, self.let_go = 200, "", threading.Event()
        self.let_go.set()
        app = Flask("ranges")
        app.add_url_rule("/range/<prefix>", "range", self.answer)
        self._server = make_server("127.0.0.1", 0, app, threaded=True)
        self.url = f"http://127.0.0.1:{self._server.port}/range"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def answer(self, prefix: str) -> Response:
        self.asked.append(prefix)
        self.padded.append(request.headers.get("Add-Padding") == "true")
        self.let_go.wait(30)
        digest = hashlib.sha1(BREACHED.encode()).hexdigest().upper()
        lines = ["0" * 34 + "A:3"] + ([f"{digest[5:]}:42"] if digest.startswith(prefix) else [])
        padding = hashlib.sha1(NEW_PASSWORD.encode()).hexdigest().upper()
        lines += [f"{padding[5:]}:0"] if padding.startswith(prefix) else []
        return Response(self.body or "\r\n".join(lines), self.status, mimetype="text/plain")

    def stop(self) -> None:
        self.let_go.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def ranges():
    made = Ranges()
    yield made
    made.stop()


@pytest.fixture
def careful(build, ranges):
    """An application that asks whether a password is known from breaches."""
    return build(password_ranges_url=ranges.url)


def told(answer):
    return answer.status_code, answer.json["code"]


def choose(app, route, password):
    """Choose a password in one of the ways in which one can."""
    if route == "sign-up":
        return sign_up(visit(app), password=password)
    person = sign_up_person(app)
    if route == "reset":
        person.asks("forgot-password", email=person.email)
        return person.asks("reset-password", token=person.secret(RESET), password=password)
    if route == "change":
        return person.post("change-password", currentPassword=PASSWORD, newPassword=password)
    guest = address()
    person.actor.post("/api/v1/auth/invitation", {"email": guest})
    body = {"token": person.secret("invitation", to=guest), "name": "Grace", "password": password}
    return visit(app).post("/api/auth/invitation/accept", json=body)


ROUTES = ["sign-up", "reset", "change", "invitation"]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("short77", "PASSWORD_TOO_SHORT"),
        ("x" * 129, "PASSWORD_TOO_LONG"),
        ("trustno1", "PASSWORD_TOO_COMMON"),
        ("ROWGATE!!", "PASSWORD_TOO_COMMON"),
    ],
)
def test_a_password_that_is_guessed_first_is_refused_wherever_one_is_chosen(app, route, password, code):
    assert told(choose(app, route, password)) == (400, code)


@pytest.mark.parametrize("route", ROUTES)
def test_a_breached_password_is_refused_wherever_one_is_chosen(careful, route):
    refused = choose(careful, route, BREACHED)
    assert told(refused) == (400, "PASSWORD_BREACHED")
    assert set(refused.json["details"]["fields"]) == {"newPassword" if route == "change" else "password"}


def test_the_own_address_and_name_are_no_passwords(ada):
    own = ada.email.partition("@")[0]
    for word in (ada.email, f"{own}2026!", own.upper() + "!!!"):
        refused = ada.post("change-password", currentPassword=PASSWORD, newPassword=word)
        assert refused.json["code"] == "PASSWORD_TOO_COMMON"


def test_the_service_hears_five_characters_of_a_digest_and_nothing_else(careful, ranges):
    assert choose(careful, "sign-up", NEW_PASSWORD).status_code == 200
    assert ranges.asked == [hashlib.sha1(NEW_PASSWORD.encode()).hexdigest().upper()[:5]]
    assert ranges.padded == [True]


def test_padding_is_no_breach(careful, ranges):
    assert choose(careful, "sign-up", NEW_PASSWORD).status_code == 200


@pytest.mark.parametrize(
    ("status", "body"), [(500, ""), (404, ""), (302, ""), (200, "<html>maintenance</html>"), (200, "A:B"), (200, ":")]
)
def test_a_service_that_fails_keeps_nobody_from_choosing_a_password(careful, ranges, status, body):
    ranges.status = status
    suffix = hashlib.sha1(NEW_PASSWORD.encode()).hexdigest().upper()[5:]
    ranges.body = f"{suffix}:many" if body == "A:B" else body
    assert choose(careful, "sign-up", NEW_PASSWORD).status_code == 200


def test_a_service_that_is_away_keeps_nobody_from_choosing_a_password(build):
    away = build(password_ranges_url=f"http://127.0.0.1:{free_port()}/range")
    assert choose(away, "sign-up", BREACHED).status_code == 200


@pytest.mark.alone
def test_a_service_that_says_nothing_holds_nobody_up_for_long(careful, ranges, monkeypatch):
    monkeypatch.setattr(breaches, "TIMEOUT", 0.3)
    ranges.let_go.clear()
    began = time.monotonic()
    assert choose(careful, "sign-up", BREACHED).status_code == 200
    assert time.monotonic() - began < 5
    assert len(ranges.asked) == 1


def test_nobody_is_asked_unless_a_service_is_named(app, ranges):
    assert choose(app, "sign-up", BREACHED).status_code == 200
    assert ranges.asked == []


def test_passwords_are_asked_about_outside_of_transactions(careful, ranges, monkeypatch):
    open_, has = [], breaches.has
    monkeypatch.setattr(breaches, "has", lambda password: open_.append(UNIT_KEY in db.session.info) or has(password))
    for route in ROUTES:
        choose(careful, route, NEW_PASSWORD)
    assert len(open_) >= len(ROUTES)
    assert not any(open_)
