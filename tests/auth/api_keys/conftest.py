"""Somebody with a key."""

from __future__ import annotations

import pytest

from app.testing.cast import Actor
from tests.auth.api_keys.keys import KEYS


@pytest.fixture
def key(owner):
    """The holder of a key of the owner, and the id of the key."""
    made = owner.post(KEYS).json
    return Actor(owner.app, made["key"], owner.user_id, owner.organization_id), made["id"]
