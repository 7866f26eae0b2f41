"""A service to be backed up, and empty machines to restore it on."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from io import BytesIO

import pytest

from app.factory import create_app
from app.runtime import connections
from app.runtime.embedded import Postgres, Redis
from app.runtime.var_dir_lock import lock_var_dir
from app.schema.histories import upgrade
from app.testing.cast import Cast
from app.testing.parts import UNSAFE_BUT_FAST
from config import Settings

COMPANY = "/api/v1/crm/company"
SECRET = "the same secret key on both machines"


@contextmanager
def folder():
    """A folder with nothing in it; its path is short because sockets lie in it."""
    path = tempfile.mkdtemp(prefix="rgb-")
    yield path
    shutil.rmtree(path)


@contextmanager
def running(path):
    """The servers of a folder, held as by a service."""
    with lock_var_dir(path):
        postgres, redis = Postgres(path, UNSAFE_BUT_FAST), Redis(path)
        postgres.start()
        redis.start()
        app = create_app(Settings(var_dir=path, secret_key=SECRET))
        try:
            yield app
        finally:
            forget(app)
            redis.stop()
            postgres.stop()


def forget(app):
    """Close the connections of an application."""
    with app.app_context():
        connections.close_all()


@pytest.fixture(scope="module")
def here():
    with folder() as path, running(path) as app:
        with app.app_context():
            upgrade()
        yield app


@pytest.fixture
def empty():
    with folder() as path:
        yield path


@pytest.fixture
def owner(here):
    return Cast(here).user()


def run(app, *arguments):
    return app.test_cli_runner().invoke(args=[*map(str, arguments)])


def upload(actor, content):
    made = actor.send("POST", "/api/upload", data={"file": (BytesIO(content), "plan.txt")})
    assert made.status_code == 200, made.text
    return made.headers["Location"]


@pytest.fixture
def backup(here, tmp_path):
    """Writes a backup and returns its path."""

    def backup(*options):
        archive = tmp_path / "backup.tar"
        made = run(here, "backup", archive, *options)
        assert made.exit_code == 0, made.output
        return archive

    return backup


@pytest.fixture(scope="module")
def made(here, tmp_path_factory):
    """A backup that several tests look at."""
    upload(Cast(here).user(), b"Kept as it is")
    archive = tmp_path_factory.mktemp("backup") / "backup.tar"
    assert run(here, "backup", archive).exit_code == 0
    return archive


@pytest.fixture
def machine(empty):
    """Builds the application on an empty machine."""
    made = []

    def machine(**settings):
        made.append(create_app(Settings(var_dir=empty, **{"secret_key": SECRET, **settings})))
        return made[-1]

    yield machine
    for app in made:
        forget(app)
