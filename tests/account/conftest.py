"""The visitor of a test."""

from __future__ import annotations

import pytest

from tests.account.visitors import Visitor


@pytest.fixture
def visitor(app):
    """Somebody who is nobody yet."""
    return Visitor(app)


@pytest.fixture
def member(app):
    """Somebody who has signed up."""
    return Visitor(app).sign_up()
