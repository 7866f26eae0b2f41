"""What one caller, or a few addresses, ask for: an observer who asks meanwhile notices nothing of it."""

from __future__ import annotations

import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from app.engine.declare.catalogue import every_model
from app.foundation import crypto
from app.testing.waiting import await_true
from blueprints.openapi.queries import filterable
from tests.attacks import connections, payloads
from tests.attacks.caller import BOUNDARY, flood
from tests.attacks.observer import COMPANY, CONTACT, undisturbed
from tests.attacks.service import BODY_TIMEOUT

pytestmark = [pytest.mark.alone, pytest.mark.full]

SIGN_IN, SIGN_UP, AGENT = "/api/auth/signin", "/api/auth/signup", "/api/v1/ai-agent/config"
INDEX, DOCUMENT, QUERY = (f"/api/v1/ai-rag/{name}" for name in ("index", "document", "query"))
PASSWORD = "correct horse battery"
# Seconds until an answer, and for which an attack goes on.
SOON, LONG = 2, 6
SHAPE = {"error", "code", "details"}
FORM = f"multipart/form-data; boundary={BOUNDARY}"
MAX_GROWTH = 50 * 2**20
# Passwords of a flood that are hashed while somebody signs in: three of each of its networks, in each of two workers.
MAX_AHEAD = 12
# Of sign-ins in a flood against those in quiet, at the pace that the machine has by then.
MAX_SLOWDOWN = 30


def statuses(answers):
    return {answer.status for answer in answers}


def slowest(answers):
    return max(answer.seconds for answer in answers)


def typical(answers):
    return statistics.median(answer.seconds for answer in answers)


@pytest.fixture
def attacker(service):
    return service.caller()


@pytest.mark.parametrize("size", [64_000, 900_000])
def test_combining_marks_are_refused_by_their_length_before_they_are_normalized(service, attacker, size):
    address = f"{payloads.marked(size)}@example.com"
    url = f"https://{payloads.marked(min(size, 500_000))}.example.com"
    asked = [
        (SIGN_IN, {"email": address, "password": PASSWORD}),
        (SIGN_UP, {"email": address, "password": PASSWORD}),
        (SIGN_UP, {"email": "ada@example.com", "password": PASSWORD, "image": url}),
        (COMPANY, {"name": "Marks", "website": url}),
        (CONTACT, {"firstName": "Ada", "lastName": "Marks", "email": address}),
    ]
    bodies = [(path, payloads.document(body)) for path, body in asked]

    def ask(number):
        path, body = bodies[number % len(bodies)]
        who = attacker if path in (COMPANY, CONTACT) else service.caller(signed_in=False)
        return who.send("POST", path, body)

    answers = undisturbed(service, lambda: flood(ask, 6, 3))
    assert statuses(answers) <= {400, 401}
    assert slowest(answers) < SOON


def test_files_that_read_slowly_hold_neither_the_jobs_nor_the_documents_of_others(service):
    def attack():
        attacker, bystander = service.caller(), service.caller()
        uploads = [attacker.upload(content, kind) for content, kind in payloads.SLOW_FILES]
        made = [attacker.made("/api/documents", {"uploadId": upload})["id"] for upload in uploads]
        note = bystander.upload(b"Quay 4 has two cranes.", "text/plain")
        own = bystander.made("/api/documents", {"uploadId": note})["id"]
        began = time.monotonic()
        flood(lambda number: attacker.put(f"/api/documents/{made[0]}", {"title": f"Title {number}"}), 70, LONG)
        left = 20 - (time.monotonic() - began)
        await_true(lambda: bystander.get(f"/api/documents/{own}").json["content"], left)

    try:
        undisturbed(service, attack)
    finally:
        service.forget_jobs()


def test_a_search_takes_twenty_filters_and_refuses_hundreds(service, attacker):
    index = attacker.made(INDEX, {"name": "Searched", "chunkSize": 1000, "chunkOverlap": 100})["id"]
    entry = attacker.made(DOCUMENT, {"indexId": index, "title": "Cranes", "content": "Quay 4 has two cranes."})["id"]
    for number in range(20):
        label = {"documentId": entry, "key": f"k{number}", "value": "1", "valueType": "number"}
        attacker.made("/api/v1/ai-rag/metadata", label)

    def ask(keys):
        filters = {f"k{number}": 1 for number in range(keys)}
        return attacker.post(QUERY, {"indexId": index, "text": "cranes", "filter": filters})

    def attack():
        refused = flood(lambda _: ask(800), 8, SOON)
        taken = flood(lambda _: ask(20), 8, 4, 100)
        assert statuses(refused) == {400}
        assert statuses(taken) == {201}
        last = f"{QUERY}/{taken[-1].json['id']}"
        await_true(lambda: attacker.get(last).json["status"] != "running")
        return attacker.get(last).json

    assert undisturbed(service, attack)["resultCount"] == 1


def test_passages_overlap_by_half_at_most(attacker):
    refused = attacker.post(INDEX, {"name": "Overlapping", "chunkSize": 1000, "chunkOverlap": 999})
    assert refused.status == 400
    path = f"{INDEX}/{attacker.made(INDEX, {'name': 'Half', 'chunkSize': 1000, 'chunkOverlap': 500})['id']}"
    assert attacker.put(path, {"chunkOverlap": 999}).status == 400
    assert attacker.put(path, {"chunkSize": 600}).status == 400


def test_a_text_of_countless_passages_ends_its_own_indexing_alone(service, attacker):
    index = attacker.made(INDEX, {"name": "Small passages", "chunkSize": 100, "chunkOverlap": 50})["id"]

    def attack():
        texts = [{"indexId": index, "title": "Long", "content": payloads.text(payloads.MEGABYTE)} for _ in range(4)]
        made = [f"{DOCUMENT}/{attacker.made(DOCUMENT, each)['id']}" for each in texts]
        await_true(lambda: all(attacker.get(path).json["status"] != "pending" for path in made), 30)
        return [attacker.get(path).json for path in made]

    for document in undisturbed(service, attack):
        assert document["status"] == "indexed" or document["errorMessage"], document


def comers(service):
    """People who sign up and then in, one after the other, each time from an address of its own."""
    word = uuid4().hex

    def come_in(number):
        person = {"email": f"{word}-person{number // 2}@example.com", "password": PASSWORD}
        return service.caller(signed_in=False).post((SIGN_UP, SIGN_IN)[number % 2], person)

    return come_in


def test_a_flood_of_guessed_passwords_leaves_others_their_sign_ins(service):
    def attack():
        who = [(service.caller(signed_in=False), path) for path in (SIGN_IN, SIGN_UP)]
        word = uuid4().hex

        def guess(number):
            caller, path = who[number % 2]
            return caller.post(path, {"email": f"{word}-{number}@example.com", "password": f"{word} {number}"})

        with ThreadPoolExecutor(1) as pool:
            others = pool.submit(flood, comers(service), 1, LONG)
            return who, flood(guess, 40, LONG), others.result()

    quiet = flood(comers(service), 1, SOON)
    who, guesses, others = undisturbed(service, attack)
    quiet += flood(comers(service), 1, SOON)
    assert statuses(others) == {200}
    # Counted, since seconds tell of the machine.
    hashed = [answer for answer in guesses if answer.status in (200, 401)]
    assert len(hashed) <= MAX_AHEAD * (len(others) + 1)
    assert {429, 503} <= statuses(guesses) <= {200, 401, 429, 503}
    assert typical(others) < max(SOON, MAX_SLOWDOWN * typical(quiet))
    for caller, path in who:
        refused = caller.post(path, {"email": "ada@example.com", "password": PASSWORD})
        assert refused.status == 429
        assert int(refused.headers["retry-after"]) > 0


def test_thousands_of_sets_of_filters_leave_no_statement_each_in_memory(service, attacker):
    model = max(every_model(), key=lambda each: len(filterable(each)))
    # A worker that has just begun grows with whatever it does first.
    flood(lambda _: attacker.get(payloads.filtered(model, 1)), 8, 1)
    held = sum(service.resident())
    ask = lambda number: attacker.get(payloads.filtered(model, number + 2))  # noqa: E731
    answers = undisturbed(service, lambda: flood(ask, 8, 1.5 * LONG, 3000))
    assert statuses(answers) == {200}
    assert sum(service.resident()) - held < MAX_GROWTH


def test_bodies_that_never_come_are_given_up(service, attacker):
    json_body, sized = {"content_type": "application/json"}, {"content_length": "100"}
    starts = [
        connections.head(attacker, "POST", SIGN_IN, **json_body, **sized) + b"{",
        connections.head(attacker, "POST", CONTACT, **json_body, **sized) + b"{",
        connections.head(attacker, "POST", CONTACT, **json_body, transfer_encoding="chunked") + b"9",
        connections.head(attacker, "POST", "/api/upload", content_type=FORM, **sized) + b"-",
    ]
    cut = undisturbed(service, lambda: connections.left_alone(service.port, starts * 50, 2 * BODY_TIMEOUT + SOON))
    assert len(cut) == 200
    for said in {each.said for each in cut if each.said}:
        start, _, body = said.partition(b"\r\n\r\n")
        assert start.startswith(b"HTTP/1.1 408 "), said
        assert set(json.loads(body)) == SHAPE


@pytest.mark.parametrize("path", [SIGN_IN, "/api/upload"])
def test_a_body_whose_pieces_are_malformed_is_the_callers_mistake(service, attacker, path):
    kind = FORM if path == "/api/upload" else "application/json"
    start = connections.head(attacker, "POST", path, content_type=kind, transfer_encoding="chunked")
    answer = connections.spoken(service.port, start + b"zz\r\n")
    assert answer.status == 400, answer
    assert set(answer.json) == SHAPE


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (b"a" * 8200),
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: %s\r\n\r\n" % (b"a" * 9000),
        b"GET / HTTP/1.1\r\nHost: localhost\r\n%s\r\n" % (b"X-Many: a\r\n" * 200),
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Nul: a\0b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX Space: a\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02 not HTTP at all\r\n\r\n",
    ],
    ids=["long line", "long header", "many headers", "NUL", "space in a name", "version", "garbage"],
)
def test_what_the_server_itself_refuses_is_answered_in_the_shape_of_the_service(service, sent):
    answer = connections.spoken(service.port, sent)
    assert 400 <= answer.status < 500, answer
    assert answer.headers["content-type"].startswith("application/json"), answer
    assert set(answer.json) == SHAPE


def test_guesses_of_keys_are_counted_by_their_address_and_soon_leave_no_trace(service, attacker):
    key = attacker.made("/api/v1/auth/api-key", {"name": "Known", "scopes": ["read"]})["key"]

    def attack():
        guesser = service.caller(signed_in=False)
        answers = flood(lambda _: guesser.holding(crypto.make(crypto.KEY)).get(CONTACT), 8, LONG, 600)
        assert guesser.holding(key).get(CONTACT).status == 200
        return guesser.address, answers

    address, answers = undisturbed(service, attack)
    heard = [answer for answer in answers if answer.status == 401]
    assert statuses(answers) == {401, 429}
    assert len(heard) <= 60
    written = "SELECT count(*) FROM auth_api_key_analytics WHERE ip_address = :address AND outcome <> 'VALID'"
    await_true(lambda: service.count(written, address=address) >= len(heard), 5)
    assert service.count(written, address=address) == len(heard)


def test_large_bodies_that_come_together_hold_nobody_up(service, attacker):
    bodies = payloads.large_bodies()
    paths = (COMPANY, CONTACT, AGENT, DOCUMENT, "/api/documents", SIGN_IN, SIGN_UP)

    def ask(number):
        path = paths[number % len(paths)]
        who = service.caller(signed_in=False) if path in (SIGN_IN, SIGN_UP) else attacker
        return who.send("POST", path, bodies[number % len(bodies)])

    answers = undisturbed(service, lambda: flood(ask, 30, LONG, 240))
    assert statuses(answers) <= {400, 413, 429}


@pytest.mark.parametrize(("draft", "values"), [("draft-04", 5000), ("draft-07", 20_000)])
def test_a_promise_of_thousands_of_values_is_refused_unread(service, attacker, draft, values):
    body = payloads.document(payloads.agent(payloads.promise(draft, values)))
    answers = undisturbed(service, lambda: flood(lambda _: attacker.send("POST", AGENT, body), 4, 2))
    assert statuses(answers) == {400}
    assert slowest(answers) < SOON
