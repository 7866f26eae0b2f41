"""Backup and restore: a service in one file, and back on an empty machine."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pytest
from flask_migrate import upgrade

from app import backups
from app.embedded import Postgres, Redis, sole_user
from app.errors import Unavailable
from app.extensions import db
from app.factory import create_app
from app.object_store.local import LocalStore
from config import Settings
from tests.cast import Actor, Cast
from tests.conftest import UNSAFE_BUT_FAST

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
    with sole_user(path):
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
        for engine in db.engines.values():
            engine.dispose()


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


def test_a_backup_restored_on_an_empty_machine_is_the_same_service(here, owner, backup, empty, machine):
    key = Cast(here).key(owner, "read", "write")
    assert key.post(COMPANY, {"name": "Harbour Works"}).status_code == 201
    location = upload(owner, b"Crane plan")
    archive = backup()
    assert archive.stat().st_mode & 0o777 == 0o600
    restored = run(machine(), "restore", archive)
    assert restored.exit_code == 0, restored.output
    with running(empty) as there:
        known, session = Actor(there, key.token), Actor(there, owner.token)
        assert [each["name"] for each in known.get(COMPANY).json["data"]] == ["Harbour Works"]
        with session.get(f"{location}/content") as content:
            assert content.data == b"Crane plan"
        assert known.post(COMPANY, {"name": "After"}).status_code == 201
        assert there.test_client().get("/readyz").json["migrations"] == "ok"


def test_what_is_written_after_the_moment_of_the_backup_is_not_in_it(here, owner, backup, empty, monkeypatch, machine):
    key = Cast(here).key(owner, "read", "write")
    finished = backups._finished

    def late(*arguments):
        assert key.post(COMPANY, {"name": "Too late"}).status_code == 201
        upload(owner, b"Too late")
        return finished(*arguments)

    monkeypatch.setattr(backups, "_finished", late)
    assert run(machine(), "restore", backup()).exit_code == 0
    with running(empty) as there:
        assert Actor(there, key.token).get(COMPANY).json["data"] == []
        assert Actor(there, owner.token).get("/api/v1/storage/upload").json["data"] == []


def test_an_upload_deleted_while_it_is_copied_is_not_in_the_backup(here, owner, backup, empty, monkeypatch, machine):
    location = upload(owner, b"Going")
    fetch, gone = LocalStore.fetch, []

    def going(store, key, into):
        if not gone:
            gone.append(owner.delete(location).status_code)
        fetch(store, key, into)

    monkeypatch.setattr(LocalStore, "fetch", going)
    archive = backup()
    assert gone == [200]
    assert run(machine(), "restore", archive).exit_code == 0
    with running(empty) as there:
        assert Actor(there, owner.token).get(location).status_code == 404


def test_an_upload_that_cannot_be_read_is_left_out_only_when_wanted(here, owner, backup, monkeypatch, tmp_path):
    location = upload(owner, b"Lost")

    def lost(store, key, into):
        raise Unavailable

    monkeypatch.setattr(LocalStore, "fetch", lost)
    refused = run(here, "backup", tmp_path / "none.tar")
    assert refused.exit_code == 1
    assert "--skip-lost" in refused.output
    assert list(tmp_path.iterdir()) == []
    with tarfile.open(backup("--skip-lost")) as archive:
        assert archive.getnames() == ["database.dump", "manifest.json"]
    assert location.rpartition("/")[2] in run(here, "backup", tmp_path / "again.tar", "--skip-lost").output


def test_a_database_that_is_not_empty_is_left_alone(made, machine):
    assert run(machine(), "restore", made).exit_code == 0
    again = run(machine(), "restore", made)
    assert (again.exit_code, "not empty" in again.output) == (1, True)


def test_a_service_that_runs_is_not_restored_over(here, made):
    refused = run(here, "restore", made)
    assert (refused.exit_code, "Another flask serve" in refused.output) == (1, True)


def test_another_secret_key_is_noticed(made, machine):
    other = machine(secret_key="y" * 40)
    refused = run(other, "restore", made)
    assert (refused.exit_code, "SECRET_KEY" in refused.output) == (1, True)
    assert run(other, "restore", made, "--other-key").exit_code == 0


def broken(archive, how):
    content = archive.read_bytes()
    if how == "cut":
        archive.write_bytes(content[: len(content) // 2])
    elif how == "changed":
        archive.write_bytes(content.replace(b"PGDMP", b"PGDMQ", 1))
    elif how == "rubbish":
        archive.write_bytes(b"rubbish" * 1000)
    elif how == "empty":
        archive.write_bytes(b"")
    else:
        archive.unlink()


@pytest.mark.parametrize("how", ["cut", "changed", "rubbish", "empty", "not there"])
def test_a_backup_that_is_not_whole_changes_nothing(made, empty, how, machine, tmp_path):
    archive = Path(shutil.copy(made, tmp_path))
    broken(archive, how)
    refused = run(machine(), "restore", archive)
    assert (refused.exit_code, len(refused.output.splitlines())) == (1, 1), refused.output
    assert list(Path(empty).iterdir()) == []


def test_a_name_that_leads_out_of_the_store_is_refused(made, tmp_path, machine):
    archive = Path(shutil.copy(made, tmp_path))
    with tarfile.open(archive, "a") as opened:
        opened.addfile(tarfile.TarInfo("uploads/../../evil"), BytesIO())
    assert run(machine(), "restore", archive).exit_code == 1


def test_a_folder_that_cannot_be_written_is_one_clear_line(here):
    refused = run(here, "backup", "/nowhere/backup.tar")
    assert (refused.exit_code, len(refused.output.splitlines())) == (1, 1)


def test_the_password_of_the_database_is_in_no_argument(build, monkeypatch):
    seen = []

    def spy(command, **options):
        seen.extend(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(backups.subprocess, "run", spy)
    with build(database_url="postgresql://ada:hunter2@127.0.0.1:1/x").app_context():
        backups._run("pg_dump", "--file=x")
    assert seen
    assert not any("hunter2" in argument for argument in seen)
