"""Somebody's authenticator, and somebody with a passkey in it."""

from __future__ import annotations

import pytest

from tests.auth.passkeys.authenticator import Authenticator
from tests.auth.passkeys.ceremonies import register
from tests.auth.people import Person, join


@pytest.fixture
def device() -> Authenticator:
    return Authenticator()


@pytest.fixture
def owner(person, device) -> Person:
    """Somebody with a passkey in ``device``."""
    register(person, device)
    return person


@pytest.fixture
def both(ada, device) -> Person:
    """Somebody with codes and a passkey in ``device``."""
    register(ada, device)
    return ada


@pytest.fixture
def other(app, clock) -> Person:
    """Somebody else."""
    return join(app, clock)
