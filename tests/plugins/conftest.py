"""Programs that are run with plugins of somebody else, each on an empty database of its own."""

from __future__ import annotations

import subprocess
import sys
from itertools import count

import psycopg
import pytest

from app.runtime.embedded import DATABASE, database_url
from config import ROOT
from tests.end_to_end.service import environment

# As it was written for another version; what it has of tests runs in a process of its own.
collect_ignore = ["helpdesk_of_0_3"]
HERE = ROOT / "tests" / "plugins"
numbers = count(1)


@pytest.fixture(scope="session")
def project(app, var_dir):
    """Makes databases, and what runs programs on them: ``path`` has the plugins."""
    made = []
    with psycopg.connect(database_url(var_dir), autocommit=True) as connection:

        def make(path=HERE):
            name = f"plugins_{next(numbers)}"
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
            made.append(name)
            url = database_url(var_dir).replace(f"/{DATABASE}?", f"/{name}?")

            def start(*arguments, **settings):
                named = {name.upper(): value for name, value in settings.items()}
                given = environment(**{"VAR_DIR": var_dir, "DATABASE_URL": url, "PYTHONPATH": f"{ROOT}:{path}"} | named)
                options = {"capture_output": True, "text": True, "timeout": 100}
                return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=given, check=False, **options)

            start.url, start.path = url, f"{ROOT}:{path}"
            return start

        yield make
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def run(project):
    """Runs a program with the plugins of this folder on the path, on a database with our tables."""
    start = project()
    assert start("-m", "flask", "db", "upgrade").returncode == 0
    return start
