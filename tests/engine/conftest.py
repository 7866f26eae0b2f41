"""What tests of the engine share."""

from __future__ import annotations

from contextlib import contextmanager

import psycopg
import pytest


@pytest.fixture
def counting(monkeypatch):
    """Notes every statement that goes to the server, whichever layer sends it."""

    @contextmanager
    def noting():
        asked = []

        plain = psycopg.Cursor.execute

        def execute(self, query, *rest, **options):
            asked.append(query)
            return plain(self, query, *rest, **options)

        with monkeypatch.context() as patch:
            patch.setattr(psycopg.Cursor, "execute", execute)
            yield asked

    return noting
