"""Keys in the query: of accounts and organizations they read at most."""

from __future__ import annotations

import pytest

from app.testing.cast import Actor

ORGANIZATION, INVITATION = "/api/v1/auth/organization", "/api/v1/auth/invitation"


@pytest.fixture
def owner(cast):
    return cast.user()


def by_query(app, key, method, path, body=None):
    return Actor(app).send(method, path, json=body, query_string={"api_key": key.token})


def refused_by_query(answer):
    return answer.status_code == 400 and list(answer.json["details"]["fields"]) == ["api_key"]


def test_a_key_in_the_query_writes_nothing_of_any_model_of_accounts(cast, owner, app):
    key = cast.key(owner, "write")
    written = {
        (method, rule.rule.replace("<string:id>", str(owner.organization_id)))
        for rule in app.url_map.iter_rules()
        for method in rule.methods & {"POST", "PUT", "PATCH", "DELETE"}
        if rule.rule.startswith("/api/v1/auth/") and not rule.rule.startswith("/api/v1/auth/api-key")
        if not rule.rule.endswith(("/_query", "/_aggregate"))
    }
    assert {("POST", ORGANIZATION), ("DELETE", INVITATION), ("POST", f"{INVITATION}/_import")} < written
    assert {path for _, path in written if path.endswith(("_matching/_update", "_matching/_delete"))}
    answers = {(method, path): by_query(app, key, method, path, {}) for method, path in written}
    # Of some the session alone writes, whatever way a key comes.
    let_in = {route for route, answer in answers.items() if not (answer.status_code == 403 or refused_by_query(answer))}
    assert let_in == set()
    assert refused_by_query(answers["POST", ORGANIZATION])


def test_an_array_of_accounts_is_not_written_with_a_key_in_the_query(cast, owner, app):
    key = cast.key(owner, "write")
    assert refused_by_query(by_query(app, key, "POST", ORGANIZATION, [{"name": "Mine"}]))


def test_a_batch_with_a_key_in_the_query_writes_no_accounts_and_goes_on_with_the_rest(cast, owner, app):
    key = cast.key(owner, "write")
    requests = [
        {"method": "POST", "path": ORGANIZATION, "body": {"name": "Mine"}},
        {"method": "GET", "path": ORGANIZATION},
        {"method": "POST", "path": "/api/v1/crm/company", "body": {"name": "Acme"}},
    ]
    answers = by_query(app, key, "POST", "/api/v1/_batch", {"atomic": False, "requests": requests}).json["data"]
    assert [each["status"] for each in answers] == [400, 200, 201]
    assert list(answers[0]["body"]["details"]["fields"]) == ["api_key"]


def test_a_key_in_the_query_reads_accounts_and_writes_what_is_none(cast, owner, app):
    key = cast.key(owner, "write")
    assert by_query(app, key, "GET", ORGANIZATION).status_code == 200
    assert by_query(app, key, "POST", f"{ORGANIZATION}/_query", {}).status_code == 200
    assert by_query(app, key, "POST", "/api/v1/crm/company", {"name": "Acme"}).status_code == 201
    assert key.post(ORGANIZATION, {"name": "Mine"}).status_code == 201
