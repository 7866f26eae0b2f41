"""Restoring to a server older than the programs, as a role that may do nothing special."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest

from app.ops import backups
from app.runtime.cluster import program
from app.testing.cast import Actor, Cast
from tests.ops.backups.conftest import COMPANY, folder, run

pytestmark = pytest.mark.full


@pytest.fixture
def older_server():
    """A PostgreSQL 16, with a role that may do nothing special and a database of its own; gives its address."""
    programs = Path(program("initdb")).parents[2] / "pginstall" / "bin"
    account = "pgserver" if os.geteuid() == 0 else None
    with folder() as path:
        shutil.chown(path, account or os.geteuid())
        data = f"{path}/data"

        def command(name, *arguments):
            subprocess.run([programs / name, *arguments], check=True, user=account, cwd=path, capture_output=True)

        command("initdb", "--no-sync", "-A", "trust", "-U", "postgres", "-D", data)
        command("pg_ctl", "-w", "-D", data, "-o", f'-h "" -k {path}', "-l", f"{path}/log", "start")
        try:
            with psycopg.connect(f"postgresql://postgres@/postgres?host={path}", autocommit=True) as connection:
                connection.execute("CREATE ROLE rowgate LOGIN")
                connection.execute("CREATE DATABASE rowgate OWNER rowgate")
            with psycopg.connect(f"postgresql://postgres@/rowgate?host={path}") as connection:
                connection.execute("CREATE EXTENSION vector")
            yield f"postgresql://rowgate@/rowgate?host={path}"
        finally:
            command("pg_ctl", "-D", data, "-m", "immediate", "stop")


def test_an_ordinary_role_restores_to_an_older_server(here, owner, backup, older_server, machine):
    key = Cast(here).key(owner, "read", "write")
    key.post(COMPANY, {"name": "Harbour Works"})
    there = machine(database_url=older_server)
    restored = run(there, "restore", backup())
    assert restored.exit_code == 0, restored.output
    assert [each["name"] for each in Actor(there, key.token).get(COMPANY).json["data"]] == ["Harbour Works"]


def test_why_a_database_cannot_be_restored_is_told(made, older_server, machine):
    with psycopg.connect(older_server.replace("rowgate@", "postgres@")) as connection:
        connection.execute("DROP EXTENSION vector")
    there = machine(database_url=older_server)
    refused = run(there, "restore", made)
    assert (refused.exit_code, len(refused.output.splitlines())) == (1, 1), refused.output
    assert "permission denied to create extension" in refused.output
    with psycopg.connect(older_server) as connection:
        assert connection.execute(backups.TABLES).fetchone() == (0,)
