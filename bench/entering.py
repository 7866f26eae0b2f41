"""python -m bench.entering [DOCUMENTS]: how long others wait while documents of ten pages enter a knowledge base.

One worker of jobs cuts and embeds them, two web workers answer others, who read lists at a steady pace; they share the
processors with those who ask. Told is how long answers took before, meanwhile and afterwards, and how long it was until
all had their vectors.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.crm.models import CrmCompany
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import attempt
from app.factory import create_app
from app.schema.histories import upgrade
from bench.load import HOST, Connection, request
from bench.servers import NO_LIMIT, Server, private_parts
from config import ROOT, Settings

DOCUMENTS, PAGES, OF_PAGE, AT_ONCE = 1_000, 10, 3_000, 20
# Those who read: how many, and how often each does in a second. Seconds of quiet, and companies that they read.
READERS, PACE, QUIET, COMPANIES = 4, 20, 30.0, 200


def main(arguments: list[str]) -> int:
    """Measure from nothing and print."""
    number = int(arguments[0]) if arguments else DOCUMENTS
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder))
        with app.app_context():
            upgrade()
            tokens = [_user() for _ in range(READERS + 1)]
        server = Server("wsgi:app", folder, WORKERS="2", DEFAULT_LIMIT=NO_LIMIT)
        server.start()
        try:
            server.await_answer("/healthz")
            with working(folder):
                _measure(server, tokens, number)
        finally:
            server.stop()
    return 0


def _user() -> str:
    with attempt(SYSTEM) as unit:
        user = AuthUser(email=f"{os.urandom(8).hex()}@bench.example", name="Bench", email_verified=True)
        organization = organizations.provision_user(unit, user)
        for place in range(COMPANIES):
            unit.create(CrmCompany, {"organization_id": organization.id, "name": f"Works {place}"})
        return sessions.open_session(unit, user).token


@contextmanager
def working(folder: str) -> Iterator[None]:
    """A worker of jobs, with the local embedder."""
    command = [sys.executable, "-m", "flask", "jobs", "work"]
    worker = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "VAR_DIR": folder})
    try:
        yield
    finally:
        worker.terminate()
        worker.wait()


def _measure(server: Server, tokens: list[str], number: int) -> None:
    writer, *readers = tokens
    _waits(server.port, readers, lambda: False, 5.0)
    before = _waits(server.port, readers, lambda: False, QUIET)
    begun, took = time.monotonic(), []

    def enter() -> None:
        _enter(server.port, writer, number)
        took.append(time.monotonic() - begun)

    entering = threading.Thread(target=enter)
    entering.start()
    meanwhile = _waits(server.port, readers, lambda: not entering.is_alive(), 3600.0)
    entering.join()
    after = _waits(server.port, readers, lambda: False, QUIET)
    print(f"{number} documents of {PAGES} pages had their vectors after {took[0]:.0f} s; others waited")
    for name, waits in (("before", before), ("meanwhile", meanwhile), ("afterwards", after)):
        print(f"  {name}: {1000 * median(waits):.1f} ms (median), {1000 * quantiles(waits, n=100)[-1]:.1f} ms (p99)")


def _enter(port: int, token: str, number: int) -> None:
    """Enter documents, and wait for their vectors."""
    connection, drawn = Connection(HOST, port), random.Random(5)
    texts = [path.read_text() for path in sorted((ROOT / "docs").glob("*.md"))]
    paragraphs = [each for text in texts for each in text.split("\n\n")]
    index = _sent(connection, token, "POST", "/api/v1/ai-rag/index", {"name": "Entered"})["id"]
    for first in range(0, number, AT_ONCE):
        rows = [
            {"indexId": index, "title": f"No. {place}", "content": _text(drawn, paragraphs)}
            for place in range(first, min(first + AT_ONCE, number))
        ]
        _sent(connection, token, "POST", "/api/v1/ai-rag/document", rows)
    while True:
        time.sleep(1)
        base = _sent(connection, token, "GET", f"/api/v1/ai-rag/index/{index}")
        waiting = _sent(connection, token, "GET", f"/api/v1/ai-rag/document?indexId={index}&status=pending&take=1")
        if not waiting["data"] and base["embeddedCount"] == base["chunkCount"] > 0:
            return


def _text(drawn: random.Random, paragraphs: list[str]) -> str:
    pages = []
    for _ in range(PAGES):
        page = ""
        while len(page) < OF_PAGE:
            page += f"{drawn.choice(paragraphs)}\n\n"
        pages.append(page[:OF_PAGE])
    return "\f".join(pages)


def _sent(connection: Connection, token: str, method: str, path: str, body: Any = None) -> Any:
    answer = connection.exchange(request(method, path, f"Bearer {token}", body))
    head, _, content = answer.partition(b"\r\n\r\n")
    if b" 20" not in head.split(b"\r\n")[0]:
        raise SystemExit(f"{method} {path}: {answer[:500]!r}")
    return json.loads(content)


def _waits(port: int, tokens: list[str], is_over: Callable[[], bool], seconds: float) -> list[float]:
    """How long each answer took to those who read at their pace, in seconds."""
    waits: list[float] = []

    def read(token: str) -> None:
        connection, begun, asked = Connection(HOST, port), time.monotonic(), 0
        while not is_over() and time.monotonic() < begun + seconds:
            time.sleep(max(0.0, begun + asked / PACE - time.monotonic()))
            asked += 1
            sent = time.perf_counter()
            _sent(connection, token, "GET", "/api/v1/crm/company?take=50")
            waits.append(time.perf_counter() - sent)

    threads = [threading.Thread(target=read, args=(token,)) for token in tokens]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return waits


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
