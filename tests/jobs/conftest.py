"""Jobs meet the faults of the database, so their tests use the same fixtures."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.testing.database import transaction
from tests.faults.conftest import proxied, proxy, unlucky

__all__ = ["proxied", "proxy", "unlucky"]


@pytest.fixture(autouse=True)
def _without_jobs(app):
    """No job waits at the beginning."""
    with app.app_context(), transaction() as session:
        session.execute(text("DELETE FROM procrastinate_periodic_defers"))
        session.execute(text("DELETE FROM procrastinate_jobs"))
