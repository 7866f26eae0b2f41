"""Backup and restore: a service in one file, and back on an empty machine."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy import select, text

from app.foundation.errors import Unavailable
from app.ops import backups, dumps
from app.schema.histories import TRUNK
from app.storage.models import StorageUpload
from app.storage.object_store import object_store
from app.storage.object_store.local import LocalStore
from app.testing.cast import Actor, Cast
from app.testing.database import transaction
from tests.ops.backups.conftest import COMPANY, run, running, upload

pytestmark = pytest.mark.full


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
    finished = backups._Writer._finish

    def late(*arguments):
        assert key.post(COMPANY, {"name": "Too late"}).status_code == 201
        upload(owner, b"Too late")
        return finished(*arguments)

    monkeypatch.setattr(backups._Writer, "_finish", late)
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


def test_an_upload_that_can_be_read_after_all_is_in_the_backup(owner, backup, monkeypatch):
    upload(owner, b"Found again")
    fetch, tries = LocalStore.fetch, Counter()

    def third_time(store, key, into):
        tries[key] += 1
        if tries[key] < 3:
            raise Unavailable
        fetch(store, key, into)

    monkeypatch.setattr(LocalStore, "fetch", third_time)
    with tarfile.open(backup("--skip-lost")) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))
        assert (manifest["uploads"], manifest["lost"]) == (len(archive.getnames()) - 2, [])


def test_a_database_that_is_not_empty_is_left_alone(made, machine):
    assert run(machine(), "restore", made).exit_code == 0
    again = run(machine(), "restore", made)
    assert (again.exit_code, "not empty" in again.output) == (1, True)


def test_a_service_that_runs_is_not_restored_over(here, made):
    refused = run(here, "restore", made)
    assert (refused.exit_code, "of flask uses" in refused.output) == (1, True)


def test_another_secret_key_is_noticed(made, machine):
    other = machine(secret_key="y" * 40)
    refused = run(other, "restore", made)
    assert (refused.exit_code, "SECRET_KEY" in refused.output) == (1, True)
    assert run(other, "restore", made, "--other-key").exit_code == 0


def broken(archive, how):
    content = archive.read_bytes()
    if how == "cut":
        archive.write_bytes(content[: len(content) // 2])
    elif how == "other rows":
        archive.write_bytes(content.replace(b"PGDMP", b"PGDMQ", 1))
    elif how == "other upload":
        archive.write_bytes(content.replace(b"Kept as it is", b"Kept as it was", 1))
    elif how == "rubbish":
        archive.write_bytes(b"rubbish" * 1000)
    elif how == "empty":
        archive.write_bytes(b"")
    else:
        archive.unlink()


@pytest.mark.parametrize("how", ["cut", "other rows", "other upload", "rubbish", "empty", "not there"])
def test_a_backup_that_is_not_whole_changes_nothing(made, empty, how, machine, tmp_path):
    archive = Path(shutil.copy(made, tmp_path))
    broken(archive, how)
    refused = run(machine(), "restore", archive)
    assert (refused.exit_code, len(refused.output.splitlines())) == (1, 1), refused.output
    assert list(Path(empty).iterdir()) == []


def test_a_name_that_leads_out_of_the_store_is_refused(made, tmp_path, machine, empty):
    archive = Path(shutil.copy(made, tmp_path))
    with tarfile.open(archive, "a") as opened:
        evil = tarfile.TarInfo("uploads/../../evil")
        evil.pax_headers = {backups.DIGEST: hashlib.sha256().hexdigest()}
        opened.addfile(evil, BytesIO())
    refused = run(machine(), "restore", archive)
    assert (refused.exit_code, "outside" in refused.output) == (1, True)
    assert list(Path(empty).iterdir()) == []


def test_a_backup_of_a_newer_release_is_refused_before_anything_is_touched(here, owner, backup, machine, empty):
    with here.app_context(), transaction() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    try:
        archive = backup()
    finally:
        with here.app_context(), transaction() as session:
            session.execute(text("UPDATE alembic_version SET version_num = :known"), {"known": head(here)})
    refused = run(machine(), "restore", archive)
    assert (refused.exit_code, "newer release" in refused.output) == (1, True)
    assert list(Path(empty).iterdir()) == []


def head(app):
    with app.app_context():
        return TRUNK.scripts().get_current_head()


def test_an_upload_whose_bytes_have_changed_counts_as_lost(here, owner, tmp_path):
    location = upload(owner, b"Sound")
    with here.app_context(), transaction() as session:
        key = session.scalar(select(StorageUpload.storage_key).where(StorageUpload.user_id == owner.user_id))
        object_store().path(key).write_bytes(b"Rotten")
    refused = run(here, "backup", tmp_path / "none.tar")
    assert (refused.exit_code, location.rpartition("/")[2] in refused.output) == (1, True)
    owner.delete(location)


def test_nobody_else_can_read_an_archive_while_it_is_written(here, owner, backup, monkeypatch, tmp_path):
    modes = []
    finished = backups._Writer._finish

    def looking(*arguments):
        modes.extend(path.stat().st_mode & 0o777 for path in tmp_path.iterdir())
        return finished(*arguments)

    monkeypatch.setattr(backups._Writer, "_finish", looking)
    backup()
    assert modes == [0o600]


def test_a_folder_that_cannot_be_written_is_one_clear_line(here):
    refused = run(here, "backup", "/nowhere/backup.tar")
    assert (refused.exit_code, len(refused.output.splitlines())) == (1, 1)


def test_the_password_of_the_database_is_in_no_argument(build, monkeypatch, tmp_path):
    seen = []

    def spy(command, **options):
        seen.extend(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(dumps.subprocess, "run", spy)
    with build(database_url="postgresql://ada:hunter2@127.0.0.1:1/x").app_context():
        dumps.dump(tmp_path / "x", "snapshot")
    assert seen
    assert not any("hunter2" in argument for argument in seen)


def test_a_restore_that_is_killed_leaves_the_database_empty(made, machine, empty, monkeypatch):
    app = machine()
    passed, killed = dumps._pass, []

    def cut(source, target):
        """The programs' parent goes away in the middle of the rows."""
        target.write(source.read(200_000))
        target.flush()
        killed.append(True)
        raise RuntimeError("The end")

    monkeypatch.setattr(dumps, "_pass", cut)
    assert run(app, "restore", made).exit_code == 1
    monkeypatch.setattr(dumps, "_pass", passed)
    assert killed
    assert run(app, "restore", made).exit_code == 0
