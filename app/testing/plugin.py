"""The pytest plugin: the servers, the application and its people, and tests that are made for each model.

pytest loads this module in every run of an environment that has Rowgate, so what it takes is imported where it is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from flask import Flask

    from app.testing.cast import Actor, Cast
    from app.testing.clock import Clock
    from app.testing.loopback import Loopback
    from app.testing.workshop import Workshop
    from config import Settings

pytest.register_assert_rewrite(
    "app.testing.every_model", "app.testing.permissions", "app.testing.waiting", "app.testing.workshop"
)

CREATABLE = "creatable: a test of models that callers may create, made for those of MODELS alone"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("rowgate_plugins", "Plugins that the tests are of; by default, those of PLUGINS.", type="args")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", CREATABLE)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Load the plugins, as tests are made for their models."""
    if not (names := plugin_names(session.config)) or session.config.pluginmanager.has_plugin("dsession"):
        return
    from app import plugins
    from config import SettingError

    try:
        plugins.load(names)
    except SettingError as error:
        raise pytest.UsageError(f"rowgate: {error}") from error


def plugin_names(config: pytest.Config) -> list[str]:
    """The plugins of the project, besides those of the product."""
    named: list[str] = config.getini("rowgate_plugins")
    return named or [each.strip() for each in os.environ.get("PLUGINS", "").split(",") if each.strip()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make each test that takes a ``model`` for those that its module lists in MODELS."""
    models = getattr(metafunc.module, "MODELS", None)
    given = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if models is None or "model" not in metafunc.fixturenames or any("model" in names for names in given):
        return
    if metafunc.definition.get_closest_marker("creatable"):
        models = [model for model in models if model.policy.create != "none"]
    reasons: dict[Any, str] = getattr(metafunc.module, "EXCEPT", {})
    made = []
    for model in models:
        reason = reasons.get((metafunc.function.__name__, model))
        marks = [pytest.mark.skip(reason=reason)] if reason else []
        made.append(pytest.param(model, id=model.qualified_name(), marks=marks))
    metafunc.parametrize("model", made)


@pytest.fixture(scope="session")
def var_dir() -> Iterator[str]:
    """A folder with a running PostgreSQL and Redis."""
    from app.testing import parts

    with parts.servers() as folder:
        yield folder


@pytest.fixture(scope="session")
def settings(var_dir: str, pytestconfig: pytest.Config) -> Settings:
    """The settings of the application. Those of a project say more: ``replace(settings, tasks_most=3)``."""
    from config import Settings

    names = ",".join(plugin_names(pytestconfig))
    unbounded: dict[str, Any] = {
        "default_limit": "1000000 per minute", "new_account_invitation_limit": "1000000 per day",
        "query_seconds": 3600.0, "queries_per_user": 2, "exports_per_user": 2,
    }  # fmt: skip
    return Settings(var_dir=var_dir, plugins=names, embeddings="off", **unbounded)


@pytest.fixture(scope="session")
def app(settings: Settings) -> Iterator[Flask]:
    """The application on a migrated and seeded database. Tests share it and bring their own users."""
    from app.testing import parts

    with parts.application(settings) as application:
        yield application


@pytest.fixture
def build(app: Flask, settings: Settings) -> Iterator[Callable[..., Flask]]:
    """Builds further applications on the same parts, with some settings changed."""
    from app.testing import parts

    with parts.further_applications(settings) as make:
        yield make


@pytest.fixture
def empty(app: Flask) -> Iterator[Flask]:
    """An application on an empty database of its own."""
    from app.testing import parts

    with parts.on_own_database(app) as other:
        yield other


@pytest.fixture(scope="session")
def cast(app: Flask) -> Cast:
    """The people of the tests."""
    from app.testing.cast import Cast

    return Cast(app)


@pytest.fixture
def owner(cast: Cast) -> Actor:
    """Somebody new for every test."""
    return cast.user()


@pytest.fixture
def workshop(cast: Cast, owner: Actor) -> Workshop:
    """Makes records of any model, with what they need, that belong to ``owner``."""
    from app.testing.workshop import Workshop

    return Workshop(cast, owner)


@pytest.fixture
def do_jobs(app: Flask) -> Callable[[], None]:
    """Does the jobs that wait, in the process of the test."""
    from app.testing.waiting import work

    return lambda: work(app)


@pytest.fixture
def clock() -> Iterator[Clock]:
    """Moves the time that the application tells."""
    from app.testing.clock import moved

    with moved() as clock:
        yield clock


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """A server on loopback that outbound calls reach: it answers as a test says, and keeps what it was asked."""
    from app.testing.loopback import serving

    with serving() as server:
        yield server
