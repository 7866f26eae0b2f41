"""A service of the attacks' own: two web workers, a worker of jobs, their database and Redis, and their memory."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
from sqlalchemy import text

from app.extensions import db
from app.factory import create_app
from app.ops.seed import seed
from app.runtime import connections
from app.runtime.embedded import Postgres, Redis, database_url
from app.schema.histories import upgrade
from app.testing.cast import Cast
from app.testing.database import unit_of_work
from app.testing.parts import UNSAFE_BUT_FAST
from config import ROOT, Settings
from tests.attacks.caller import Caller
from tests.end_to_end.service import FLASK, environment, free_port, gunicorn, started

BODY_TIMEOUT = 3
SETTINGS = {
    # Each caller is told apart by the address that a proxy would say.
    "TRUSTED_PROXIES": "1",
    "BODY_TIMEOUT": str(BODY_TIMEOUT),
    "SIGN_UP_LIMIT": "30 per hour",
    "SIGN_IN_LIMIT": "60 per minute",
    "UNKNOWN_KEY_LIMIT": "60 per minute",
    "EXTRACTION_MEMORY": "256",
}
# Seconds that the worker of jobs has for its end; an attack that holds it would keep it for longer.
PATIENCE = 5


class Service:
    """The running processes, and who calls them."""

    def __init__(self, folder: str, stack: ExitStack, given: Mapping[str, str] = SETTINGS) -> None:
        self.folder = folder
        self.postgres, self.redis = Postgres(folder, UNSAFE_BUT_FAST), Redis(folder)
        for part in (self.postgres, self.redis):
            stack.callback(part.stop)
            part.start()
        self.app = create_app(Settings(var_dir=folder))
        stack.callback(self._disconnect)
        with self.app.app_context():
            upgrade()
            with unit_of_work() as unit:
                seed(unit)
        self.cast = Cast(self.app)
        self.port = free_port()
        self.log = Path(folder) / "log"
        settings = {**given, "VAR_DIR": folder}
        web = stack.enter_context(started(gunicorn(2), self.port, self.log, **settings))
        jobs = stack.enter_context(_working(Path(folder) / "jobs.log", **settings))
        self.parts = [psutil.Process(process.pid) for process in (web, jobs)]
        self._addresses = (f"198.18.{block}.{host}" for block in range(256) for host in range(1, 255))

    def caller(self, *, signed_in: bool = True) -> Caller:
        """Somebody new at an address of their own."""
        token = self.cast.user().token if signed_in else None
        return Caller(self.port, next(self._addresses), token)

    def count(self, statement: str, **binds: object) -> int:
        """What a query of the database counts."""
        with self.app.app_context(), db.engine.connect() as connection:
            return int(connection.execute(text(statement), binds).scalar_one())

    def execute(self, statements: Iterable[str], **binds: object) -> None:
        """Carry out statements, each by itself and however long it takes."""
        with psycopg.connect(database_url(self.folder), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement, binds)

    def web_workers(self) -> set[int]:
        """The processes that answer requests at this moment."""
        return {process.pid for process in self.parts[0].children()}

    def forget_jobs(self) -> None:
        """Have what an attack left in the queue done by nobody."""
        with self.app.app_context(), db.engine.begin() as connection:
            connection.execute(text("DELETE FROM procrastinate_jobs WHERE status = 'todo'"))

    def resident(self) -> list[int]:
        """Bytes that each process holds, those of its children among them; what several share is divided among them."""
        held = []
        for part in self.parts:
            for process in (part, *part.children(recursive=True)):
                with suppress(psutil.Error):
                    held.append(process.memory_full_info().pss)
        return held

    def _disconnect(self) -> None:
        with self.app.app_context():
            connections.close_all()


@contextmanager
def _working(log: Path, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker of jobs; stop it with TERM, and with KILL where it does not hear that."""
    command = [*FLASK, "jobs", "work"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(**settings), stdout=output, stderr=output, start_new_session=True
        )
        try:
            yield process
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            with suppress(ProcessLookupError):  # its children may outlive it
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def running(settings: Mapping[str, str] = SETTINGS) -> Iterator[Service]:
    """A service from nothing, which leaves nothing."""
    folder = tempfile.mkdtemp(prefix="rga-")
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        yield Service(folder, stack, settings)
