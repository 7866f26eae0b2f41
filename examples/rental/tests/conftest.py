"""Items, and those who book them."""

from __future__ import annotations

import pytest
from asking import BOAT, BOOKINGS, ITEMS, at


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
