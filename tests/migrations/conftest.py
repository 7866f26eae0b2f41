"""The database of a service of version 0.1, as dumps/README.md says it was filled."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask_migrate import upgrade
from sqlalchemy import text

from app.extensions import db
from app.factory import create_app
from app.ops.dumps import BY_LINES
from app.runtime.cluster import program
from app.runtime.embedded import DATABASE, database_url
from app.testing.parts import close_application
from config import Settings

DUMPS = Path(__file__).parent / "dumps"
SECRET = "the secret key of the dump of version 0.1"
OLD, PRESENT = "0005", "head"


SERVED_BY_0_2 = "0007"


@pytest.fixture(scope="session")
def facts() -> dict[str, Any]:
    """What the people of the dump know: their password, keys and ids."""
    return json.loads((DUMPS / "0.1.0.json").read_text())


@pytest.fixture(scope="module")
def restored(app: Flask, var_dir: str) -> Callable[[str], AbstractContextManager[Flask]]:
    """The present application on a database of its own with the rows of the dump, not upgraded yet."""

    @contextmanager
    def restored(name: str) -> Iterator[Flask]:
        with app.app_context(), db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
            url = database_url(var_dir).replace(DATABASE, name)
            rows = gzip.decompress((DUMPS / "0.1.0.sql.gz").read_bytes())
            subprocess.run([program("psql"), *BY_LINES, f"--dbname={url}"], input=rows, check=True, capture_output=True)
            application = create_app(Settings(var_dir=var_dir, database_url=url, secret_key=SECRET))
            try:
                yield application
            finally:
                close_application(application)
                connection.execute(text(f"DROP DATABASE {name}"))

    return restored


@pytest.fixture(scope="module")
def upgraded(restored: Callable[[str], AbstractContextManager[Flask]]) -> Iterator[Flask]:
    """The same with the present schema; the tests of a module share it."""
    with restored("upgraded") as application:
        with application.app_context():
            upgrade(revision=PRESENT)
        yield application


@pytest.fixture
def served(restored):
    """A database with the rows of version 0.1 and the schema of 0.2."""
    with restored("served") as app:
        with app.app_context():
            upgrade(revision=SERVED_BY_0_2)
        yield app
