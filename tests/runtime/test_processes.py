"""Signals reach processes of our own alone: whatever a file, a server or an old number says, others live."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from app.runtime import reloading
from app.runtime.cluster import EmbeddedError
from app.runtime.embedded import Postgres, Redis
from app.runtime.processes import OwnProcess, kill
from app.testing.waiting import await_true
from config import ROOT
from tests.runtime.victims import NAMESPACE


@pytest.fixture(scope="module")
def folder():
    """A folder for servers; its path is short because sockets lie in it."""
    made = tempfile.mkdtemp(prefix="rgv-")
    yield Path(made)
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    """Does what one of the victims' functions does, in a PID namespace, and gives what came of it."""
    if shutil.which("unshare") is None or subprocess.run([*NAMESPACE, "true"], check=False).returncode:
        pytest.skip("there are no PID namespaces here")

    def run(name: str) -> dict[str, object]:
        with tempfile.TemporaryDirectory(prefix="rgv-") as within:
            command = [*NAMESPACE, sys.executable, "-m", "tests.runtime.victims", name, within]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=90, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.mark.full
def test_a_stale_note_of_postgresql_harms_nobody_and_keeps_it_from_starting_nowhere(apart):
    found = apart("stale_notes")
    said, lives = found.pop("a postgres of others")
    assert "was not started from here: stop it, or remove" in said
    assert lives
    assert found == {name: ["started", True] for name in found}
    assert len(found) == 7


@pytest.mark.full
def test_flask_serve_starts_and_stops_beside_whoever_has_the_number_of_its_last_postgresql(apart):
    assert apart("serve") == {"its number": [0, True], "one": [0, True]}


@pytest.mark.full
def test_a_number_that_is_used_again_is_nobody_of_ours(apart):
    assert apart("numbers_used_again") == {"postgres": True, "redis": True, "part": True, "keeper": True}


def test_what_answers_for_redis_and_is_not_ours_is_refused_and_left_alone(apart):
    found = apart("strange_redis")
    assert "was not started from here: stop it, or set REDIS_URL" in str(found.pop("said"))
    assert found == {"lives": True}


@pytest.mark.parametrize("kind", [Postgres, Redis])
def test_a_server_that_an_earlier_start_has_left_is_known_again_and_stopped(folder, kind):
    earlier, later = kind(str(folder)), kind(str(folder))
    earlier.start()
    left = psutil.Process(earlier.process_id)
    later.start()
    assert later.process_id == left.pid
    later.stop()
    assert not left.is_running() or left.status() == psutil.STATUS_ZOMBIE
    earlier.stop()


def test_a_postgresql_that_was_started_at_another_time_than_it_notes_is_not_ours(folder):
    running = Postgres(str(folder))
    running.start()
    try:
        note = running.data / "postmaster.pid"
        said = note.read_text()
        lines = said.splitlines()
        note.write_text("\n".join([*lines[:2], str(int(lines[2]) - 3600), *lines[3:], ""]))
        other = Postgres(str(folder))
        with pytest.raises(EmbeddedError, match=r"^Process \d+ seems to be a PostgreSQL on .*: stop it, or remove"):
            other.start()
        other.stop()
        note.write_text(said)
        assert Postgres(str(folder)).process_id == running.process_id
    finally:
        running.stop()


def test_what_a_process_has_started_is_killed_with_it():
    parent = OwnProcess.launch(["sh", "-c", "sh -c 'sleep 1000 & wait' & wait"])
    await_true(lambda: len(psutil.Process(parent.number).children(recursive=True)) == 2)
    children = psutil.Process(parent.number).children(recursive=True)
    kill([parent])
    assert parent.has_ended()
    _, left = psutil.wait_procs(children, 10)
    assert left == []


def test_a_process_that_has_ended_cannot_be_held():
    ended = subprocess.Popen(["true"])
    ended.wait()
    for number in (ended.pid, 0, -1, 10**30):
        with pytest.raises(ProcessLookupError):
            OwnProcess(number)


def test_gunicorn_takes_over_its_own_children_alone():
    with tempfile.TemporaryFile() as file, subprocess.Popen(["sleep", "1000"]) as child:
        file.truncate(reloading.SIZE)
        arbiter = SimpleNamespace(
            cfg=SimpleNamespace(workers=1, graceful_timeout=1), WORKERS={}, manage_workers=lambda: None,
            SIG_QUEUE=SimpleNamespace(put_nowait=lambda number: None), worker_age=0,
        )  # fmt: skip
        before = reloading._file, reloading._shared
        try:
            reloading._take_over(arbiter, os.dup(file.fileno()), 1, {str(child.pid): 1, str(os.getppid()): 1, "1": 1})
            arbiter.manage_workers()
        finally:
            reloading._file.close()
            reloading._file, reloading._shared = before
        assert list(arbiter.WORKERS) == [child.pid]
        child.kill()
