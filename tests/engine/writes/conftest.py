"""Hooks and subscriptions of a test."""

from __future__ import annotations

from collections import defaultdict

import pytest

from app.engine.write import hooks, single
from app.engine.write.changes import record_changed


@pytest.fixture
def registry(monkeypatch):
    """Hooks and subscriptions beside those that are there, until the end of the test."""
    monkeypatch.setattr(hooks, "_hooks", defaultdict(list, {key: list(found) for key, found in hooks._hooks.items()}))
    monkeypatch.setattr(record_changed, "subscribers", defaultdict(list))
    forget()
    yield
    monkeypatch.undo()
    forget()


def forget():
    """What is one statement is decided once for each model."""
    for decided in (single.creates_in_one_statement, single._watched, single._deletes_more):
        decided.cache_clear()
