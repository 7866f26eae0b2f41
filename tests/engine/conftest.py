"""What tests of the engine share."""

from __future__ import annotations

import re
from contextlib import contextmanager
from threading import get_ident

import psycopg
import pytest

from app.runtime.gevent_support import BoundedConnection

NOW_AND_THEN = re.compile(r"SET timezone|UPDATE auth_(session|api_key) SET .*\blast_(seen|used)_at\b", re.DOTALL)


@pytest.fixture
def counting(monkeypatch):
    """Notes every statement of the running thread, whichever layer sends it, but for what is due now and then: a new
    connection is set up, and once a minute a session or key is marked as seen."""

    @contextmanager
    def noting():
        asked, own = [], get_ident()

        plain = psycopg.Cursor.execute

        def execute(self, query, *rest, **options):
            if get_ident() == own and not NOW_AND_THEN.match(str(query)):
                asked.append(query)
            return plain(self, query, *rest, **options)

        with monkeypatch.context() as patch:
            patch.setattr(psycopg.Cursor, "execute", execute)
            # What is prepared goes by cursors, too, as it does before it is.
            patch.setattr(BoundedConnection, "rows", lambda self, *asked: self.execute(*asked).fetchall())
            yield asked

    return noting
