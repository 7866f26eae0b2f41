"""People with second factors, and the clock that their codes go by."""

from __future__ import annotations

import pytest

from tests.auth.people import Clock, Person, join


@pytest.fixture
def clock(monkeypatch) -> Clock:
    """A clock that only moves when it is put forward."""
    standing = Clock()
    standing.stop(monkeypatch)
    return standing


@pytest.fixture
def person(app, clock) -> Person:
    """Somebody who has signed up."""
    return join(app, clock)


@pytest.fixture
def ada(person) -> Person:
    """Somebody with a second factor."""
    person.switch_on()
    return person
