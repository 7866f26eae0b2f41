"""What tools tell agents is what HTTP tells their callers: nobody learns or does more, or less, through a tool."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from blueprints.mcp.results import MAX_BYTES
from tests.blueprints.mcp.agents import call
from tests.engine.queries.asking import PATIENT, drawn, plain, query, sum_query
from tests.writes import created

# What a tool bounds otherwise than a list.
TAKE = {"take": 50}


def same(answer, result):
    """Whether both are refused, for the same reason where the routes tell one, or both are answered."""
    if answer.status_code >= 400:
        code = answer.json.get("code")
        return result["isError"] and code in (None, result["content"][0]["text"].partition(":")[0])
    # Only what an agent has no room for is told to a program alone.
    return not result["isError"] or len(answer.data) > MAX_BYTES


@settings(**PATIENT)
@given(data=st.data())
def test_queries(known, examples, data):
    for _ in range(max(1, examples // settings().max_examples)):
        caller, model, asked = drawn(data, known, query)
        answer = caller.actor.post(
            f"{model.collection_path()}/_query", {**asked, **TAKE, "cursor": "", "count": "exact"}
        )
        result = call(caller.actor, "query_records", model=model.qualified_name(), **asked, **TAKE)
        assert same(answer, result), (asked, answer.json, result["content"])
        if answer.status_code < 400 and not result["isError"]:
            told = result["structuredContent"]
            assert told["meta"]["count"] == (
                answer.json["meta"]["count"] if "meta" in answer.json else answer.json["total"]
            )
            assert told["data"] == answer.json["data"][: len(told["data"])]
            assert len(told["data"]) == len(answer.json["data"]) or "cursor" in result["content"][0]["text"]


@settings(**PATIENT)
@given(data=st.data())
def test_sums(known, examples, data):
    for _ in range(max(1, examples // settings().max_examples)):
        caller, model, asked = drawn(data, known, sum_query)
        answer = caller.actor.post(f"{model.collection_path()}/_aggregate", asked | TAKE)
        result = call(caller.actor, "aggregate_records", model=model.qualified_name(), **(asked | TAKE))
        assert same(answer, result), (asked, answer.json, result["content"])
        if answer.status_code < 400 and not result["isError"]:
            assert result["structuredContent"] == answer.json


@st.composite
def record(draw, world, model):
    rows = world.rows[model]
    return str(draw(st.sampled_from([row["id"] for row in rows]))) if rows else str(model.__name__)


@settings(**PATIENT)
@given(data=st.data())
def test_single_records_and_their_changes(known, examples, data):
    for _ in range(max(1, examples // settings().max_examples)):
        caller, model, identifier = drawn(data, known, record)
        path, named = f"{model.collection_path()}/{identifier}", {"model": model.qualified_name(), "id": identifier}
        answer, result = caller.actor.get(path), call(caller.actor, "get_record", **named)
        assert same(answer, result), (path, answer.json, result["content"])
        if answer.status_code == 200:
            found = result["structuredContent"]
            assert found["record"] == answer.json
            assert answer.headers["ETag"].strip('"').partition("-")[0] == str(found["version"])
        field = next(
            (each for each in model.fields().values() if each.name in ("name", "title", "role", "email")), None
        )
        if field is None:
            continue
        row = next(row for row in known.rows[model] if str(row["id"]) == identifier)
        values = {field.name: plain(row[field.attribute])}
        result = call(caller.actor, "update_record", **named, values=values)
        answer = caller.actor.patch(path, values)
        assert same(answer, result), (path, values, answer.json, result["content"])


def test_what_a_tool_has_written_is_what_http_reads_and_the_other_way_round(asked_cast):
    owner, path = asked_cast.user(), "/api/v1/crm/company"
    made = call(owner, "create_record", model="crm/company", values={"name": "Harbour Works"})["structuredContent"]
    at = f"{path}/{made['record']['id']}"
    assert owner.get(at).json == made["record"]
    given = {"model": "crm/company", "id": made["record"]["id"], "version": made["version"]}
    changed = call(owner, "update_record", **given, values={"industry": "Trade"})["structuredContent"]
    answer = owner.get(at)
    assert (answer.json, answer.headers["ETag"].strip('"').partition("-")[0]) == (
        changed["record"],
        str(changed["version"]),
    )
    stale = owner.patch(at, {"industry": "x"}, headers={"If-Match": f'"{made["version"]}"'})
    refused = call(owner, "update_record", **given, values={"industry": "x"})
    assert same(stale, refused)
    assert not call(owner, "delete_record", **given | {"version": changed["version"]})["isError"]
    assert owner.get(at).status_code == 404
    other = created(owner, "crm/company", name="Quay")
    assert call(owner, "get_record", model="crm/company", id=other["id"])["structuredContent"]["record"] == other
