"""Operations of records: every verb is listed once, and routes, batches and the description bind the same."""

from __future__ import annotations

from collections import Counter

import pytest

from app.engine.declare.catalogue import every_model
from app.engine.operations.verbs import VERBS, operations
from blueprints.openapi import records as described
from blueprints.records.bindings import BINDINGS


@pytest.fixture
def routes(app):
    """The operations that routes carry out, by endpoint."""
    found = {endpoint: getattr(view, "operation", None) for endpoint, view in app.view_functions.items()}
    return {endpoint: operation for endpoint, operation in found.items() if operation is not None}


def test_no_verb_is_listed_twice():
    assert len({verb.name for verb in VERBS}) == len(VERBS)
    for bound in (BINDINGS, described.SUMMARIES, described.STATUSES, described.DETAILS):
        assert set(bound) == set(VERBS)


def test_no_two_routes_of_records_have_a_method_and_path_in_common():
    routed = [(method, binding.path) for binding in BINDINGS.values() for method in binding.called]
    asked = [("QUERY", each.query_path) for each in BINDINGS.values() if each.query_path is not None]
    assert [each for each, count in Counter([*routed, *asked]).items() if count > 1] == []


def test_every_operation_that_somebody_may_do_has_its_routes_and_no_other_has(app, routes):
    served = {operation for model in every_model() if not model.has_custom_routes for operation in operations(model)}
    assert set(routes.values()) == served
    names = Counter(endpoint.rpartition(".")[2].removesuffix("BySafeMethod") for endpoint in routes)
    assert set(names) == {
        f"{called}{each.model.__name__}" for each in served for called in BINDINGS[each.verb].called.values()
    }


def test_the_description_has_each_operation_by_its_name(app, routes):
    document = app.test_client().get("/api/v1/openapi.json").json
    called = {
        operation["operationId"]
        for path in document["paths"].values()
        for operation in path.values()
        if isinstance(operation, dict)
    }
    assert {endpoint.rpartition(".")[2] for endpoint in routes if not endpoint.endswith("BySafeMethod")} <= called
