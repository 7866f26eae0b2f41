"""What tests of the engine share."""

from __future__ import annotations

from contextlib import contextmanager

import psycopg
import pytest

from app.runtime.gevent_support import BoundedConnection


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
            # What is prepared goes by cursors, too, as it does before it is.
            patch.setattr(BoundedConnection, "rows", lambda self, *asked: self.execute(*asked).fetchall())
            yield asked

    return noting
