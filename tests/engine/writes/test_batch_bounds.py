"""What a batch takes: how many requests, which routes, how much it reads, and what it costs its caller."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import pytest

from app.crm.models import CrmCompany, CrmContact
from app.testing.workshop import Workshop
from tests.engine.writes.test_batch import ABSENT, API, BATCH, COMPANY, CONTACT, make_company, part, send
from tests.engine.writes.twins import growth


@pytest.fixture
def shop(cast):
    return Workshop(cast, cast.user())


def test_a_hundred_requests_are_taken_and_one_more_is_not(app, shop):
    assert len(send(shop.owner, *[make_company(ref=f"c{n}") for n in range(100)]).json["data"]) == 100
    with growth(app) as grown:
        answer = send(shop.owner, *[make_company(ref=f"c{n}") for n in range(101)])
    assert (answer.status_code, answer.json["code"]) == (400, "VALIDATION_ERROR")
    assert grown == {}


READ = part("GET", COMPANY)
MALFORMED = {
    "none": {"requests": []}, "missing": {}, "no_list": {"requests": {}}, "text": {"requests": ["x"]},
    "unknown": {"requests": [READ], "x": 1}, "atomic": {"requests": [READ], "atomic": "no"},
    "method": {"requests": [part("HEAD", COMPANY)]}, "lower": {"requests": [part("get", COMPANY)]},
    "query": {"requests": [part("QUERY", COMPANY)]}, "no_path": {"requests": [{"method": "GET"}]},
    "array": {"requests": [part("POST", CONTACT, [{}])]}, "body_text": {"requests": [part("POST", CONTACT, "x")]},
    "member": {"requests": [part("GET", COMPANY, headers={})]},
}  # fmt: skip


@pytest.mark.parametrize("shape", MALFORMED)
def test_what_is_no_batch_is_refused(shop, shape):
    answer = shop.owner.post(BATCH, MALFORMED[shape])
    assert (answer.status_code, answer.json["code"]) == (400, "VALIDATION_ERROR"), answer.json


NOT_TAKEN = {
    "batch": ("POST", BATCH, {"requests": [READ]}), "key": ("GET", f"{API}/auth/api-key", None),
    "make_key": ("POST", f"{API}/auth/api-key", {"name": "x"}), "query": ("POST", f"{COMPANY}/_query", {}),
    "sums": ("POST", f"{COMPANY}/_aggregate", {}), "matching": ("POST", f"{CONTACT}/_matching/_delete", {}),
    "change_many": ("PATCH", CONTACT, {}), "delete_many": ("DELETE", CONTACT, None),
    "description": ("GET", f"{API}/openapi.json", None), "docs": ("GET", f"{API}/docs", None),
    "session": ("GET", "/api/auth/session", None), "sign_in": ("POST", "/api/auth/signin", {}),
    "account": ("GET", "/account", None), "health": ("GET", "/healthz", None), "root": ("GET", "/", None),
    "upload": ("POST", "/api/upload", {}), "console": ("GET", "/console", None), "metrics": ("GET", "/metrics", None),
    "notifications": ("GET", "/api/notifications/stream", None), "static": ("GET", "/static/api.js", None),
    "search": ("POST", f"{API}/ai-rag/search", {}), "url": ("GET", "http://localhost/api/v1/crm/company", None),
    "other_host": ("GET", "//other.example/api/v1/crm/company", None), "slashes": ("GET", "/api//v1/crm/company", None),
    "dots": ("GET", "/api/v1/x/../crm/company", None), "relative": ("GET", "api/v1/crm/company/", None),
    "slash": ("GET", f"{COMPANY}/", None), "many": ("DELETE", f"{CONTACT}?ids={ABSENT}", None),
    "upsert": ("POST", f"{COMPANY}?onConflict=name", {"name": "x"}),
    "credential": ("POST", f"{COMPANY}?api_key=rg_x", {"name": "x"}),
    "keyed": ("POST", f"{COMPANY}?idempotencyKey=x", {"name": "x"}),
    "condition": ("PATCH", f"{COMPANY}/{ABSENT}?ifMatch=1", {}),
}  # fmt: skip


@pytest.mark.parametrize("route", NOT_TAKEN)
def test_routes_that_are_about_more_than_single_models_are_refused_inside(app, shop, route):
    method, path, body = NOT_TAKEN[route]
    with growth(app) as grown:
        answer = send(shop.owner, make_company(), part(method, path, body))
    assert answer.json["code"] == "BATCH_FAILED", answer.json
    assert answer.status_code in (400, 404, 405)
    assert grown == {}


UNWANTED = {
    "body_of_a_read": part("GET", COMPANY, {}), "body_of_a_delete": part("DELETE", f"{COMPANY}/{ABSENT}", {}),
    "condition_of_a_read": part("GET", f"{COMPANY}/{ABSENT}", ifMatch="1"),
    "condition_of_a_create": part("POST", COMPANY, {"name": "x"}, ifMatch="1"),
    "no_body": part("POST", COMPANY), "condition": part("DELETE", f"{COMPANY}/{ABSENT}", ifMatch="x"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNWANTED)
def test_what_an_operation_does_not_take_is_refused(shop, what):
    answer = send(shop.owner, UNWANTED[what])
    assert (answer.status_code, answer.json["code"]) == (400, "BATCH_FAILED"), answer.json


def test_a_thousand_records_are_read_at_most(shop):
    company = shop.make(CrmCompany)["id"]
    person = {"firstName": "A", "lastName": "B", "companyId": company}
    shop.owner.post(CONTACT, [{**person, "email": f"{n}@many.example"} for n in range(600)])
    page, half = part("GET", f"{CONTACT}?take=600"), part("GET", f"{CONTACT}?take=400")
    assert send(shop.owner, page, half).status_code == 200
    assert send(shop.owner, page, half, *[make_company(ref=f"c{n}") for n in range(90)]).status_code == 200
    answer = send(shop.owner, page, half, part("GET", f"{COMPANY}/{company}"))
    assert (answer.status_code, answer.json["details"]["body"]["error"]) == (400, "A batch reads at most 1000 records")


def test_what_the_requests_of_a_batch_expand_is_counted_together(shop, build):
    small = type(shop.owner)(build(max_records=31), shop.owner.token)
    company = shop.make(CrmCompany)["id"]
    page, single = part("GET", f"{CONTACT}?expand=company&take=5"), part("GET", f"{COMPANY}/{company}?expand=contacts")
    assert send(small, page, page, page, READ).status_code == 200
    assert send(small, page, single, READ).status_code == 200
    answer = send(small, page, page, single)
    assert (answer.status_code, answer.json["details"]["index"]) == (400, 2)
    assert "could hold 41 records" in answer.json["details"]["body"]["error"]


def test_the_answer_of_a_batch_is_as_large_as_that_of_a_query_at_most(shop, build):
    small = type(shop.owner)(build(max_answer_bytes=4000), shop.owner.token)
    assert send(small, *[make_company(ref=f"c{n}") for n in range(3)]).status_code == 200
    answer = send(small, *[make_company("x" * 200, ref=f"c{n}") for n in range(20)])
    assert answer.status_code == 400
    assert shop.owner.get(COMPANY).json["total"] == 3


def test_each_request_needs_the_scope_that_it_needs_singly(cast, shop):
    made = shop.make(CrmContact)
    reader = cast.key(shop.owner, "read")
    assert send(reader, READ, part("GET", f"{CONTACT}/{made['id']}")).status_code == 200
    answer = send(reader, READ, part("PATCH", f"{CONTACT}/{made['id']}", {"title": "x"}))
    single = reader.patch(f"{CONTACT}/{made['id']}", {"title": "x"})
    assert (answer.status_code, answer.json["details"]["body"]) == (403, single.json)
    assert answer.json["details"]["index"] == 1


@pytest.mark.parametrize("request_", [
    part("GET", f"{API}/auth/session"), part("PATCH", f"{API}/auth/user/{ABSENT}", {"name": "x"}),
    part("DELETE", f"{API}/auth/session/{ABSENT}"),
], ids=lambda each: each["path"])  # fmt: skip
def test_what_needs_a_session_needs_one_in_a_batch(cast, shop, request_):
    key = cast.key(shop.owner, "write")
    single = key.send(
        request_["method"], request_["path"], **({"json": request_["body"]} if "body" in request_ else {})
    )
    answer = send(key, request_)
    assert (answer.status_code, answer.json["details"]["body"]) == (403, single.json)


def test_nobody_and_anonymous_keys_get_no_further_than_singly(cast):
    assert send(cast.nobody, READ).status_code == 401
    assert send(cast.anonymous, READ).status_code == 200
    assert send(cast.anonymous, make_company()).status_code == 403


def test_each_request_counts_against_the_key_and_what_would_pass_the_limit_is_refused_whole(app, cast, shop):
    def limited(most):
        return cast.key(shop.owner, "write", rate_limit_enabled=True, rate_limit_max=most,
                        rate_limit_time_window=600_000)  # fmt: skip

    requests = [make_company(ref=f"c{n}") for n in range(5)]
    enough = limited(5)
    assert send(enough, *requests).status_code == 200
    assert enough.get(COMPANY).status_code == 429
    before = shop.owner.get(COMPANY).json["total"]
    for atomic in (True, False):
        answer = send(limited(4), *requests, atomic=atomic)
        assert (answer.status_code, answer.json["code"]) == (429, "RATE_LIMITED")
    assert shop.owner.get(COMPANY).json["total"] == before


def test_a_batch_under_an_idempotency_key_is_carried_out_once(shop):
    for number, atomic in enumerate((True, False)):
        headers, sent = {"Idempotency-Key": f"batch-{atomic}"}, {"requests": [make_company()], "atomic": atomic}
        first, again = (shop.owner.post(BATCH, sent, headers=headers) for _ in range(2))
        assert (again.json, again.headers["Idempotency-Replayed"]) == (first.json, "true")
        assert shop.owner.get(COMPANY).json["total"] == number + 1


def test_a_batch_that_takes_too_long_begins_no_further_request(app, shop, monkeypatch):
    requests = [make_company(ref=f"c{n}") for n in range(20)]
    # Each look at the clock finds a second gone, however fast the machine is: ten fit the ten of the setting.
    monkeypatch.setattr("blueprints.records.batch.time", SimpleNamespace(monotonic=count().__next__))
    with growth(app) as grown:
        answer = send(shop.owner, *requests)
    assert (answer.status_code, "too long" in str(answer.json["details"]["body"])) == (400, True)
    assert grown == {}
    apart = send(shop.owner, *requests, atomic=False).json["data"]
    assert [each["status"] for each in apart] == [201] * 10 + [400] * 10
