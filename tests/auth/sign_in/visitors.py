"""Visitors of the sign-in routes: browsers with cookies of their own, each in a network of its own."""

from __future__ import annotations

from itertools import count

PASSWORD = "correct horse battery"
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
CONTACTS = "/api/v1/crm/contact"
numbers = count(1)


def address():
    return f"person{next(numbers)}@sign-in.example"


def visit(app):
    """A client in a network of its own, so that failed sign-ins of one test do not delay another."""
    client = app.test_client()
    number = next(numbers)
    client.environ_base["REMOTE_ADDR"] = f"198.18.{number // 250}.{number % 250}"
    return client


def sign_up(client, **changes):
    body = {"email": address(), "password": PASSWORD} | changes
    return client.post("/api/auth/signup", json=body)


def session_of(client, **headers):
    return client.get("/api/auth/session", headers=headers).json


def cookie_of(client):
    return client.get_cookie("session")
