"""Somebody with whom records are shared, and a record."""

from __future__ import annotations

import pytest

from app.crm.models import CrmDeal
from tests.auth.sharing.sharing import let_out


@pytest.fixture
def guest(cast, owner):
    """Somebody outside, whom the organization lets see what is shared with their address."""
    let_out(owner)
    return cast.user()


@pytest.fixture
def deal(workshop):
    return workshop.make(CrmDeal, name="Crane")["id"]
