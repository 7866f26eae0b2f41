"""Somebody new for every test of effects."""

from __future__ import annotations

import pytest


@pytest.fixture
def owner(cast):
    return cast.user()
