"""The real parts under the tests: a private PostgreSQL and Redis, the application, and the cast."""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import hypothesis
import pytest
from flask import Flask
from flask_migrate import upgrade
from sqlalchemy import text

from app import plugins
from app.auth import key_usage
from app.extensions import db
from app.factory import create_app
from app.ops.seed import seed
from app.runtime import connections
from app.runtime.embedded import DATABASE, Postgres, Redis, database_url
from app.testing.cast import Actor, Cast
from app.testing.database import unit_of_work
from config import Settings
from tests.end_to_end.service import await_true

# Tests are made for every model when they are collected.
plugins.load()

# Made-up requests for each operation of the description, from each caller.
USUAL_EXAMPLES = 2
# The data of a test run is worth nothing, so nothing waits for the disk.
UNSAFE_BUT_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fuzz-examples", type=int, default=USUAL_EXAMPLES, help="Requests made up for each operation.")
    parser.addoption("--fuzz-queries", type=int, default=500, help="Queries made up over each world of rows.")
    parser.addoption("--fuzz-worlds", type=int, default=1, help="Worlds of rows that queries are made up over.")


def pytest_configure(config: pytest.Config) -> None:
    # Applications are built by the hundred, and each has much that stays: to look through it all takes longer.
    gc.set_threshold(100_000, 20, 100)
    # The suite tries the same made-up input every time; `make fuzz` looks for more.
    examples = config.getoption("--fuzz-examples")
    patient = {"deadline": None, "suppress_health_check": list(hypothesis.HealthCheck)}
    hypothesis.settings.register_profile("suite", derandomize=examples == USUAL_EXAMPLES, **patient)
    hypothesis.settings.register_profile("contract", hypothesis.settings.get_profile("suite"), max_examples=examples)
    hypothesis.settings.load_profile("suite")


@pytest.fixture(scope="session")
def var_dir() -> Iterator[str]:
    """A folder with a running PostgreSQL and Redis; its path is short because sockets lie in it."""
    folder = tempfile.mkdtemp(prefix="rg-")
    postgres, redis = Postgres(folder, UNSAFE_BUT_FAST), Redis(folder)
    redis.start()
    postgres.start()
    yield folder
    postgres.stop()
    redis.stop()
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def settings(var_dir: str) -> Settings:
    return Settings(var_dir=var_dir, default_limit="1000000 per minute")


@pytest.fixture(scope="session")
def app(settings: Settings) -> Iterator[Flask]:
    """The application on a migrated and seeded database. Tests share it and bring their own users."""
    application = create_app(settings)
    with application.app_context():
        upgrade()
        with unit_of_work() as unit:
            seed(unit)
    yield application
    close_application(application)


@pytest.fixture
def build(app: Flask, settings: Settings) -> Iterator[Callable[..., Flask]]:
    """Builds further applications on the same parts, with some settings changed."""
    built = []

    def make(**changes: Any) -> Flask:
        built.append(create_app(replace(settings, **changes)))
        return built[-1]

    yield make
    for application in built:
        close_application(application)


def close_application(application: Flask) -> None:
    key_usage.close(application)
    # A look at a database that says nothing goes on after its answer, and its connection comes back to the pool.
    await_true(lambda: not any(look.running for look in application.extensions["readiness"].values()))
    with application.app_context():
        connections.close_all()


@pytest.fixture
def owner(cast: Cast) -> Actor:
    """Somebody new for every test."""
    return cast.user()


@pytest.fixture(scope="session")
def cast(app: Flask) -> Cast:
    """The people of the tests."""
    return Cast(app)


@pytest.fixture
def empty(app, var_dir):
    """An application on an empty database of its own."""
    with app.app_context(), db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("CREATE DATABASE migrated TEMPLATE template0"))
        other = create_app(Settings(var_dir=var_dir, database_url=database_url(var_dir).replace(DATABASE, "migrated")))
        yield other
        with other.app_context():
            connections.close_all()
        connection.execute(text("DROP DATABASE migrated"))
