"""A rolling upgrade from 0.3.0 under load: the schema first, step by step, then one host after the other. Nobody is
refused, and nothing that was acknowledged is lost."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
import requests

from app.runtime.embedded import Postgres, Redis, database_url, redis_url
from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.proxies import nginx
from tests.end_to_end.service import FLASK, environment, free_port, gunicorn, started
from tests.faults.ledger import Ledger, Outcome
from tests.faults.load import STOPPED_WITHIN, Client
from tests.faults.verify import Verifier

RELEASE = "7a0bb13379d5fc7fbbcca527b22738d795041ef0"
PEOPLE = 6
# Good answers that everybody has between two steps.
SERVED = 10
SETTINGS = {"DEFAULT_LIMIT": "1000000 per minute", "SIGN_UP_LIMIT": "1000 per minute", "ENVIRONMENT": "development"}
# How requests may end while nothing is broken.
GOOD = {Outcome.ACKNOWLEDGED}


class Visitor(Client):
    """Somebody who needs no admin and no provider."""

    def _mix(self) -> list[tuple[Callable[[], None], int]]:
        return [(action, weight) for action, weight in super()._mix() if action not in (self.notify, self.ask)]


@dataclass
class Hosts:
    """Two web hosts behind nginx, a worker of jobs, and their database, of which each may be of another release."""

    folder: Path
    ports: tuple[int, int] = field(default_factory=lambda: (free_port(), free_port()))
    running: dict[str, ExitStack] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, str]:
        return SETTINGS | {
            "DATABASE_URL": database_url(str(self.folder)), "REDIS_URL": redis_url(str(self.folder)),
            "VAR_DIR": str(self.folder / "var"), "SECRET_KEY": self.secret_key,
        }  # fmt: skip

    def __post_init__(self) -> None:
        self.secret_key = secrets.token_hex(32)
        self.uploads = self.folder / "var" / "uploads"
        self.uploads.mkdir(parents=True)

    def run(self, *command: str, tree: Path) -> str:
        """Run a flask command of a release to its end."""
        done = subprocess.run(
            [*FLASK, *command], cwd=tree, env=environment(**self.settings), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def serve(self, port: int, tree: Path) -> None:
        """Serve a release at ``port``, in place of what serves there."""
        self.end(str(port))
        stack = self.running[str(port)] = ExitStack()
        log = self.folder / f"{port}-{tree.name}.log"
        stack.enter_context(started(gunicorn(), port, log, folder=tree, **self.settings))

    def work(self, tree: Path) -> None:
        """Have a release do the jobs."""
        self.end("jobs")
        stack = self.running["jobs"] = ExitStack()
        log = stack.enter_context((self.folder / f"jobs-{tree.name}.log").open("wb"))
        process = subprocess.Popen(
            [*FLASK, "jobs", "work"], cwd=tree, env=environment(**self.settings), stdout=log, stderr=log
        )
        stack.callback(process.wait, 60)
        stack.callback(process.terminate)

    def end(self, name: str) -> None:
        """End a host, or the worker of jobs, in order."""
        if name in self.running:
            self.running.pop(name).close()

    def end_all(self) -> None:
        for name in list(self.running):
            self.end(name)

    def sql(self, query: str, *binds: Any) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with psycopg.connect(database_url(str(self.folder)), autocommit=True) as connection:
            cursor = connection.execute(query, binds)
            return cursor.fetchall() if cursor.description is not None else []


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """The tree of 0.3.0, whose libraries are those of today."""
    archive = subprocess.run(["git", "archive", RELEASE], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        pytest.skip("the history of this checkout does not reach back to 0.3.0")
    folder = tmp_path_factory.mktemp("0.3.0")
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="tar")
    return folder


@contextmanager
def hosts_of(release: Path) -> Iterator[tuple[Hosts, int]]:
    """Two hosts of a release, on a database of its own, with the port in front of them."""
    # Sockets lie in it, so its path is short.
    folder = Path(tempfile.mkdtemp(prefix="rgu-"))
    folder.chmod(0o755)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        for part in (Redis(str(folder)), Postgres(str(folder))):
            stack.callback(part.stop)
            part.start()
        hosts = Hosts(folder)
        stack.callback(hosts.end_all)
        hosts.run("db", "upgrade", tree=release)
        for port in hosts.ports:
            hosts.serve(port, release)
        hosts.work(release)
        # A host of 0.3.0 that ends closes idle connections at once, also under a write that is just being sent.
        yield hosts, stack.enter_context(nginx(hosts.ports, folder, repeats_writes=True))


def sign_up(front: int, number: int) -> SimpleNamespace:
    body = {"name": "Ada", "email": f"ada{number}@example.com", "password": "a crane lifts 40 ships"}
    answer = requests.post(f"http://127.0.0.1:{front}/api/auth/signup", json=body, timeout=60)
    assert answer.status_code in (200, 201), answer.text
    return SimpleNamespace(token=answer.json()["token"], user_id=answer.json()["user"]["id"])


@contextmanager
def visited(front: int, people: list[SimpleNamespace], ledger: Ledger) -> Iterator[list[Visitor]]:
    """People who use the service until the end of the block; each waits for the answer that is on its way."""
    clients = [Visitor(each, each, front, ledger, f"rolling {index}") for index, each in enumerate(people)]
    for each in clients:
        each.running.set()
        each.start()
    try:
        yield clients
    finally:
        for each in clients:
            each.running.clear()
            each.ended.set()
        for each in clients:
            each.join(STOPPED_WITHIN)


@pytest.mark.full
def test_a_rolling_upgrade_from_0_3_refuses_nobody_and_loses_nothing(release):
    ledger = Ledger()

    def used_a_while() -> None:
        expected = ledger.outcomes[Outcome.ACKNOWLEDGED] + SERVED * PEOPLE
        await_true(lambda: ledger.outcomes[Outcome.ACKNOWLEDGED] >= expected, 60)

    with hosts_of(release) as (hosts, front):
        people = [sign_up(front, number) for number in range(PEOPLE)]
        with visited(front, people, ledger) as clients:
            used_a_while()
            hosts.end("jobs")  # which would fail jobs that it does not know
            applied = hosts.run("db", "upgrade", "--online", tree=ROOT)
            used_a_while()
            for port in hosts.ports:
                hosts.serve(port, ROOT)
                used_a_while()
            hosts.work(ROOT)
            used_a_while()
        assert "of Rowgate" in applied
        assert {outcome: number for outcome, number in ledger.outcomes.items() if outcome not in GOOD} == {}, (
            ledger.failures[:10]
        )
        assert ledger.faults == []
        assert Verifier(hosts, ledger, clients, []).last_findings() == []
