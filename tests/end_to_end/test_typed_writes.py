"""Writes of the generated clients: one that is answered by nothing is sent again, and done once."""

from __future__ import annotations

import json
from collections import defaultdict
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from config import ROOT
from tests.end_to_end.cutting import cutting
from tests.end_to_end.packages import BIN, run
from tests.end_to_end.scripted import Answer, scripted

pytestmark = pytest.mark.full

TESTS = ROOT / "tests"
LANGUAGES = ["typescript", "python"]
MADE = Answer('{"id": "1", "name": "Works"}', 201)
BUSY = Answer('{"error": "Try again", "code": "UNAVAILABLE", "details": {}}', 503, {"Retry-After": "1"})
HELD = Answer('{"error": "Is being worked on", "code": "CONFLICT", "details": {}}', 409, {"Retry-After": "1"})
IN_USE = Answer('{"error": "Is in use", "code": "CONFLICT", "details": {}}', 409)


@pytest.fixture(scope="module")
def port(shared_service):
    return shared_service.port


def call(address, method, path, token=None, body=None):
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(address + path, data, headers, method=method), timeout=30) as answer:
        return json.load(answer)


@pytest.fixture
def token(port):
    """That of somebody who has signed up."""
    person = {"email": f"writes-{uuid4().hex[:8]}@example.com", "password": "correct horse battery"}
    return call(f"http://127.0.0.1:{port}", "POST", "/api/auth/signup", body=person)["token"]


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture
def writer(request, language):
    """Makes companies with a client; gives what it prints."""
    if language == "typescript":
        request.getfixturevalue("made")
        command = [BIN / "node", TESTS / "node" / "writer.mjs"]
    else:
        command = [request.getfixturevalue("interpreter"), TESTS / "end_to_end" / "writer.py"]
    return lambda *arguments: run(*command, *arguments).splitlines()


@pytest.mark.parametrize(("way", "number"), [("records", 1), ("generated", 1), ("batch", 1), ("many", 200)])
def test_a_write_whose_answer_is_cut_off_is_done_once_and_answered(port, token, writer, way, number):
    with cutting(port) as proxy:
        assert writer(proxy.url, token, way, "Works") == [f"made: {number} Works"]
    first, again = proxy.passed
    assert first.key == again.key
    assert (first.is_replay, again.is_replay) == (False, True)
    path = "/api/v1/crm/company?name=Works"
    assert call(f"http://127.0.0.1:{port}", "GET", path, token)["total"] == number


def test_an_awaited_write_whose_answer_is_cut_off_is_done_once(port, token, interpreter):
    with cutting(port) as proxy:
        said = run(interpreter, TESTS / "end_to_end" / "writer.py", proxy.url, token, "awaited", "Works")
    assert said.splitlines() == ["made: 1 Works"]
    assert [each.is_replay for each in proxy.passed] == [False, True]


@pytest.mark.parametrize("refusal", [BUSY, HELD], ids=["busy", "held"])
def test_a_write_is_sent_again_with_its_key_after_the_time_that_the_service_asks_for(writer, refusal):
    with scripted(refusal, MADE) as service:
        assert writer(service.url, "any", "records", "Works") == ["made: 1 Works"]
    first, again = service.requests
    assert first.headers["Idempotency-Key"] == again.headers["Idempotency-Key"] is not None
    assert again.moment - first.moment >= 1


def test_a_write_is_sent_four_times_at_most(writer):
    gateway = Answer("{}", 502)
    with scripted(*[gateway] * 5) as service:
        assert writer(service.url, "any", "records", "Works") == ["refused: 502 UNKNOWN_ERROR"]
    assert len(service.requests) == 4


def test_a_refusal_is_final(writer):
    with scripted(IN_USE, MADE) as service:
        assert writer(service.url, "any", "records", "Works") == ["refused: 409 CONFLICT"]


def test_a_longer_wait_than_a_minute_is_left_to_the_caller(writer):
    later = Answer(BUSY.text, 503, {"Retry-After": "3600"})
    with scripted(later, MADE) as service:
        assert writer(service.url, "any", "records", "Works") == ["refused: 503 UNAVAILABLE"]


def test_a_write_without_a_credential_has_no_key_and_is_sent_once(writer):
    with scripted(BUSY, MADE) as service:
        assert writer(service.url, "", "records", "Works") == ["refused: 503 UNAVAILABLE"]
    (only,) = service.requests
    assert only.headers["Idempotency-Key"] is None


def test_a_write_that_is_aborted_is_not_sent_again(made):
    with scripted(BUSY, MADE) as service:
        said = run(BIN / "node", TESTS / "node" / "writer.mjs", service.url, "any", "aborted", "Works")
    assert said.splitlines() == ["broken: TimeoutError"]
    assert len(service.requests) == 1


@pytest.fixture(scope="module", params=LANGUAGES)
def told(request, port):
    """What the example of writes prints, by the word that its lines begin with."""
    if request.param == "typescript":
        command = [BIN / "node", request.getfixturevalue("compiled") / "writes.js"]
    else:
        command = [request.getfixturevalue("interpreter"), request.getfixturevalue("checked") / "writes.py"]
    said = run(*command, f"http://127.0.0.1:{port}", f"writes-{uuid4().hex[:8]}@example.com").splitlines()
    lines = defaultdict(list)
    for word, _, rest in (line.partition(": ") for line in said):
        lines[word].append(rest)
    return lines


def test_a_record_knows_its_version(told):
    assert told["created"] == ["Cranes, version 1"]
    assert told["updated"] == ["3500, version 2"]


def test_a_change_of_a_record_that_has_changed_since_is_a_conflict(told):
    assert told["conflict"] == ["412 PRECONDITION_FAILED, version 2"]


def test_a_change_by_id_has_no_condition(told):
    assert told["anyway"] == ["4000"]


def test_changes_of_many_at_once_are_all_kept(told):
    assert told["modified"] == ["4008"]


def test_many_records_are_written_at_once(told):
    assert told["made"] == ["Buoys,Docks,Ferries"]
    assert told["changed"] == ["Call about Buoys,Call about Docks,Call about Ferries"]
    assert (told["counted"], told["matched"]) == (["3"], ["3"])
    assert (told["deleted"], told["removed"]) == (["1"], ["1"])


def test_an_upsert_says_what_became_of_its_records(told):
    assert told["upserted"] == ["1 created, 1 updated"]


def test_a_refused_array_says_what_is_wrong_with_which_record(told):
    assert told["refused"] == ["400, 1 VALIDATION_ERROR"]


def test_a_batch_refers_to_its_own_answers(told):
    assert told["batch"] == ["201 201"]


def test_an_export_comes_record_by_record(told):
    assert told["exported"] == ["Cranes 4008"]
