"""Callers without a credential are counted by their networks."""

from __future__ import annotations

import pytest

from app.testing.cast import Actor
from tests.auth.anonymous.conftest import COMPANIES


@pytest.fixture
def bounded(build):
    """An application behind a proxy, which takes two requests of a network."""
    return Actor(build(anonymous_models="crm/company", anonymous_limit="2 per minute", trusted_proxies=1))


def asked(actor, address):
    return actor.get(COMPANIES, headers={"X-Forwarded-For": address})


def test_a_network_has_so_many_requests_and_others_have_theirs(bounded):
    answers = [asked(bounded, f"2001:db8:1:2::{number}") for number in range(1, 4)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert answers[2].headers["RateLimit-Policy"] == '"anonymous";q=2;w=60'
    assert int(answers[2].headers["Retry-After"]) > 0
    assert asked(bounded, "2001:db8:1:3::1").status_code == 200


def test_a_credential_is_counted_by_itself(bounded, owner):
    answers = [asked(Actor(bounded.app, owner.token), "203.0.113.9") for _ in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 200]
