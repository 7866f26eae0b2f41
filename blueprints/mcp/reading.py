"""The tools that read: models, records and sums."""

from __future__ import annotations

from typing import Any

from werkzeug.datastructures import MultiDict

from app.auth.credentials.authentication import caller
from app.engine.operations import verbs
from app.engine.read import pages, ranked, records
from app.foundation.errors import Invalid
from app.foundation.settings import settings
from blueprints.http.base import parse_id
from blueprints.mcp import catalogue, results
from blueprints.mcp.tool import Arguments, Tool
from blueprints.records.reads import envelope, grouped
from schemas.query.aggregates import body_aggregate_query
from schemas.query.queries import body_query, item_selection, refused_window

MODEL = {"type": "string", "description": "The name of a model, such as crm/contact."}
ID = {"type": "string", "description": "The id of a record."}
TEXT, TEXTS, OBJECT = {"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "object"}
WHERE = {
    "type": "object",
    "description": 'Conditions: {"stage": "won"}, {"amount": {"gte": 1000}}, {"company": {"industry": "Trade"}}, '
    '{"or": [{…}, {…}]}, {"createdAt": {"by": "month", "eq": "2026-11"}}. describe_model names fields and operators.',
}
FIELDS = {**TEXTS, "description": "The fields to answer; all, unless given."}
EXPAND = {
    "anyOf": [TEXTS, OBJECT],
    "description": 'Relations to put in: ["company"], or {"deals": {"take": 3, "sort": ["-amount"]}}.',
}  # fmt: skip
NUMBER_IF_ANY = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
ROWS = {
    "type": "object", "properties": {"data": {"type": "array"}, "meta": OBJECT}, "required": ["data", "meta"],
}  # fmt: skip
TAKE = {"type": "integer", "description": f"How many, {results.MAX_ROWS} at most."}


def list_models(arguments: Arguments) -> dict[str, Any]:
    """Answer the models that the caller may read, and what they may do with them."""
    domain = arguments.get("domain")
    found = [
        {
            "model": name, "summary": entry["summary"],
            "operations": [operation for operation, may in entry["operations"].items() if may],
        }
        for name, entry in catalogue.entries(catalogue.profile()).items()
        if domain in (None, name.partition("/")[0])
    ]  # fmt: skip
    return results.of_data({"data": found})


def describe_model(arguments: Arguments) -> dict[str, Any]:
    """Answer the fields, relations and operations of a model, with JSON Schemas of its records."""
    name = catalogue.find(arguments["model"]).qualified_name()
    profile = catalogue.profile()
    entry = catalogue.entries(profile).get(name)
    if entry is None:
        raise Invalid({"model": ["Is not for this caller to read."]})
    fields = [
        {key: each[key] for key in ("name", "type", "operators", "sortable", "references", "note") if key in each}
        for each in entry["fields"]
    ]
    told = {
        "model": name, "summary": entry["summary"], "operations": entry["operations"],
        "requiresVersion": entry["requiresVersion"], "relations": entry["relations"], "fields": fields,
        "searchable": entry.get("searchable", []), "transitions": entry.get("transitions", {}),
        "schemas": catalogue.schemas_of(name, profile),
    }  # fmt: skip
    return results.of_data(told)


def query_records(arguments: Arguments) -> dict[str, Any]:
    """Answer a page of the records that a query asks for, with as many as there is room for."""
    model = catalogue.find(arguments["model"])
    catalogue.require(model, verbs.QUERY)
    asked = {name: value for name, value in arguments.items() if name != "model"}
    take = asked.setdefault("take", 20)
    if not 1 <= take <= results.MAX_ROWS:
        raise refused_window("take", 1, results.MAX_ROWS)
    if "searchMode" not in asked and "skip" not in asked:
        # So that there is a place to go on from.
        asked = {"cursor": "", "count": "exact" if "cursor" not in asked else "none"} | asked
    page = _page(model, asked)
    found = len(page["data"])
    room = results.fitting_rows(page["data"])
    if room < found and "searchMode" not in asked:
        page = _page(model, {**asked, "take": room})
    page["data"] = page["data"][:room]
    return results.of_data(page, _what_is_left(page) or results.left_out(room, found))


def _page(model: catalogue.Model, asked: dict[str, Any]) -> dict[str, Any]:
    query = body_query(model, caller(), asked, settings)
    read = pages.list_page if query.rank_by is None else ranked.ranked_page
    return envelope(query, read(model, caller(), query))


def _what_is_left(page: dict[str, Any]) -> str:
    meta, shown = page["meta"], len(page["data"])
    if meta.get("next") is None:
        return ""
    of = f" of {meta['count']}" if meta["count"] >= 0 else ""
    return f"These are {shown} records{of}. For those behind them, send the same query with cursor {meta['next']}."


def get_record(arguments: Arguments) -> dict[str, Any]:
    """Answer a record, with the version that a change of it names."""
    model = catalogue.find(arguments["model"])
    catalogue.require(model, verbs.READ)
    wanted = MultiDict((name, ",".join(arguments[name])) for name in ("fields", "expand") if arguments.get(name))
    selection = item_selection(model, caller(), wanted, settings)
    found = records.get(model, caller(), parse_id(arguments["id"]), selection)
    return results.of_data({"record": found, "version": found.version})


def aggregate_records(arguments: Arguments) -> dict[str, Any]:
    """Answer sums, counts and averages of the records that conditions ask for, by groups."""
    model = catalogue.find(arguments["model"])
    catalogue.require(model, verbs.QUERY_AGGREGATE)
    asked = {name: value for name, value in arguments.items() if name != "model"}
    take = asked.setdefault("take", results.MAX_ROWS)
    if not 1 <= take <= results.MAX_ROWS:
        raise refused_window("take", 1, results.MAX_ROWS)
    found = grouped(model, caller(), body_aggregate_query(model, caller(), asked, settings))
    return results.of_data(found, "There are more groups: ask for fewer." if found["meta"]["more"] else "")


TOOLS = (
    Tool(
        "list_models", "List models", "Names the kinds of records that there are, and what this caller may do with "
        "them. Begin here.", list_models, {"domain": {**TEXT, "description": "Of one domain, such as crm."}},
        output={"type": "object", "properties": {"data": {"type": "array"}}, "required": ["data"]},
    ),
    Tool(
        "describe_model", "Describe a model", "Tells the fields of a model, with their types, operators and rules, its "
        "relations, and JSON Schemas of what is read and sent.", describe_model, {"model": MODEL}, ("model",),
        output={"type": "object", "properties": {"model": TEXT, "schemas": OBJECT}, "required": ["model", "schemas"]},
        models=lambda profile: list(catalogue.entries(profile)),
    ),
    Tool(
        "query_records", "Query records", "Finds records by conditions and words, sorted, page by page.",
        query_records, {
            "model": MODEL, "where": WHERE, "search": {**TEXT, "description": "Words that records hold."},
            "searchMode": {**TEXT, "description": "hybrid, keyword or vector, for models that are ranked."},
            "sort": {**TEXTS, "description": "Fields, with a minus for descending: -closeDate."}, "fields": FIELDS,
            "expand": EXPAND, "take": TAKE, "skip": {"type": "integer"},
            "cursor": {**TEXT, "description": "The next of an earlier page, with the same query."},
            "count": {**TEXT, "description": "exact, bounded or none."},
            "timeZone": {**TEXT, "description": "In which days begin, such as Europe/Berlin."},
        }, ("model",), output=ROWS, models=lambda profile: catalogue.names(profile, "list"),
    ),
    Tool(
        "get_record", "Get a record", "Reads one record, with its version.", get_record,
        {"model": MODEL, "id": ID, "fields": FIELDS, "expand": {**TEXTS, "description": "Relations to put in."}},
        ("model", "id"),
        output={
            "type": "object", "properties": {"record": OBJECT, "version": NUMBER_IF_ANY},
            "required": ["record"],
        }, models=lambda profile: catalogue.names(profile, "read"),
    ),
    Tool(
        "aggregate_records", "Sum up records", "Counts, sums and averages of records, by groups.", aggregate_records,
        {
            "model": MODEL, "where": WHERE, "search": TEXT,
            "group": {
                "type": "array",
                "description": 'What to group by: "stage", "company.name", or {"field": "closeDate", "by": "month"}.',
            },
            "measures": {**OBJECT, "description": 'Such as {"count": true, "sum": ["amount"], "max": ["closeDate"]}.'},
            "sort": TEXTS, "take": TAKE, "timeZone": TEXT,
        }, ("model",), output=ROWS, models=lambda profile: catalogue.names(profile, "list"),
    ),
)  # fmt: skip
