"""Somebody with an account, and what counts statements."""

from __future__ import annotations

import pytest

from tests.auth.accounts.people import sign_up_person
from tests.engine.conftest import counting

__all__ = ["counting"]


@pytest.fixture
def ada(app):
    """Somebody with a verified address."""
    return sign_up_person(app)


@pytest.fixture
def newcomer(app):
    """Somebody who has just signed up."""
    return sign_up_person(app, verified=False)
