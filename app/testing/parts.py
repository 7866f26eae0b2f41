"""The real parts under the tests: a private PostgreSQL and Redis, an application, and an empty database."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from argon2 import PasswordHasher, profiles
from flask import Flask
from sqlalchemy import text

from app.auth.accounts import passwords
from app.auth.keys import key_usage
from app.extensions import db
from app.factory import create_app
from app.ops.seed import seed
from app.runtime import connections
from app.runtime.embedded import DATABASE, Postgres, Redis, database_url
from app.schema import histories
from app.testing.database import unit_of_work
from app.testing.waiting import await_true
from config import Settings

# The data of a test run is worth nothing, so nothing waits for the disk.
UNSAFE_BUT_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
# A password is dear to hash so that it is dear to guess, and nobody guesses those of tests.
HASHER = PasswordHasher.from_parameters(profiles.CHEAPEST)


@contextmanager
def servers() -> Iterator[str]:
    """A folder with a running PostgreSQL and Redis; its path is short because sockets lie in it."""
    folder = tempfile.mkdtemp(prefix="rg-")
    postgres, redis = Postgres(folder, UNSAFE_BUT_FAST), Redis(folder)
    redis.start()
    postgres.start()
    yield folder
    postgres.stop()
    redis.stop()
    shutil.rmtree(folder)


@contextmanager
def application(settings: Settings) -> Iterator[Flask]:
    """An application on a database that it migrates and seeds, where passwords are hashed at once."""
    with mock.patch.object(passwords, "HASHER", HASHER):
        made = create_app(settings)
        with made.app_context():
            histories.upgrade()
            with unit_of_work() as unit:
                seed(unit)
        yield made
        close_application(made)


@contextmanager
def further_applications(settings: Settings) -> Iterator[Callable[..., Flask]]:
    """Builds further applications on the same parts, with some settings changed, and closes them in the end."""
    built = []

    def build(**changes: Any) -> Flask:
        built.append(create_app(replace(settings, **changes)))
        return built[-1]

    yield build
    for each in built:
        close_application(each)


@contextmanager
def on_own_database(app: Flask, name: str = "migrated", template: str = "template0") -> Iterator[Flask]:
    """An application like ``app`` on a database of its own: an empty one, or a copy of one that nobody uses."""
    settings: Settings = app.config["SETTINGS"]
    with app.app_context(), db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
        other = create_app(replace(settings, database_url=database_url(settings.var_dir).replace(DATABASE, name)))
        yield other
        with other.app_context():
            connections.close_all()
        connection.execute(text(f"DROP DATABASE {name}"))


def close_application(application: Flask) -> None:
    """Close the connections of an application that is needed no more."""
    key_usage.close(application)
    application.extensions["announcements"].close()
    # A look at a database that says nothing goes on after its answer, and its connection comes back to the pool.
    await_true(lambda: not any(look.running for look in application.extensions["readiness"].values()))
    with application.app_context():
        connections.close_all()
    application.extensions["limit_counter"].close()
    # The collector may find their sockets before what closes them, and say so in another test.
    senders = (application.extensions[name].client for name in ("signals", "change_signals"))
    for client in (application.extensions["limit_counter"].shared.storage, *senders):
        client.connection_pool.disconnect(inuse_connections=False)
