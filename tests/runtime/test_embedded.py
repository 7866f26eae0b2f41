"""The embedded PostgreSQL where another one is about to leave its folder."""

from __future__ import annotations

import shutil
import subprocess
import tempfile

import psycopg
import pytest

from app.runtime.cluster import account
from app.runtime.embedded import Postgres, database_url


@pytest.fixture
def folder():
    made = tempfile.mkdtemp(prefix="rge-")
    yield made
    shutil.rmtree(made)


def test_a_server_that_still_holds_the_socket_is_waited_for(folder):
    postgres, waited = Postgres(folder), []
    postgres.start()
    postgres.stop()
    # PostgreSQL asks whether a process of its own user holds it.
    with subprocess.Popen(["sleep", "60"], **account(postgres.data)) as leaving:
        lock = postgres.data / ".s.PGSQL.5432.lock"
        lock.write_text(f"{leaving.pid}\n{postgres.data}\n1\n5432\n{postgres.data}\n")

        def pause(seconds):
            waited.append(seconds)
            log = (postgres.data / "log").read_text()
            if "already exists" in log and leaving.poll() is None:
                leaving.kill()
                leaving.wait()

        postgres.start(pause=pause)
    with psycopg.connect(database_url(folder)) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    postgres.stop()
    assert waited
