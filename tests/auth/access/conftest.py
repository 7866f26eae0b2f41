"""Somebody who grants, with records."""

from __future__ import annotations

import pytest

from app.testing.workshop import Workshop


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture
def shop(cast, owner):
    return Workshop(cast, owner)
