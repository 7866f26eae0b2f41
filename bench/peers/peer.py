"""A peer: how it is installed, filled, started and asked, and how its answers are read."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from uuid import UUID

import orjson

from bench.load import HOST, request
from bench.peers.parts import Parts
from bench.peers.world import World
from bench.processes import cpu_seconds
from bench.servers import ServerError, free_port
from config import ROOT

BUILD = ROOT / "build" / "peers"
APPS = Path(__file__).parent / "apps"
WORKERS = 2
START_TIMEOUT = 60.0
STOP_TIMEOUT = 10.0
# Signs the tokens of those peers whose tokens are signed.
SECRET_KEY = "f3c1a7be5a0d4a4f9a4f6f0a6ad0c5a1d6b6d2a3e8f04c57"


class Unavailable(ServerError):
    """A peer that cannot be had on this machine, and why."""


class Ask(NamedTuple):
    """A request without its credential."""

    method: str
    path: str
    body: Mapping[str, Any] | Sequence[Any] | None = None


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: Any


class Peer(ABC):
    """One service with the contacts in it."""

    name: ClassVar[str]
    title: ClassVar[str]
    # What a reader of the figures has to know.
    note: ClassVar[str] = ""
    # The database in the PostgreSQL that all share; none for a peer that brings its own.
    database: ClassVar[str | None] = None
    # Whether the service itself shows each owner their own contacts alone.
    keeps_owners_apart: ClassVar[bool] = True

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.folder = BUILD / self.name
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def install(self) -> None:  # noqa: B027 - what is there already needs none
        """Put everything into ``folder``, unless it is there; raises Unavailable."""

    @abstractmethod
    def prepare(self, world: World) -> None:
        """Make the schema and put the contacts in."""

    @abstractmethod
    def command(self) -> list[str]:
        """What starts the server on ``port``."""

    def environment(self, database_host: str) -> dict[str, str]:
        """Its settings; ``database_host`` is the folder with PostgreSQL's socket."""
        return {"DATABASE_HOST": database_host, "SECRET_KEY": SECRET_KEY}

    def working_folder(self) -> Path:
        return self.folder

    @abstractmethod
    def authorization(self, owner: int) -> str:
        """The header with the credential of an owner."""

    @abstractmethod
    def version(self) -> str:
        """Its version, and that of what it stands on."""

    # What is asked of it.

    def item(self, contact: UUID | str) -> Ask:
        return Ask("GET", f"/contacts/{contact}")

    @abstractmethod
    def page(self, *, skip: int = 0, company: UUID | None = None) -> Ask:
        """Twenty contacts, newest first, with the exact count of all that match."""

    def uncounted(self) -> Ask:
        """The first page without any count, in the cheapest way that the documentation of the peer has."""
        return self.page()

    def create(self, owner: int, values: Mapping[str, Any]) -> Ask:
        return Ask("POST", "/contacts", values)

    def update(self, contact: UUID | str, values: Mapping[str, Any]) -> Ask:
        return Ask("PATCH", f"/contacts/{contact}", values)

    def record(self, answer: Answer) -> Mapping[str, Any]:
        """The contact in the answer to any request but that for a page."""
        found: Mapping[str, Any] = answer.body
        return found

    def records(self, answer: Answer) -> tuple[list[Mapping[str, Any]], int]:
        """The contacts of a page, and their count in all."""
        return answer.body["data"], answer.body["count"]

    def rows(self, answer: Answer) -> list[Mapping[str, Any]]:
        """The contacts of a page without a count."""
        return self.records(answer)[0]

    # Running it.

    def start(self, database_host: str | None = None) -> None:
        """Start the server; ``ask`` says when it answers."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8"}
        environment |= self.environment(database_host or self.parts.sockets)
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                self.command(), cwd=self.working_folder(), env=environment, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def start_the_rest(self) -> None:  # noqa: B027 - most have no rest
        """Start what belongs to the service besides what answers requests."""

    def await_answer(self, wanted: Ask, owner: int) -> tuple[float, float]:
        """Wait for the first good answer; returns the seconds since now and the processor's seconds so far."""
        begun = time.monotonic()
        while time.monotonic() < begun + START_TIMEOUT:
            try:
                if self.ask(wanted, owner).status == 200:
                    return time.monotonic() - begun, cpu_seconds(self.roots())
            except OSError:
                if self._process is not None and self._process.poll() is not None:
                    break
            time.sleep(0.02)
        raise Unavailable(f"{self.title} did not start: {self.last_words()}")

    def stop(self) -> None:
        """Stop the server with all that it started."""
        if self._process is not None:
            end(self._process)
        self._process = None

    def roots(self) -> list[int]:
        """The processes whose time and memory, with those of their descendants, are this peer's."""
        return [self._process.pid] if self._process is not None else []

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def last_words(self) -> str:
        return self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""

    def ask(self, wanted: Ask, owner: int) -> Answer:
        """Send one request by itself."""
        connection = HTTPConnection(HOST, self.port, timeout=START_TIMEOUT)
        headers = {"Authorization": self.authorization(owner)}
        body = None
        if wanted.body is not None:
            body, headers["Content-Type"] = orjson.dumps(wanted.body), "application/json"
        try:
            connection.request(wanted.method, wanted.path, body, headers)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        parsed = orjson.loads(content) if content[:1] in (b"{", b"[") else content
        return Answer(response.status, dict(response.getheaders()), parsed)

    def raw(self, wanted: Ask, owner: int) -> bytes:
        """A whole HTTP request as bytes."""
        return request(wanted.method, wanted.path, self.authorization(owner), wanted.body)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process with its whole group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_TIMEOUT)


def run(command: list[str], *, folder: Path, log: Path, **environment: str) -> None:
    """Run a step of an installation; raises Unavailable with the end of what it said."""
    with log.open("ab") as said:
        done = subprocess.run(
            command, cwd=folder, env=os.environ | environment, stdout=said, stderr=said, stdin=subprocess.DEVNULL,
            check=False,
        )  # fmt: skip
    if done.returncode:
        words = log.read_text(errors="replace").strip().splitlines()
        raise Unavailable(f"{Path(command[0]).name} failed: {words[-1] if words else 'no word'}")


def program(name: str) -> str:
    """Where a program of this machine is; raises Unavailable."""
    found = shutil.which(name)
    if found is None:
        raise Unavailable(f"there is no {name} here")
    return found


def build_with_go(source: Path, target: Path) -> None:
    """Build the program in ``source``; what has not changed since is taken from the cache of Go. Raises Unavailable."""
    target.parent.mkdir(parents=True, exist_ok=True)
    build = [program("go"), "build", "-C", str(source), "-trimpath", "-o", str(target), "."]
    run(build, folder=target.parent, log=target.parent / "install.log", CGO_ENABLED="0")


def virtual_environment(folder: Path, requirements: Path) -> Path:
    """A virtual environment with these requirements, made once; returns its bin."""
    binaries, mark, log = folder / "venv" / "bin", folder / "venv" / "installed", folder / "install.log"
    folder.mkdir(parents=True, exist_ok=True)
    if not mark.exists() or mark.read_text() != requirements.read_text():
        shutil.rmtree(folder / "venv", ignore_errors=True)
        run([sys.executable, "-m", "venv", "venv"], folder=folder, log=log)
        install = [str(binaries / "pip"), "install", "--disable-pip-version-check", "-q", "-r", str(requirements)]
        run(install, folder=folder, log=log)
        mark.write_text(requirements.read_text())
    return binaries


def version_in(binaries: Path, *packages: str) -> str:
    """The versions of some packages in a virtual environment: ``fastapi 0.165.0, sqlalchemy 2.1.9``."""
    code = "import importlib.metadata, sys; print(*map(importlib.metadata.version, sys.argv[1:]))"
    command = [str(binaries / "python"), "-c", code, *packages]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return ", ".join(f"{package} {found}" for package, found in zip(packages, told, strict=True))
