"""A worker that is killed around the commit of a write under an idempotency key: there are both or neither."""

from __future__ import annotations

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from app.crm.models import CrmContact
from app.runtime.embedded import database_url
from app.testing.waiting import await_true
from tests.end_to_end.service import free_port, gunicorn, started
from tests.engine.writes.keys import CONTACTS, count, kept, new_key
from tests.faults.proxy import FaultProxy

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%crm_contact%'"


@pytest.fixture(scope="module")
def proxy(app, var_dir):
    folder = Path(conninfo_to_dict(database_url(var_dir))["host"])
    with FaultProxy(folder / ".s.PGSQL.5432") as made:
        yield made


@pytest.fixture(scope="module")
def service(proxy, var_dir, tmp_path_factory):
    """A port, and the process whose worker can be killed."""
    port, log = free_port(), tmp_path_factory.mktemp("killed") / "log"
    given = {"VAR_DIR": var_dir, "DATABASE_URL": proxy.url, "DATABASE_LOCK_TIMEOUT": "30"}
    with started(gunicorn(1), port, log, **given) as process:
        yield port, process


@pytest.fixture
def direct(app, var_dir):
    with psycopg.connect(database_url(var_dir), autocommit=True) as connection:
        yield connection


def send(service, actor, method, path, key, body):
    """The answer, or None where the connection ends without one."""
    connection = http.client.HTTPConnection("127.0.0.1", service[0], timeout=60)
    headers = {
        "Authorization": f"Bearer {actor.token}", "Content-Type": "application/json", "Idempotency-Key": key,
    }  # fmt: skip
    try:
        connection.request(method, path, json.dumps(body), headers)
        answer = connection.getresponse()
        answer.content = answer.read()
    except (http.client.HTTPException, OSError):
        return None
    else:
        return answer
    finally:
        connection.close()


def kill_worker(service):
    (worker,) = psutil.Process(service[1].pid).children()
    worker.kill()
    await_true(lambda: [child.pid for child in psutil.Process(service[1].pid).children()] not in ([], [worker.pid]))


def again(service, *request):
    """The answer of the worker that has come in place of the one killed."""
    answers = []
    await_true(lambda: answers.append(send(service, *request)) or answers[-1] is not None)
    return answers[-1]


@pytest.mark.full
def test_killed_after_the_commit_and_before_the_answer_the_repetition_gets_the_answer(workshop, service, proxy):
    owner, key, body = workshop.owner, new_key(), workshop.body(CrmContact)
    request = (owner, "POST", CONTACTS, key, body)
    proxy.withhold_commits(after=b"INSERT INTO platform_idempotency_key")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(send, service, *request)
        await_true(lambda: proxy.swallowed == 1)
        (row,) = kept(owner)
        kill_worker(service)
        assert first.result() is None
    repeated = again(service, *request)
    assert (repeated.status, repeated.headers["Idempotency-Replayed"]) == (201, "true")
    assert repeated.content.decode() == json.loads(json.dumps(row["response_body"]))
    assert owner.get(CONTACTS).json["data"][0]["id"] == json.loads(repeated.content)["id"]
    assert count(owner) == 1


def test_killed_before_the_commit_nothing_of_either_is_there(workshop, service, direct, var_dir):
    owner, key, path = workshop.owner, new_key(), workshop.path(CrmContact)
    request = (owner, "PATCH", path, key, {"lastName": "King"})
    before = owner.get(path).json
    with ThreadPoolExecutor(1) as pool:
        with psycopg.connect(database_url(var_dir)) as holder:
            holder.execute("SELECT 1 FROM crm_contact WHERE id = %s FOR UPDATE", [before["id"]])
            first = pool.submit(send, service, *request)
            await_true(lambda: waiting(direct))
            kill_worker(service)
            assert first.result() is None
        assert kept(owner) == []
        assert owner.get(path).json == before
    repeated = again(service, *request)
    assert (repeated.status, repeated.headers["Idempotency-Replayed"]) == (200, None)
    assert json.loads(repeated.content)["lastName"] == "King"


def waiting(connection):
    return connection.execute(WAITING).fetchone()[0] > 0


def test_a_client_that_goes_before_the_answer_finds_it_when_it_asks_again(workshop, service):
    owner, key, body = workshop.owner, new_key(), workshop.body(CrmContact)
    connection = http.client.HTTPConnection("127.0.0.1", service[0], timeout=60)
    headers = {"Authorization": f"Bearer {owner.token}", "Content-Type": "application/json", "Idempotency-Key": key}
    connection.request("POST", CONTACTS, json.dumps(body), headers)
    connection.close()
    await_true(lambda: len(kept(owner)) == 1)
    repeated = send(service, owner, "POST", CONTACTS, key, body)
    assert (repeated.status, repeated.headers["Idempotency-Replayed"], count(owner)) == (201, "true", 1)
