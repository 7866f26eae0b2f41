"""One caller never stops the others: queries have a time, a size and a number."""

from __future__ import annotations

import threading
from uuid import uuid4

import pytest

from app.crm.models import CrmContact
from app.engine.read import pages, records, statements
from app.engine.read.statements import statement_cache
from app.testing.cast import Actor
from app.testing.waiting import await_true
from app.testing.workshop import Workshop
from tests.engine.queries.conftest import DEALS


def test_a_statement_past_its_time_is_refused_and_the_next_one_is_served(cast, build, monkeypatch):
    application = build(query_timeout=0.2)
    owner = cast.user()
    slow = "SELECT pg_sleep(5), NULL"
    client = application.test_client()
    sent = {"headers": {"Authorization": f"Bearer {owner.token}"}}
    with monkeypatch.context() as patched:
        patched.setattr(pages, "compiled", lambda *a: pages.ListStatement(slow, {}, None))
        answer = client.get(f"{DEALS}?sort=name", **sent)
    assert (answer.status_code, answer.json["code"]) == (400, "QUERY_TIMEOUT")
    assert client.get(f"{DEALS}?sort=name", **sent).status_code == 200
    assert client.get(DEALS, **sent).status_code == 200


@pytest.mark.variants
@pytest.mark.parametrize("asked", ["sort=name", "skip=1000", "name[contains]=a"])
def test_the_third_query_of_a_caller_waits_and_is_told_to_come_again(cast, build, monkeypatch, asked):
    owner, gate = cast.user(), threading.Event()
    # Those of a user count over all workers, of which each has an application of its own.
    first, second, third = (Actor(build(), owner.token) for _ in range(3))
    running = held_up(monkeypatch, gate)
    asking = [threading.Thread(target=each.get, args=(f"{DEALS}?{asked}",)) for each in (first, second)]
    for thread in asking:
        thread.start()
    await_true(lambda: len(running) == 2)
    refused = third.get(f"{DEALS}?{asked}")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
    assert third.get(DEALS).status_code == 200
    gate.set()
    for thread in asking:
        thread.join()
    assert third.get(f"{DEALS}?{asked}").status_code == 200


def test_queries_of_everybody_have_a_number_too(cast, build, monkeypatch):
    gate, running = threading.Event(), []
    actors = [Actor(build(queries_at_once=1), cast.user().token) for _ in range(2)]
    running = held_up(monkeypatch, gate)
    asking = threading.Thread(target=actors[0].get, args=(f"{DEALS}?sort=name",))
    asking.start()
    await_true(lambda: len(running) == 1)
    refused = actors[1].get(f"{DEALS}?sort=name")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert actors[1].get(DEALS).status_code == 200
    gate.set()
    asking.join()


@pytest.mark.full
def test_a_caller_has_so_many_seconds_of_queries_a_minute(cast, build):
    actor = Actor(build(query_seconds=0.05), cast.user().token)
    await_true(lambda: actor.get(f"{DEALS}?sort=name").status_code == 429)
    refused = actor.get(f"{DEALS}/_aggregate?count")
    assert (refused.status_code, refused.json["code"]) == (429, "RATE_LIMITED")
    assert 1 <= int(refused.headers["Retry-After"]) <= 61
    assert actor.get(DEALS).status_code == 200
    assert Actor(actor.app, cast.user().token).get(f"{DEALS}?sort=name").status_code == 200


def held_up(monkeypatch, gate):
    """Let queries wait for ``gate``; returns those that do."""
    running, plain = [], statements.Statement.rows_in_time

    def held(*args):
        running.append(args)
        gate.wait(30)
        return plain(*args)

    monkeypatch.setattr(statements.Statement, "rows_in_time", held)
    return running


def test_an_answer_that_is_too_large_is_refused(cast, build):
    application = build(max_answer_bytes=1024)
    owner = cast.user()
    Workshop(cast, owner).make(CrmContact)
    for _ in range(4):
        Workshop(cast, owner).make(CrmContact)
    sent = {"headers": {"Authorization": f"Bearer {owner.token}"}}
    answer = application.test_client().get("/api/v1/crm/contact?sort=lastName", **sent)
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_PAGINATION")


NESTED = {"company": {"expand": {"deals": {"take": 5, "expand": {"company": {}, "contact": {}}}}}}


@pytest.mark.parametrize(("expand", "each"), [
    ({"company": {}}, 2), ({"company": {}, "contact": {"expand": {"company": {}}}}, 4), (NESTED, 1 + 1 + 5 * 3),
    ({"company": {"expand": {"contacts": {"take": 2}}}}, 4),
], ids=["one", "one_of_one", "within_many", "many_of_one"])  # fmt: skip
def test_relations_to_one_count_among_the_records_of_an_answer(cast, build, expand, each):
    owner, application = cast.user(), build(max_records=10 * each)
    asking = type(owner)(application, owner.token)
    assert asking.post(f"{DEALS}/_query", {"expand": expand, "take": 10}).status_code == 200
    answer = asking.post(f"{DEALS}/_query", {"expand": expand, "take": 11})
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_EXPAND")
    assert f" {11 * each} records" in answer.json["details"]["fields"]["expand"][0]


def test_a_single_record_counts_what_it_expands_as_well(cast, build):
    owner = cast.user()
    company = owner.post("/api/v1/crm/company", {"name": "Works"}).json["id"]
    deal = owner.post(DEALS, {"name": "Crane", "companyId": company}).json["id"]
    asking = type(owner)(build(max_records=22), owner.token)
    assert asking.get(f"{DEALS}/{deal}?expand=company,contact").status_code == 200
    assert asking.get(f"{DEALS}/{deal}?expand=company.deals").status_code == 200
    answer = asking.get(f"{DEALS}/{deal}?expand=company.deals,contact")
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_EXPAND")


def test_what_expands_too_much_is_refused_before_the_first_statement(cast, build, monkeypatch):
    owner = cast.user()
    asking = type(owner)(build(max_records=10), owner.token)

    def refuse(*args):
        raise AssertionError("a statement was sent")

    monkeypatch.setattr(pages, "list_page", refuse)
    monkeypatch.setattr(records, "get", refuse)
    for path in (f"{DEALS}?expand=company", f"/api/v1/crm/company/{uuid4()}?expand=deals"):
        assert asking.get(path).status_code == 400


@pytest.mark.full
def test_more_shapes_than_are_kept_stay_within_their_bound(owner):
    for number in range(1200):
        names = ["amount", "name", "stage", "createdAt", "probability"]
        keys = [name if number >> place & 1 else f"-{name}" for place, name in enumerate(names)]
        where = {"and": [{"amount": 1}] * (number % 40 + 1)}
        answer = owner.post(f"{DEALS}/_query", {"where": where, "sort": keys, "take": 1, "count": "none"})
        assert answer.status_code == 200
    assert len(statement_cache) <= statement_cache.most


def test_a_record_and_sums_that_are_too_large_are_refused_too(cast, build):
    application = build(max_answer_bytes=1024)
    owner = cast.user()
    company = owner.post("/api/v1/crm/company", {"name": "Large"}).json["id"]
    for number in range(9):
        owner.post(DEALS, {"name": f"deal {number}", "companyId": company})
    sent = {"headers": {"Authorization": f"Bearer {owner.token}"}}
    for path in (f"/api/v1/crm/company/{company}?expand=deals", f"{DEALS}/_aggregate?group=name,id,createdAt:hour"):
        assert application.test_client().get(path, **sent).status_code == 400


def test_long_texts_beyond_the_largest_answer_do_not_leave_the_database(cast, build, monkeypatch):
    application, owner = build(max_answer_bytes=4096), cast.user()
    chat = owner.post("/api/v1/ai/chat", {"title": "Long"}).json["id"]
    for _ in range(9):
        owner.post("/api/v1/ai/message", {"chatId": chat, "role": "user", "content": "x" * 1500})
    plain, received = statements.Statement.rows_in_time, []

    def noting(*args):
        rows = plain(*args)
        received.append(len(rows))
        return rows

    monkeypatch.setattr(statements.Statement, "rows_in_time", noting)
    sent = {"headers": {"Authorization": f"Bearer {owner.token}"}}
    answer = application.test_client().get("/api/v1/ai/chat?expand=aiMessages", **sent)
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_PAGINATION")
    assert received == [1, 3]
