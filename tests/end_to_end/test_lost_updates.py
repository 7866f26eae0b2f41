"""Several real workers: no update is lost to another, and a request with an idempotency key is carried out once."""

from __future__ import annotations

import http.client
import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from app.crm.models import CrmContact, CrmDeal
from tests.end_to_end.service import free_port, gunicorn, started
from tests.engine.writes.keys import CONTACTS, kept, new_key

WRITERS = 50
PATIENCE = 120


@pytest.fixture(scope="module")
def port(app, var_dir, tmp_path_factory):
    number = free_port()
    log = tmp_path_factory.mktemp("lost-updates") / "log"
    with started(gunicorn(4), number, log, VAR_DIR=var_dir, DEFAULT_LIMIT="1000000 per minute"):
        yield number


@pytest.fixture
def client_of(port):
    """Makes clients, and closes their connections at the end."""
    made = []

    def make(actor):
        made.append(Client(port, actor.token))
        return made[-1]

    yield make
    for client in made:
        client.connection.close()


class Client:
    """A client with a connection of its own."""

    def __init__(self, port, token):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.token = token

    def send(self, method, path, body=None, headers=()):
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **dict(headers)}
        self.connection.request(method, path, None if body is None else json.dumps(body), sent)
        answer = self.connection.getresponse()
        answer.content = answer.read()
        return answer


def add_one(client, path):
    """Read the amount, add one and write it back; again while others were faster. Returns how often."""
    tries, deadline = 0, time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        tries += 1
        read = client.send("GET", path)
        amount = json.loads(read.content)["amount"]
        written = client.send("PATCH", path, {"amount": amount + 1}, {"If-Match": read.headers["ETag"]})
        if written.status == 200:
            return tries
        assert written.status == 412, written.content
    pytest.fail("the others were always faster")


@pytest.mark.full
def test_fifty_writers_of_one_counter_lose_no_update(workshop, client_of):
    owner, path = workshop.owner, workshop.path(CrmDeal, amount=0)
    clients = [client_of(owner) for _ in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        tries = list(pool.map(lambda client: add_one(client, path), clients))
    stored = owner.get(path)
    assert stored.json["amount"] == WRITERS
    assert stored.headers["ETag"].startswith(f'"{WRITERS + 1}-')
    assert sum(tries) > WRITERS  # they did meet


@pytest.mark.full
def test_fifty_requests_with_one_key_make_one_row_and_get_one_answer(workshop, client_of):
    owner, key, body = workshop.owner, new_key(), workshop.body(CrmContact)
    barrier, told = Barrier(WRITERS), Counter()

    def send(client):
        barrier.wait()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            answer = client.send("POST", CONTACTS, body, {"Idempotency-Key": key})
            told[answer.status, json.loads(answer.content).get("code"), answer.headers["Idempotency-Replayed"]] += 1
            if answer.status != 409:
                return answer.status, answer.content, answer.headers["ETag"]
            assert answer.headers["Retry-After"] == "1"
        pytest.fail("the key was never free")

    with ThreadPoolExecutor(WRITERS) as pool:
        answers = set(pool.map(send, [client_of(owner) for _ in range(WRITERS)]))
    ((status, content, _),) = answers
    assert status == 201
    (row,) = owner.get(CONTACTS).json["data"]
    assert row["id"] == json.loads(content)["id"]
    assert len(kept(owner)) == 1
    assert told[201, None, None] == 1
    assert told[201, None, "true"] == WRITERS - 1
    assert {code for status, code, _ in told if status == 409} <= {"CONFLICT"}


def test_header_names_with_underscores_are_no_keys_and_two_keys_are_not_one(workshop, client_of):
    """What a server in front may have let through."""
    owner, body = workshop.owner, workshop.body(CrmContact)
    client = client_of(owner)
    assert client.send("POST", CONTACTS, body, {"Idempotency_Key": "smuggled"}).status == 201
    assert kept(owner) == []
    path = workshop.path(CrmContact)
    assert client.send("PATCH", path, {"lastName": "King"}, {"If_Match": '"9"'}).status == 200
    client.connection.putrequest("PATCH", path)
    text = json.dumps({"lastName": "Queen"}).encode()
    headers = [("Authorization", f"Bearer {owner.token}"), ("Content-Type", "application/json")]
    headers += [("Content-Length", str(len(text))), ("Idempotency-Key", "one"), ("Idempotency-Key", "two")]
    for name, value in headers:
        client.connection.putheader(name, value)
    client.connection.endheaders(text)
    client.connection.getresponse().read()
    assert [row["key"] for row in kept(owner)] == ["one,two"]
