"""The end of the service: bounded in time whatever is busy, frozen or gone, and without anything left behind."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

import psutil
import pytest
from sqlalchemy import select, text

from app.extensions import db
from app.storage.models import StorageDocument
from app.testing.database import transaction
from app.testing.waiting import await_true
from tests.end_to_end.service import FLASK, ROOT, environment, free_port, gunicorn, started
from tests.storage.uploads.forms import sent

pytestmark = pytest.mark.full

GRACE = 2
# What comes to the grace: handing back, the end of the servers, and a slow machine.
BOUND = GRACE + 10


@pytest.fixture
def folder():
    made = tempfile.mkdtemp(prefix="rgt-")
    yield Path(made)
    shutil.rmtree(made)


def processes_of(folder):
    """Everything that works on a folder."""
    return [each for each in psutil.process_iter(["cmdline", "environ"]) if str(folder) in str(each.info)]


@pytest.fixture
def service(folder):
    port, log = free_port(), folder / "log"
    with started([*FLASK, "serve"], port, log, VAR_DIR=str(folder / "var"), STOP_GRACE=str(GRACE)) as process:
        await_true(lambda: "UI at" in log.read_text())
        yield process, port
    await_true(lambda: processes_of(folder) == [])


def test_when_serve_is_killed_its_children_end_and_the_next_one_starts(service, folder):
    process, port = service
    process.kill()
    process.wait()
    await_true(lambda: processes_of(folder) == [], BOUND)
    with started([*FLASK, "serve"], port, folder / "second", VAR_DIR=str(folder / "var")) as second:
        assert second.poll() is None


def test_a_stop_is_bounded_while_postgresql_is_frozen(service, folder):
    process, port = service
    for each in processes_of(folder):
        if "postgres" in each.name():
            each.suspend()
    with pytest.raises(OSError, match="timed out"):
        urlopen(f"http://127.0.0.1:{port}/api/v1/openapi.json", timeout=0.001)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert time.monotonic() - begun < BOUND
    assert processes_of(folder) == []


def test_a_stop_does_not_wait_for_reloads_that_were_asked_for_before(app, var_dir, tmp_path):
    port = free_port()
    with started(gunicorn(2), port, tmp_path / "log", VAR_DIR=var_dir, STOP_GRACE=str(GRACE)) as process:
        for _ in range(5):
            process.send_signal(signal.SIGHUP)
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert time.monotonic() - begun < BOUND


def test_a_stop_does_not_wait_for_connections_on_which_nothing_is_asked(app, var_dir, tmp_path):
    port = free_port()
    with started(gunicorn(2), port, tmp_path / "log", VAR_DIR=var_dir, STOP_GRACE="60") as process:
        idle = HTTPConnection("127.0.0.1", port)
        assert asked(idle) == 200
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        # They would be kept for 15 s, and are told to close.
        assert time.monotonic() - begun < 10
        closed = idle.sock.recv(1) == b""
        idle.close()
        assert closed


def asked(connection):
    """The status of an answer, which is read."""
    connection.request("GET", "/healthz")
    with connection.getresponse() as answer:
        answer.read()
        return answer.status


class Asking(Thread):
    """Somebody who asks again and again, each time by a connection of its own, until connections are refused."""

    def __init__(self, port):
        super().__init__()
        self.port, self.answered, self.failed = port, 0, []
        self.start()

    def run(self):
        while True:
            asking = HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                asking.connect()
            except ConnectionRefusedError:
                return
            try:
                assert asked(asking) == 200
                self.answered += 1
            except Exception as error:
                self.failed.append(repr(error))
            finally:
                asking.close()


def test_what_is_asked_while_the_service_stops_is_answered_or_not_taken(app, var_dir, tmp_path):
    port = free_port()
    with started(gunicorn(2), port, tmp_path / "log", VAR_DIR=var_dir, STOP_GRACE="20") as process:
        kept = HTTPConnection("127.0.0.1", port)
        assert asked(kept) == 200
        asking = [Asking(port) for _ in range(8)]
        await_true(lambda: all(each.answered > 5 for each in asking))
        process.send_signal(signal.SIGTERM)
        assert asked(kept) == 200
        kept.close()
        for each in asking:
            each.join(60)
        # The kernel resets who is connected, and not yet taken, in the moment in which the socket is closed.
        assert sum(len(each.failed) for each in asking) <= 1, [each.failed for each in asking]


class Jobs:
    """A worker of jobs that is told to stop while it is busy."""

    def __init__(self, app, var_dir, tmp_path, **settings):
        self.app = app
        env = environment(VAR_DIR=var_dir, STOP_GRACE=str(GRACE), **settings)
        self.log = (tmp_path / "jobs.log").open("wb")
        self.process = subprocess.Popen([*FLASK, "jobs", "work"], cwd=ROOT, env=env, stderr=self.log, stdout=self.log)

    def stop(self):
        """Stop it, and say how long that took."""
        begun = time.monotonic()
        self.process.terminate()
        self.process.wait(60)
        self.log.close()
        return time.monotonic() - begun

    def status(self, task, row_id):
        wanted = text("SELECT status::text FROM procrastinate_jobs WHERE task_name = :t AND args->>'row_id' = :r")
        with self.app.app_context(), transaction() as session:
            return session.scalar(wanted, {"t": task, "r": str(row_id)})


@pytest.fixture
def busy(app, var_dir, tmp_path):
    """Starts a worker, which is gone at the end of the test."""
    made = []

    def start(**settings):
        made.append(Jobs(app, var_dir, tmp_path, **settings))
        return made[-1]

    yield start
    for each in made:
        each.process.kill()


def is_anybody_waiting(app):
    waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    with app.app_context(), db.engine.connect() as connection:
        return connection.scalar(waiting) > 0


def test_a_job_that_waits_for_the_database_is_interrupted_and_waits_to_be_done_again(app, cast, busy):
    owner = cast.user()
    document = owner.post("/api/v1/storage/document", {"title": "Plan", "content": "First this."}).json["id"]
    with app.app_context(), transaction() as session:
        # Nobody else may have the document while this transaction lasts.
        session.execute(select(StorageDocument).where(StorageDocument.id == document).with_for_update())
        jobs = busy(DATABASE_LOCK_TIMEOUT="60", DATABASE_STATEMENT_TIMEOUT="60")
        await_true(lambda: is_anybody_waiting(app))
        assert jobs.stop() < BOUND
    assert jobs.status("enter_document", document) == "todo"


def test_a_job_that_computes_is_handed_back_and_leaves_no_process_behind(cast, busy):
    owner = cast.user()
    identifier = sent(owner, b"<!--" * 250_000, "page.html", "text/html").rsplit("/", 1)[1]
    document = owner.post("/api/documents", {"uploadId": identifier}).json["id"]
    jobs = busy(EXTRACTION_SECONDS="60")
    await_true(lambda: psutil.Process(jobs.process.pid).children())
    (child,) = psutil.Process(jobs.process.pid).children()
    assert jobs.stop() < BOUND
    # Whoever inherits it may take its time to notice that it has ended.
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    assert jobs.status("read_document", document) == "todo"
