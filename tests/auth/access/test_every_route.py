"""A key that nothing is granted to is refused by every route, before anything of the request is looked at."""

from __future__ import annotations

import re

import pytest

from app.auth.credentials.access import WithGrants
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.read.grants import OPERATIONS

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@pytest.fixture(scope="module")
def empty_key(cast):
    return cast.key(cast.user(), "read", "write", access=[])


def routes(app):
    for rule in app.url_map.iter_rules():
        access = getattr(app.view_functions[rule.endpoint], "access", None)
        for method in sorted(rule.methods & set(VERBS)):
            yield rule, method, access


def address(rule):
    return re.sub(r"<[^>]*>", EXAMPLE_ID, rule.rule)


def ask(actor, rule, method):
    body = {} if method in ("POST", "PUT", "PATCH") else None
    headers = {"Authorization": f"Bearer {actor.token}"}
    return actor.app.test_client().open(address(rule), method=method, json=body, headers=headers)


def test_every_route_is_closed_to_it_unless_it_is_open_to_everybody_or_tells_of_grants(app, empty_key):
    left = []
    for rule, method, access in routes(app):
        if access.open or access.optional or access.composite or access.with_grants is WithGrants.EVERYBODY:
            continue
        answer = ask(empty_key, rule, method)
        if answer.status_code != 403:
            left.append((method, rule.rule, answer.status_code))
    assert left == []


def test_routes_that_work_without_a_credential_and_know_whose_comes_are_closed_to_it(app, empty_key):
    for rule, method, access in routes(app):
        if access.optional and not access.open and rule.rule.startswith("/api/"):
            answer = ask(empty_key, rule, method)
            assert answer.status_code == 403, (method, rule.rule, answer.status_code)


def test_what_stays_tells_it_that_nothing_is_granted(empty_key):
    assert empty_key.get("/api/v1/_access").json == {"scopes": ["read", "write"], "narrowed": True, "models": []}
    assert empty_key.get("/api/v1/_catalogue").json["domains"] == []
    answer = empty_key.post("/api/v1/_batch", {"requests": [{"method": "GET", "path": "/api/v1/crm/deal"}]})
    assert answer.status_code == 403


def test_every_route_by_hand_that_stands_for_an_operation_names_one_that_grants_know(app):
    for rule, _, access in routes(app):
        if access.requires_grants is not None:
            assert set(access.requires_grants.operations) <= set(OPERATIONS), rule.rule
            assert access.requires_grants.operations, rule.rule
