"""Callers without a credential are counted by their networks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.testing.cast import Actor
from app.testing.waiting import await_true
from tests.auth.anonymous.conftest import COMPANIES
from tests.engine.queries.test_query_bounds import held_up


@pytest.fixture
def bounded(build):
    """An application behind a proxy, which takes two requests of a network."""
    return Actor(build(anonymous_models="crm/company", anonymous_limit="2 per minute", trusted_proxies=1))


def asked(actor, address, query=""):
    return actor.get(COMPANIES + query, headers={"X-Forwarded-For": address})


def test_a_network_has_so_many_requests_and_others_have_theirs(bounded):
    answers = [asked(bounded, f"2001:db8:1:2::{number}") for number in range(1, 4)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert answers[2].headers["RateLimit-Policy"] == '"anonymous";q=2;w=60'
    assert int(answers[2].headers["Retry-After"]) > 0
    assert asked(bounded, "2001:db8:1:3::1").status_code == 200


def test_many_networks_leave_places_to_callers_with_a_credential(build, owner, monkeypatch):
    gate = threading.Event()
    actor = Actor(build(anonymous_models="crm/company", trusted_proxies=1, queries_at_once=2))
    running = held_up(monkeypatch, gate)
    known = Actor(actor.app, owner.token)
    with ThreadPoolExecutor(2) as pool:
        asked_before = pool.submit(asked, actor, "203.0.113.9", "?name[contains]=a")
        await_true(lambda: len(running) == 1)
        assert asked(actor, "198.51.100.7", "?name[contains]=a").status_code == 503
        of_owner = pool.submit(asked, known, "198.51.100.7", "?name[contains]=a")
        await_true(lambda: len(running) == 2)
        gate.set()
        assert [each.result(30).status_code for each in (asked_before, of_owner)] == [200, 200]


def test_a_credential_is_counted_by_itself(bounded, owner):
    answers = [asked(Actor(bounded.app, owner.token), "203.0.113.9") for _ in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 200]
