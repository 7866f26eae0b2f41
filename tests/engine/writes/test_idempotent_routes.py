"""Every route that changes something takes an idempotency key, but for those that the contract leaves out."""

from __future__ import annotations

import re

import pytest

from blueprints.http.replies import IDEMPOTENCY_KEY
from tests.engine.writes.keys import kept, keyed

CHANGING = ("post", "put", "patch", "delete")
# They ask, and change nothing.
READING = re.compile(r"/(_query|_aggregate|_search|_preview)\Z|^/api/v1/_access\Z")
# Outside of the data API, by the contract. Streams and sign-in are left out.
BESIDE = re.compile(r"/api/(upload|documents?|integrations/teams/messages)(/|\Z)")
# Routes under /api/v1 that take none; each needs its reason here.
LEFT_OUT: dict[str, str] = {}


@pytest.fixture(scope="module")
def described(app):
    """The operations of the description that change something: (method, path) to the names of their parameters."""
    document = app.test_client().get("/api/v1/openapi.json").json
    found = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method in CHANGING:
                shared = [*operations.get("parameters", []), *operation.get("parameters", [])]
                named = {each.get("name") or each["$ref"].rpartition("/")[2] for each in shared}
                found[method, path] = named
    return found


def test_every_changing_route_of_the_data_api_takes_a_key(described):
    wanted = {
        (method, path)
        for method, path in described
        if (path.startswith("/api/v1/") and not READING.search(path) and path not in LEFT_OUT) or BESIDE.match(path)
    }
    assert len(wanted) > 350
    assert {each for each in wanted if IDEMPOTENCY_KEY not in described[each]} == set()


def test_routes_of_people_and_streams_take_none(described):
    others = {
        (method, path) for method, path in described if not path.startswith("/api/v1/") and not BESIDE.match(path)
    }
    assert len(others) > 30
    assert {each for each in others if IDEMPOTENCY_KEY in described[each]} == set()


def test_the_description_leaves_no_changing_route_of_the_data_api_out(app, described):
    rules = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/api/v1/")]
    served = {
        (method.lower(), re.sub(r"<(?:[^:>]*:)?([^>]*)>", r"{\1}", rule.rule))
        for rule in rules
        for method in rule.methods
        if method.lower() in CHANGING
    }
    assert served == {each for each in described if each[1].startswith("/api/v1/")}


def test_every_route_that_says_so_reads_the_key(cast, described):
    """A key that is malformed is refused by its name, or what comes before it is."""
    owner, told = cast.user(), set()
    for (method, path), named in described.items():
        if IDEMPOTENCY_KEY not in named:
            continue
        where = re.sub(r"\{[^}]*\}", "01a1fedd-47f3-7536-a333-810773c4a6d4", path)
        answer = owner.send(method.upper(), where, json={}, query_string={IDEMPOTENCY_KEY: ""})
        assert 400 <= answer.status_code < 500, (method, path, answer.json)
        assert "Unknown query parameter" not in answer.text, (method, path)
        told |= {(method, path)} if IDEMPOTENCY_KEY in answer.text else set()
    assert len(told) > 100


def test_a_session_is_not_opened_twice_by_a_key(cast):
    owner = cast.user()
    for _ in range(2):
        keyed(owner, "POST", "/api/auth/signin", "one", {"email": "nobody@example.com", "password": "x"})
    assert kept(owner) == []
