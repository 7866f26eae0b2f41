"""The application with a proxy between itself and PostgreSQL, and people who use it past the faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from app.runtime.embedded import database_url
from app.testing.cast import Actor
from tests.faults.proxy import FaultProxy


@pytest.fixture
def proxy(app, var_dir):
    folder = Path(conninfo_to_dict(database_url(var_dir))["host"])
    with FaultProxy(folder / ".s.PGSQL.5432") as made:
        yield made


@pytest.fixture
def proxied(proxy, build):
    """The application behind the proxy; what it waits for is not long."""
    return build(
        database_url=proxy.url,
        private_provider_urls=True,
        database_statement_timeout=1.0,
        database_lock_timeout=0.3,
        database_connect_timeout=2,
    )


@pytest.fixture
def unlucky(owner, proxied):
    """The same user, whose requests meet the faults."""
    actor = Actor(proxied, owner.token, owner.user_id, owner.organization_id)
    assert actor.get("/api/v1/crm/contact").status_code == 200  # a connection is open
    return actor
