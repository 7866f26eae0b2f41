"""The whole service in processes of its own, each of which can be killed, frozen, and started again."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import psycopg

from app.auth.keys import key_usage
from app.factory import create_app
from app.ops.seed import seed
from app.runtime import connections
from app.runtime.cluster import EmbeddedError
from app.runtime.embedded import Postgres, Redis, database_url, redis_url
from app.schema.histories import upgrade
from app.testing.cast import Actor, Cast
from app.testing.database import unit_of_work
from config import ROOT, Settings
from tests.end_to_end.service import FLASK, environment, free_port, gunicorn
from tests.faults.proxy import FaultProxy

SERVICE = {"DEFAULT_LIMIT": "1000000 per minute", "STREAMS_PER_USER": "100"}
WORKERS = 2
START_TIMEOUT, STOP_TIMEOUT = 60.0, 40.0
TENDED_EVERY = 0.5
# Answers of /readyz in a row that are good, so that each worker has probably given one.
READY_IN_A_ROW = 4
# A server that is told nothing answers within this time.
SQL_OPTIONS = "-c statement_timeout=30s"


class Child:
    """A process that is started again whenever it ends, as a supervisor would."""

    def __init__(self, command: list[str], log: Path, **settings: str) -> None:
        self.command, self.log, self.settings = command, log, settings
        self.own_endings: list[int] = []
        self._killed = False
        self.process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as output:
            return subprocess.Popen(
                self.command, cwd=ROOT, env=environment(**self.settings), stdout=output, stderr=output,
                start_new_session=True,
            )  # fmt: skip

    def tend(self) -> None:
        if self.process.poll() is not None:
            if not self._killed:
                self.own_endings.append(self.process.returncode)
            self._killed = False
            self.process = self._started()

    def kill(self) -> None:
        self._killed = True
        self.process.kill()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Service:
    """PostgreSQL behind a proxy, Redis, gunicorn and a worker of jobs, in a folder of their own.

    With ``jobs_apart`` the worker of jobs reaches PostgreSQL past the proxy, so that faults of the network spare it.
    """

    def __init__(self, *, jobs_apart: bool = False) -> None:
        # Sockets lie in it, so its path is short.
        self.folder = Path(tempfile.mkdtemp(prefix="rgf-"))
        self.parts, self.var = self.folder / "parts", self.folder / "var"
        self.uploads = self.var / "uploads"
        for each in (self.parts, self.uploads):
            each.mkdir(parents=True)
        self.port, self.secret_key = free_port(), secrets.token_hex(32)
        self.postgres, self.redis = Postgres(str(self.parts)), Redis(str(self.parts))
        self.jobs_apart, self.disk_is_small = jobs_apart, False
        self.healed_at: float | None = None  # when a fault was over, where that is not at the end of what it does
        self._running = ExitStack()
        self._tending, self._ended = Thread(target=self._tend, daemon=True), Event()

    def __enter__(self) -> Service:
        with ExitStack() as running:
            for part in (self.redis, self.postgres):
                running.callback(part.stop)
                part.start()
            running.callback(self.thaw)
            self._make_application(running)
            self.proxy = running.enter_context(FaultProxy(self._postgres_socket()))
            settings = SERVICE | {
                "DATABASE_URL": self.proxy.url, "REDIS_URL": redis_url(str(self.parts)), "VAR_DIR": str(self.var),
                "SECRET_KEY": self.secret_key, "PORT": str(self.port),
            }  # fmt: skip
            self.web = Child(gunicorn(WORKERS), self.folder / "web.log", **settings)
            running.callback(self.web.stop)
            reached = {"DATABASE_URL": database_url(str(self.parts))} if self.jobs_apart else {}
            self.jobs = Child([*FLASK, "jobs", "work"], self.folder / "jobs.log", **settings | reached)
            running.callback(self.jobs.stop)
            running.callback(self._end_tending)
            self._tending.start()
            if self.recover(START_TIMEOUT) is None:
                raise TimeoutError(f"the service does not start: {(self.folder / 'web.log').read_text()}")
            self._running = running.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def remove(self) -> None:
        shutil.rmtree(self.folder)

    def _make_application(self, running: ExitStack) -> None:
        """The application in this process, past the proxy, for making the people who use the service."""
        settings = Settings(
            database_url=database_url(str(self.parts)), redis_url=redis_url(str(self.parts)), var_dir=str(self.var),
            secret_key=self.secret_key,
        )  # fmt: skip
        application = create_app(settings)
        running.callback(key_usage.close, application)
        with application.app_context():
            upgrade()
            with unit_of_work() as unit:
                seed(unit)
        self.cast = Cast(application)

    def people(self, number: int) -> tuple[list[Actor], Actor]:
        """So many users, signed in, and the key of an admin."""
        users = [self.cast.user() for _ in range(number)]
        admin = self.cast.key(self.cast.admin, "read", "write", "admin")
        with self.cast.app.app_context():
            connections.close_all()
        return users, admin

    def _tend(self) -> None:
        while not self._ended.wait(TENDED_EVERY):
            for child in (self.web, self.jobs):
                child.tend()

    def _end_tending(self) -> None:
        self._ended.set()
        self._tending.join()

    def sql(self, query: str, *binds: Any) -> list[tuple[Any, ...]]:
        """The rows of a query that does not pass the proxy."""
        url = database_url(str(self.parts))
        with psycopg.connect(url, autocommit=True, connect_timeout=10, options=SQL_OPTIONS) as connection:
            cursor = connection.execute(query, binds)
            return cursor.fetchall() if cursor.description is not None else []

    def _postmaster_lines(self) -> list[str]:
        return (self.parts / "postgres" / "postmaster.pid").read_text().splitlines()

    def _postgres_socket(self) -> Path:
        _, _, _, port, folder, *_ = self._postmaster_lines()
        return Path(folder) / f".s.PGSQL.{port}"

    @property
    def postmaster(self) -> psutil.Process:
        return psutil.Process(int(self._postmaster_lines()[0]))

    @property
    def redis_server(self) -> psutil.Process:
        return psutil.Process(self.redis.process_id)

    @property
    def web_workers(self) -> list[psutil.Process]:
        return psutil.Process(self.web.process.pid).children()

    def start_postgres(self) -> None:
        """Start PostgreSQL again; processes of before that are about to leave are waited for."""
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            try:
                return self.postgres.start()
            except (EmbeddedError, psycopg.OperationalError):
                if time.monotonic() > deadline:
                    raise

    @property
    def postgres_processes(self) -> list[psutil.Process]:
        return [self.postmaster, *self.postmaster.children(recursive=True)]

    def thaw(self) -> None:
        """Have everything that was frozen go on."""
        with suppress(psutil.NoSuchProcess, FileNotFoundError):
            self.redis_server.resume()
            for process in self.postgres_processes:
                with suppress(psutil.NoSuchProcess):
                    process.resume()

    def readiness(self) -> dict[str, Any]:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except (URLError, OSError, ValueError):
            return {"status": "unavailable"}

    def recover(self, seconds: float) -> float | None:
        """Wait until the service says that all of it is well; tells since when it is, None when it takes too long."""
        deadline, good = time.monotonic() + seconds, 0
        while good < READY_IN_A_ROW:
            good = good + 1 if self.readiness()["status"] == "ok" else 0
            if time.monotonic() > deadline:
                return None
            if not good:
                time.sleep(0.05)
        return time.monotonic()

    def shrink_disk(self, size: str = "256m") -> bool:
        """Put the folder of uploads on a small disk of its own, where this account may; tells whether it did."""
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(self.uploads)]
        if os.geteuid() == 0 and shutil.which("mount"):
            self.disk_is_small = subprocess.run(command, check=False, capture_output=True).returncode == 0
        if self.disk_is_small:
            self._running.callback(subprocess.run, ["umount", "--lazy", str(self.uploads)], check=False)
        return self.disk_is_small
