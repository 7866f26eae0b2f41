"""Imports by jobs: a few rows are too many for a request, and a few make a batch."""

from __future__ import annotations

import pytest

from app.engine.transfer import importing
from app.storage.object_store import object_store
from blueprints.records import imports
from tests.faults.conftest import proxied, proxy, unlucky
from tests.storage.imports.files import COMPANIES, send, table

__all__ = ["proxied", "proxy", "unlucky"]

AT_ONCE, BATCH = 4, 3


@pytest.fixture
def long(monkeypatch):
    """Rows that are too many for a request: three batches, and one of a single row."""
    monkeypatch.setattr(imports, "MAX_ROWS_AT_ONCE", AT_ONCE)
    monkeypatch.setattr(importing, "BATCH_SIZE", BATCH)
    return [{"name": f"Firm {number}", "revenue": number + 1} for number in range(10)]


@pytest.fixture
def asked(owner, long):
    """Ask for an import of long rows, and return where its state is."""

    def ask(rows=long, actor=owner, model=COMPANIES, **options):
        answer = send(actor, model, table(*rows), **options)
        assert answer.status_code == 202, answer.json
        assert answer.headers["Location"] == answer.json["url"] == f"/api/v1/_imports/{answer.json['id']}"
        return answer.json["url"]

    return ask


@pytest.fixture
def stored(app):
    """How many files there are in the store."""

    def count():
        with app.app_context():
            return sum(1 for _ in object_store().keys())

    return count
