"""The measured servers: gunicorn as in production with one worker each, and the processor time that worker took."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from app.runtime.embedded import Postgres, Redis
from bench.load import HOST
from bench.processes import cpu_seconds, family
from config import ROOT, every_setting

NO_LIMIT = "1000000000 per minute"
START_TIMEOUT = 30.0


class ServerError(Exception):
    """A server that did not start or answered otherwise than expected."""


class Server:
    """gunicorn with one worker, serving ``application`` on a port of its own."""

    def __init__(self, application: str, var_dir: str, **settings: str) -> None:
        self.application = application
        self.var_dir = var_dir
        self.settings = settings
        self.port = free_port()
        self._log = Path(var_dir) / f"{application.partition(':')[0]}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start gunicorn; ``await_answer`` says when it serves."""
        command = [
            sys.executable, "-m", "gunicorn", "--config", str(ROOT / "gunicorn.conf.py"), "--no-control-socket",
            self.application,
        ]  # fmt: skip
        with self._log.open("wb") as log:
            # A session of its own: Ctrl-C reaches the measuring process alone, which then stops the others.
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=self._environment(), stdout=log, stderr=log, start_new_session=True
            )

    def await_answer(self, path: str) -> None:
        """Wait until ``path`` is answered, with whatever but a failure."""
        deadline = time.monotonic() + START_TIMEOUT
        while not self._answers(path):
            if self._exited() or time.monotonic() > deadline:
                raise ServerError(f"{self.application} did not start:\n{self.last_words()}")
            time.sleep(0.1)

    def stop(self) -> None:
        if self._process is None or self._exited():
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            # SIGQUIT to the arbiter ends its workers at once, SIGKILL alone would orphan them.
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(timeout=10)

    def get(self, path: str, token: str) -> bytes:
        """Read ``path`` once; raises ServerError unless the answer is 200."""
        connection = HTTPConnection(HOST, self.port, timeout=START_TIMEOUT)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            response = connection.getresponse()
            body = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise ServerError(f"{self.application} answered {response.status} to {path}: {body[:300]!r}")
        return body

    @property
    def pid(self) -> int:
        """The process of gunicorn's arbiter."""
        assert self._process is not None
        return self._process.pid

    def cpu_seconds(self) -> float:
        """Processor time of the worker so far, its own and the kernel's for it."""
        workers = family(self.pid)[1:]
        if len(workers) != 1:
            raise ServerError(f"{self.application} has {len(workers)} workers instead of one:\n{self.last_words()}")
        return cpu_seconds(workers)

    def last_words(self) -> str:
        """The end of what gunicorn logged."""
        return self._log.read_text()[-3000:]

    def _answers(self, path: str) -> bool:
        connection = HTTPConnection(HOST, self.port, timeout=START_TIMEOUT)
        try:
            connection.request("GET", path)
            return connection.getresponse().status < 500
        except OSError:
            return False
        finally:
            connection.close()

    def _exited(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def _environment(self) -> dict[str, str]:
        """Nothing of the caller's settings: the measured set-up is always the same."""
        theirs = {name for name, _, _ in every_setting()} | {"GUNICORN_CMD_ARGS"}
        kept = {name: value for name, value in os.environ.items() if name not in theirs}
        own = {"VAR_DIR": self.var_dir, "HOST": HOST, "PORT": str(self.port), "WORKERS": "1"}
        return kept | own | {"DEFAULT_LIMIT": NO_LIMIT} | self.settings


@contextmanager
def private_parts() -> Iterator[str]:
    """A PostgreSQL and a Redis of their own; gives the folder that they run in."""
    folder = tempfile.mkdtemp(prefix="rg-")
    postgres, redis = Postgres(folder), Redis(folder)
    try:
        redis.start()
        postgres.start()
        yield folder
    finally:
        postgres.stop()
        redis.stop()
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
