"""How much tools answer and take: what has no room is told of, and what is done is told in any case."""

from __future__ import annotations

import pytest

from tests.blueprints.mcp.agents import call, refused, told
from tests.writes import created


def test_an_answer_holds_as_many_rows_as_there_is_room_for_and_says_how_to_go_on(owner):
    company = created(owner, "crm/company", name="x")
    for number in range(12):
        created(owner, "crm/deal", name=f"C{number:02}", description="word " * 1000, companyId=company["id"])
    names, cursor = [], None
    for _ in range(12):
        asked = {"cursor": cursor} if cursor else {}
        found = call(owner, "query_records", model="crm/deal", sort=["name"], take=50, **asked)
        assert len(found["content"][1]["text"].encode()) <= 32 * 1024
        names += [each["name"] for each in found["structuredContent"]["data"]]
        assert "cut" not in found["content"][0]["text"]
        cursor = found["structuredContent"]["meta"]["next"]
        if cursor is None:
            break
    assert names == [f"C{number:02}" for number in range(12)]


def test_a_record_that_is_too_large_is_cut_where_it_is_long(owner):
    document = created(
        owner,
        "ai-rag/document",
        indexId=created(owner, "ai-rag/index", name="x")["id"],
        title="Long",
        content="é" * 50_000,
    )
    found = call(owner, "get_record", model="ai-rag/document", id=document["id"])
    assert len(found["content"][1]["text"].encode()) <= 32 * 1024
    assert "cut at 8000 characters" in found["content"][0]["text"]
    assert found["structuredContent"]["record"]["content"].endswith("… (cut: 50000 characters)")
    assert found["structuredContent"]["record"]["title"] == "Long"


def test_more_rows_than_fifty_are_refused_in_the_sentence_of_the_api(owner):
    assert "one whole number from 1 to 50" in refused(owner, "query_records", model="crm/contact", take=51)
    assert "one whole number from 1 to 50" in refused(owner, "aggregate_records", model="crm/contact", take=51)


def test_what_was_written_is_told_even_where_its_answer_has_no_room(owner):
    requests = [{"method": "POST", "path": "/api/v1/ai/chat", "body": {"metadata": {"numbers": list(range(1200))}}}] * 8
    done = call(owner, "run_batch", requests=requests)
    assert not done["isError"]
    assert "It is done" in done["content"][0]["text"]
    ids = [each["body"]["id"] for each in done["structuredContent"]["data"]]
    assert told(owner, "query_records", model="ai/chat", fields=["id"])["meta"]["count"] == 8
    assert done["structuredContent"]["transaction"]
    assert len(set(ids)) == 8


def test_rows_without_room_are_told_of_where_there_is_no_cursor(owner):
    for _ in range(12):
        created(owner, "ai/chat", metadata={"numbers": list(range(900))})
    found = call(owner, "query_records", model="ai/chat", skip=0, take=12)
    assert len(found["structuredContent"]["data"]) < 12
    assert "of 12 rows fit" in found["content"][0]["text"]


@pytest.mark.parametrize("items", [[1] * 49_000, ["name"] * 49_000])
def test_long_arguments_are_refused_before_they_are_judged(owner, items):
    assert "Has more than 500 items" in refused(owner, "query_records", model="crm/company", fields=items)
