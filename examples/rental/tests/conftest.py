"""Items, those who book them, and files."""

from __future__ import annotations

import io

import pytest
from asking import BOAT, BOOKINGS, ITEMS, at
from sqlalchemy import text

from app.storage import record_files
from app.testing.database import transaction


@pytest.fixture
def item(owner):
    def make(**values):
        made = owner.post(ITEMS, BOAT | values)
        assert made.status_code == 201, made.json
        return made.json

    return make


@pytest.fixture
def book(owner):
    def send(item, start, end, actor=owner, **values):
        return actor.post(BOOKINGS, {"itemId": item["id"], "startsAt": at(start), "endsAt": at(end)} | values)

    return send


@pytest.fixture
def upload(owner):
    """Uploads bytes for an actor, and gives the id."""

    def send(content, filename, actor=owner):
        answer = actor.send("POST", "/api/upload", data={"file": (io.BytesIO(content), filename)})
        assert answer.status_code == 200, answer.json
        return answer.headers["Location"].rpartition("/")[2]

    return send


@pytest.fixture
def sweep(app):
    def night():
        with app.app_context():
            record_files.sweep()

    return night


@pytest.fixture
def execute(app):
    def run(statement, **values):
        with app.app_context(), transaction() as session:
            session.execute(text(statement), values)

    return run
