"""Two web hosts and two workers of jobs on one PostgreSQL behind PgBouncer, and one Redis: `docs/scaling.md`."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import repeat
from threading import Event
from types import SimpleNamespace

import pytest
from sqlalchemy import select, text

from app.crm.models import CrmCompany
from app.runtime import embedded
from app.runtime.var_dir_lock import secret_key
from app.testing.database import transaction
from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.proxies import nginx, pgbouncer
from tests.end_to_end.service import FLASK, environment, free_port, gunicorn, started
from tests.notification.sse import EventStream

pytestmark = pytest.mark.full

COMPANIES, NOTIFICATIONS = "/api/v1/crm/company", "/api/v1/notification/notification"
DOCUMENTS = "/api/v1/ai-rag/document"
# So few that transactions of one worker keep meeting connections that another has just used.
CONNECTIONS = 4
KEPT = text("SELECT args ->> 'row_id' FROM procrastinate_jobs WHERE status IN ('todo', 'doing')")


@pytest.fixture(scope="module")
def hosts(app, var_dir, tmp_path_factory):
    """Two web hosts behind nginx and two workers; each may be killed."""
    folder = tmp_path_factory.mktemp("hosts")
    folder.chmod(0o755)
    direct = embedded.database_url(var_dir)
    same = {
        "VAR_DIR": var_dir, "REDIS_URL": embedded.redis_url(var_dir), "SECRET_KEY": secret_key(var_dir),
        "DEFAULT_LIMIT": "1000000 per minute",
    }  # fmt: skip
    with ExitStack() as stack:
        pooled = {"DATABASE_URL": stack.enter_context(pgbouncer(direct, folder, CONNECTIONS)), "DATABASE_POOLER": "1"}
        ports, masters, workers = [free_port(), free_port()], [], []
        for port in ports:
            running = started(gunicorn(2), port, folder / f"{port}.log", **same, **pooled)
            masters.append(stack.enter_context(running))
        for number in (1, 2):
            env = environment(**same, DATABASE_URL=direct)
            log = stack.enter_context((folder / f"worker{number}.log").open("wb"))
            work = subprocess.Popen([*FLASK, "jobs", "work"], cwd=ROOT, env=env, stdout=log, stderr=log)
            stack.callback(stop, work)
            workers.append(work)
        front = stack.enter_context(nginx(ports, folder))
        await_true(lambda: counted(app, "SELECT count(*) FROM procrastinate_workers") >= len(workers), 60)
        yield SimpleNamespace(ports=ports, masters=masters, workers=workers, front=front, folder=folder)


def stop(process):
    if process.poll() is None:
        process.terminate()
        process.wait(30)


def counted(app, query):
    with app.app_context(), transaction() as session:
        return session.scalar(text(query))


def send(port, token, path, body=None):
    """The status of an answer and what it holds; no status where the connection broke."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    try:
        connection.request("GET" if body is None else "POST", path, body and json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except (http.client.HTTPException, OSError, ValueError):
        return None, {}
    finally:
        connection.close()


def test_a_limit_is_exact_over_both_hosts(hosts, cast):
    key = cast.key(cast.user(), "read", rate_limit_enabled=True, rate_limit_max=50)
    with ThreadPoolExecutor(20) as pool:
        asked = pool.map(lambda number: send(hosts.ports[number % 2], key.token, COMPANIES)[0], range(200))
    assert Counter(asked) == {200: 50, 429: 150}


def test_reads_and_writes_share_few_connections_through_the_pooler(hosts, cast):
    owner = cast.user()
    key = cast.key(owner, "read", "write")

    def write_and_read(number):
        status, made = send(hosts.ports[number % 2], key.token, COMPANIES, {"name": f"Number {number}"})
        assert status == 201
        return send(hosts.ports[(number + 1) % 2], key.token, f"{COMPANIES}/{made['id']}")

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(write_and_read, range(200)))
    assert {status for status, _ in answers} == {200}
    assert {body["name"] for _, body in answers} == {f"Number {number}" for number in range(200)}


def test_times_are_utc_whatever_connection_the_pooler_lends(hosts, cast):
    owner = cast.user()
    made = [send(port, owner.token, COMPANIES, {"name": "Clock"})[1]["createdAt"] for port in hosts.ports * 5]
    assert all(time.endswith("Z") for time in made), made


def test_a_stream_at_one_host_tells_what_another_was_asked_for(hosts, cast):
    listener, admin = cast.user(), cast.key(cast.admin, "admin")
    here, there = hosts.ports
    with EventStream(here, listener.token) as stream:
        assert stream.next().name == "ready"
        told = {"userId": str(listener.user_id), "type": "MESSAGE", "title": "Across", "body": "Hello"}
        assert send(there, admin.token, NOTIFICATIONS, told)[0] == 201
        (event,) = stream.messages(1)
    assert event.data["title"] == "Across"


def test_a_key_that_one_host_revokes_is_refused_by_the_other(hosts, cast):
    owner = cast.user()
    key = cast.key(owner, "read")
    here, there = hosts.ports
    assert send(there, key.token, COMPANIES)[0] == 200
    own = owner.get("/api/v1/auth/api-key").json["data"][0]["id"]
    connection = http.client.HTTPConnection("127.0.0.1", here, timeout=30)
    connection.request("DELETE", f"/api/v1/auth/api-key/{own}", headers={"Authorization": f"Bearer {owner.token}"})
    assert connection.getresponse().status == 200
    connection.close()
    assert send(there, key.token, COMPANIES)[0] == 401


def test_jobs_go_on_when_one_of_two_workers_is_killed(hosts, app, cast):
    # The jobs of one user wait for the one that the killed worker has in hand, those of others do not.
    owner, other = cast.user(), cast.user()
    indexes = {each: each.post("/api/v1/ai-rag/index", {"name": "Papers"}).json["id"] for each in (owner, other)}

    def index_one(who, number):
        paper = {"title": f"Paper {number}", "content": f"Cranes lift number {number}. " * 20}
        return send(hosts.front, who.token, DOCUMENTS, paper | {"indexId": indexes[who]})[1]["id"]

    with ThreadPoolExecutor(4) as pool:
        before = list(pool.map(index_one, repeat(owner), range(20)))
        hosts.workers[0].kill()
        after = list(pool.map(index_one, repeat(other), range(20)))
    indexed = f"{DOCUMENTS}?status=indexed&take=100"
    await_true(lambda: {row["id"] for row in other.get(indexed).json["data"]} >= set(after), 60)
    # What was in the hands of the killed one is kept, to be done again once its heartbeat has ceased.
    with app.app_context(), transaction() as session:
        kept = set(session.scalars(KEPT))
    done = {row["id"] for row in owner.get(indexed).json["data"]}
    assert done | kept >= set(before)


def test_a_host_that_is_killed_takes_no_acknowledged_write_with_it(hosts, app, cast):
    """The last test: one host is gone after it."""
    owner, admin = cast.user(), cast.key(cast.admin, "admin")
    key = cast.key(owner, "read", "write")
    doomed, other = hosts.ports
    killed, acknowledged, over = Event(), [], Event()

    def write():
        while not over.is_set():
            status, made = send(hosts.front, key.token, COMPANIES, {"name": "Durable"})
            if status == 201:
                acknowledged.append((made["id"], killed.is_set()))

    with EventStream(doomed, owner.token) as stream, ThreadPoolExecutor(8) as pool:
        assert stream.next().name == "ready"
        told = {"userId": str(owner.user_id), "type": "MESSAGE", "title": "Before", "body": "Hello"}
        assert send(other, admin.token, NOTIFICATIONS, told)[0] == 201
        stream.messages(1)
        writers = [pool.submit(write) for _ in range(8)]
        await_true(lambda: len(acknowledged) > 100)
        os.killpg(hosts.masters[0].pid, signal.SIGKILL)
        killed.set()
        send(other, admin.token, NOTIFICATIONS, told | {"title": "Meanwhile"})
        await_true(lambda: sum(later for _, later in acknowledged) > 100)
        over.set()
        for writer in writers:
            writer.result()
        last = stream.last_id
    with app.app_context(), transaction() as session:
        kept = {str(row) for row in session.scalars(select(CrmCompany.id).where(CrmCompany.name == "Durable"))}
    assert {made for made, _ in acknowledged} <= kept
    with EventStream(other, owner.token, last=last) as stream:
        assert [event.data["title"] for event in stream.messages(1)] == ["Meanwhile"]
