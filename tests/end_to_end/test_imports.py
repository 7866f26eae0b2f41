"""Imports by real processes: a worker that is killed, clients that go away or send in pieces, and memory."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import time
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest

from app.runtime.embedded import database_url
from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.service import FLASK, environment
from tests.storage.imports.files import COMPANIES, send

ROWS, MIB = 30_000, 1024 * 1024
PATH = f"/api/v1/{COMPANIES}/_import?as=csv"
SIZE = 48 * MIB
# The file, and what it takes to write its batches.
MAX_GROWTH = 160 * MIB
STALLED = "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'"
RESUME = """
SELECT procrastinate_defer_jobs_v1(ARRAY[ROW('default', 'resume_stalled', 0, NULL, NULL,
    jsonb_build_object('timestamp', 0), NULL)::procrastinate_job_to_defer_v1])
"""


@pytest.fixture(scope="module")
def database(app, var_dir):
    with psycopg.connect(database_url(var_dir), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


@contextmanager
def working(var_dir, log):
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*FLASK, "jobs", "work"], cwd=ROOT, env=environment(VAR_DIR=var_dir), stdout=output, stderr=output
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def work(var_dir):
    subprocess.run(
        [*FLASK, "jobs", "work", "--until-empty"], cwd=ROOT, env=environment(VAR_DIR=var_dir), check=True, timeout=120
    )


def count(actor):
    return actor.get(f"/api/v1/{COMPANIES}").json["total"]


@pytest.mark.full
@pytest.mark.parametrize("partial", [False, True], ids=["whole", "partial"])
def test_an_import_whose_worker_is_killed_is_done_by_the_next_one(owner, database, var_dir, tmp_path, partial):
    content = "name\r\n" + "".join(f"Firm {number}\r\n" for number in range(ROWS))
    url = send(owner, COMPANIES, content, partial=partial).json["url"]
    with working(var_dir, tmp_path / "log") as worker:
        await_true(lambda: owner.get(url).json["rows"] >= 1500)
        worker.kill()
        worker.wait()
    found = owner.get(url).json
    assert found["status"] == "running"
    assert count(owner) == (found["created"] if partial else 0)
    assert 0 < found["rows"] < ROWS
    database.execute(STALLED)
    database.execute(RESUME)
    work(var_dir)
    work(var_dir)
    found = owner.get(url).json
    assert (found["status"], found["rows"], found["created"]) == ("completed", ROWS, ROWS)
    assert count(owner) == ROWS


def posted(service, actor, body, **options):
    """The answer of the service to a file."""
    headers = {"Authorization": f"Bearer {actor.token}", "Content-Type": "text/csv"}
    with closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)) as connection:
        connection.request("POST", PATH, body, headers, **options)
        response = connection.getresponse()
        found = json.loads(response.read())
    assert response.status in (200, 202), found
    return found


def test_a_body_in_pieces_is_read_to_its_end(owner, service):
    pieces = iter([b"name\r\nHar", b"bour Works\r\n", b"Quay\r\n"])
    assert posted(service, owner, pieces, encode_chunked=True)["meta"]["created"] == 2


@pytest.mark.parametrize("kind", ["text/csv", "multipart/form-data; boundary=b", "chunked"])
def test_a_client_that_hangs_up_in_the_middle_leaves_nothing(owner, service, kind):
    length = "Transfer-Encoding: chunked" if kind == "chunked" else "Content-Length: 1000000"
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {owner.token}\r\n{length}\r\n"
    head += f"Content-Type: {'text/csv' if kind == 'chunked' else kind}\r\n\r\n"
    body = "name\r\nHarbour Works\r\nQuay\r\n"
    if kind == "chunked":
        body = f"{len(body):x}\r\n{body}\r\n"
    elif kind != "text/csv":
        body = f'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n{body}'
    (worker,) = psutil.Process(service.pid).children()
    before = worker.num_fds()
    with service.quiet():
        with socket.create_connection(("127.0.0.1", service.port)) as client:
            client.sendall((head + body).encode())
            time.sleep(0.2)
        await_true(lambda: worker.num_fds() <= before, 10)
    assert count(owner) == 0


def peak(pid):
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) * 1024


@pytest.mark.full
def test_the_memory_of_a_large_import_is_bounded(owner, service, var_dir, tmp_path):
    (worker,) = psutil.Process(service.pid).children()
    line = "x" * 150
    # A single character beyond the basic plane has Python hold a text in four bytes for each.
    content = ("name\r\n" + f"{line}\r\n" * (SIZE // 152 - 1) + "😀\r\n").encode()
    assert posted(service, owner, b"name\r\nx\r\n")["meta"]["created"] == 1
    before = peak(worker.pid)
    url = posted(service, owner, content)["url"]
    grown = peak(worker.pid) - before
    print(f"\nThe peak of a web worker grew by {grown / MIB:.1f} MiB")
    assert grown < MAX_GROWTH
    with working(var_dir, tmp_path / "log") as job_worker:
        await_true(lambda: owner.get(url).json["total"] == SIZE // 152)
        await_true(lambda: owner.get(url).json["rows"] >= 10_000)
        grown = peak(job_worker.pid)
        print(f"The peak of a worker of jobs is {grown / MIB:.1f} MiB")
        owner.delete(url)
        await_true(lambda: owner.get(url).json["status"] == "cancelled")
        assert grown < 2 * MAX_GROWTH
