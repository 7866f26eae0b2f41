"""The query of a list, read strictly from query parameters or from a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from werkzeug.datastructures import MultiDict

from app.engine.declare import search
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read import ranked
from app.engine.read.condition_parser import MAX_LENGTH, ConditionParser
from app.engine.read.query import ALL_FIELDS, DEFAULT_TAKE, PLAIN, Count, Junction, Query, RankBy, Selection
from app.engine.read.query_context import QueryContext, allowed, invalid
from app.engine.read.spans import UTC_ZONE, zones
from app.foundation import strict_json
from app.foundation.errors import (
    Failure,
    InvalidExpand,
    InvalidFields,
    InvalidJson,
    InvalidPagination,
    InvalidSearch,
    InvalidSort,
)
from config import Settings
from schemas.query.conditions import FilterParameterParser
from schemas.query.selections import SelectionParser, sort_keys, strings

MAX_SKIP = 10_000_000
MAX_NUMBER_LENGTH = 100
MAX_VALUES_IN_URL, MAX_VALUES_IN_BODY = 200, 1000
WINDOW = ("take", "skip")
TIME_ZONE = "timeZone"
CREDENTIAL = "api_key"
KNOWN = (*WINDOW, CREDENTIAL)
LIST_PARAMETERS = (
    "where", "search", "searchMode", "sort", "fields", "expand", "cursor", "count", "versions", TIME_ZONE,
)  # fmt: skip
SELECTION_PARAMETERS = ("fields", "expand")
# Without a credential, pages are short, and nothing is counted to its end.
MOST_WITHOUT_CREDENTIAL = 100
PUBLIC = Query(count=Count.BOUNDED, counts=True)
COUNTS = {each.value: each for each in Count}
RANKS = {each.value: each for each in RankBy}


def list_query(model: type[Record], principal: Principal, args: MultiDict[str, str], settings: Settings) -> Query:
    """Read the query parameters of a list; never clamps or ignores one.

    Raises InvalidPagination, InvalidFilter, InvalidSort, InvalidFields, InvalidExpand and InvalidSearch.
    """
    if not args:
        return PUBLIC if principal.is_nobody else PLAIN
    zone = time_zone(args[TIME_ZONE]) if TIME_ZONE in args else UTC_ZONE
    conditions = ConditionParser(QueryContext(principal, settings, MAX_VALUES_IN_URL), zone)
    short = FilterParameterParser(model, conditions)
    asked: dict[str, str] = {}
    for name, values in args.lists():
        if name in LIST_PARAMETERS:
            asked[name] = once(name, values)
        elif name not in KNOWN:
            short.add(name, values)
    take, skip = window(args, largest_page(principal, settings))
    if not asked:
        plain = PUBLIC if principal.is_nobody else PLAIN
        return Query(
            where=short.root.tree(), take=take, skip=skip, count=plain.count, counts=plain.counts,
            is_plain=short.is_plain,
        )  # fmt: skip
    where = short.root.tree()
    if "where" in asked:
        where = Junction((*where.parts, *conditions.where(model, json_of(asked["where"]), "where").parts))
    return _query(model, conditions, where, _split_lists(asked), take, skip, "skip" in args)


def body_query(model: type[Record], principal: Principal, given: Mapping[str, Any], settings: Settings) -> Query:
    """Read the full form, the body of QUERY; raises as ``list_query`` does."""
    for name in given:
        if name not in (*WINDOW, *LIST_PARAMETERS):
            raise invalid(name, f"Unknown member. {allowed((*WINDOW, *LIST_PARAMETERS))}")
    zone = time_zone(given.get(TIME_ZONE))
    conditions = ConditionParser(QueryContext(principal, settings, MAX_VALUES_IN_BODY), zone)
    where = conditions.where(model, given.get("where", {}), "where")
    take = whole(given.get("take", DEFAULT_TAKE), "take", 1, largest_page(principal, settings))
    skip = whole(given.get("skip", 0), "skip", 0, MAX_SKIP)
    if not isinstance(given.get("versions", False), bool):
        raise invalid("versions", "Must be true or false.")
    for name in ("search", "searchMode", "cursor", "count"):
        if name in given and not isinstance(given[name], str):
            raise invalid(name, "Must be a string.", FAILURES[name])
    for name in ("sort", "fields"):
        if name in given:
            strings(given[name], name, FAILURES[name])
    return _query(model, conditions, where, given, take, skip, "skip" in given)


def item_selection(
    model: type[Record], principal: Principal, args: MultiDict[str, str], settings: Settings
) -> Selection:
    """Read what is wanted of a single record; raises InvalidFilter, InvalidFields and InvalidExpand."""
    asked = _split_lists({name: once(name, args.getlist(name)) for name in SELECTION_PARAMETERS if name in args})
    refuse_unknown(args, (CREDENTIAL, "ifNoneMatch", *SELECTION_PARAMETERS))
    conditions = ConditionParser(QueryContext(principal, settings, MAX_VALUES_IN_URL))
    return _selection(model, conditions, asked, 1, listed=False)


def _query(
    model: type[Record], conditions: ConditionParser, where: Junction, asked: Mapping[str, Any], take: int, skip: int,
    skips: bool,
) -> Query:  # fmt: skip
    cursor = asked.get("cursor")
    if cursor is not None and skips:
        raise invalid("skip", "Cannot be combined with a cursor.", InvalidPagination)
    is_nobody = conditions.context.principal.is_nobody
    count = Count.NONE if cursor is not None else Count.BOUNDED if is_nobody else Count.EXACT
    if "count" in asked:
        counts = {name: each for name, each in COUNTS.items() if not is_nobody or each is not Count.EXACT}
        if asked["count"] not in counts:
            raise invalid("count", allowed(counts), InvalidPagination)
        count = counts[asked["count"]]
    rank_by = _rank_by(conditions.context, model, asked, take, skips=skips) if "searchMode" in asked else None
    if rank_by is not None:
        count = Count.NONE
    return Query(
        where=where,
        search=searched(conditions.context, model, asked["search"]) if "search" in asked else "",
        sort=sort_keys(conditions, model, asked["sort"], "sort") if "sort" in asked else (),
        selection=_selection(model, conditions, asked, take),
        take=take, skip=skip, cursor=cursor, count=count, counts="count" in asked or count is Count.BOUNDED,
        versions=asked.get("versions", False), rank_by=rank_by, is_plain=False,
    )  # fmt: skip


def _rank_by(context: QueryContext, model: type[Record], asked: Mapping[str, Any], take: int, *, skips: bool) -> RankBy:
    """What a search ranks by; raises InvalidSearch, InvalidSort and InvalidPagination."""
    given = asked["searchMode"]
    if not model.semantic:
        raise invalid("searchMode", f"{model.qualified_name()} is not ranked by a search.", InvalidSearch)
    if given not in RANKS:
        raise invalid("searchMode", allowed(RANKS), InvalidSearch)
    if context.principal.is_nobody:
        raise invalid("searchMode", "Needs a credential.", InvalidSearch)
    if "search" not in asked:
        raise invalid("searchMode", "Needs a search.", InvalidSearch)
    # A ranked list has its own order, and neither a next page nor a number of rows.
    beside = {"sort": "sort" in asked, "cursor": "cursor" in asked, "skip": skips,
              "count": asked.get("count", Count.NONE) != Count.NONE}  # fmt: skip
    for name, is_asked in beside.items():
        if is_asked:
            raise invalid(name, "Cannot be combined with searchMode.", FAILURES.get(name, InvalidPagination))
    if take > ranked.MOST:
        raise refused_window("take", 1, ranked.MOST)
    return RANKS[given]


def _selection(
    model: type[Record], conditions: ConditionParser, asked: Mapping[str, Any], take: int, *, listed: bool = True
) -> Selection:
    if "expand" not in asked and "fields" not in asked:
        return ALL_FIELDS
    selections = SelectionParser(conditions.context, model, conditions, listed=listed)
    if "expand" in asked:
        selections.expand(asked["expand"], "expand")
    if "fields" in asked:
        selections.choose(asked["fields"], "fields")
    return selections.selection(take)


def largest_page(principal: Principal, settings: Settings) -> int:
    """The most records of a page that the caller may take."""
    return min(MOST_WITHOUT_CREDENTIAL, settings.max_take) if principal.is_nobody else settings.max_take


def searched(context: QueryContext, model: type[Record], text: str) -> str:
    """What is searched for; raises InvalidSearch."""
    if model.searchable and not context.may_search(model):
        raise invalid("search", "Needs a credential.", InvalidSearch)
    if not model.searchable:
        raise invalid("search", f"{model.qualified_name()} has no text to search.", InvalidSearch)
    if len(text) > MAX_LENGTH:
        raise invalid("search", f"Longer than {MAX_LENGTH} characters.", InvalidSearch)
    if "\x00" in text or not search.words_of(text):
        raise invalid("search", "Must hold a letter or a digit.", InvalidSearch)
    return text


FAILURES: dict[str, type[Failure]] = {
    "search": InvalidSearch, "searchMode": InvalidSearch, "cursor": InvalidPagination, "count": InvalidPagination,
    "sort": InvalidSort, "fields": InvalidFields, "expand": InvalidExpand,
}  # fmt: skip
COMMA_SEPARATED = ("sort", "fields", "expand")


def _split_lists(asked: Mapping[str, str]) -> dict[str, Any]:
    """The parameters, with those of several names split at commas."""
    found: dict[str, Any] = {
        name: names(name, text, FAILURES[name]) if name in COMMA_SEPARATED else text for name, text in asked.items()
    }
    if "versions" in found:
        if found["versions"] not in ("true", "false"):
            raise invalid("versions", allowed(("true", "false")))
        found["versions"] = found["versions"] == "true"
    return found


def names(name: str, text: str, failure: type[Failure]) -> list[str]:
    """The names in a parameter; raises ``failure``."""
    found = text.split(",")
    if not all(found):
        raise invalid(name, "Must hold names between commas.", failure)
    return strings(found, name, failure)


def time_zone(given: Any) -> str:
    """The time zone in which days begin, UTC where none is named; raises InvalidFields."""
    if given is None:
        return UTC_ZONE
    if not isinstance(given, str) or given not in zones():
        raise invalid(TIME_ZONE, "Is no time zone of the IANA database, such as Europe/Berlin.", InvalidFields)
    return given


def once(name: str, values: list[str]) -> str:
    """The value of a parameter that comes once; raises the failure of its kind."""
    if len(values) > 1:
        raise invalid(name, "Given more than once.", FAILURES.get(name, InvalidPagination))
    return values[0]


def json_of(text: str) -> Any:
    """The JSON in a parameter; raises InvalidFilter."""
    try:
        return strict_json.loads(text.encode())
    except (InvalidJson, UnicodeEncodeError) as error:
        raise invalid("where", "Must be a JSON object.") from error


def window(args: MultiDict[str, str], max_take: int) -> tuple[int, int]:
    """How many rows of a list to answer at most, and how many to leave out; raises InvalidPagination."""
    return bounded(args, "take", 1, max_take, DEFAULT_TAKE), bounded(args, "skip", 0, MAX_SKIP, 0)


def refuse_unknown(args: MultiDict[str, str], known: tuple[str, ...] = (CREDENTIAL,)) -> None:
    """Refuse query parameters that a route does not declare, and those that come twice; raises InvalidFilter."""
    for name in args:
        if name not in known:
            raise invalid(name, "Unknown query parameter.")
        if name not in KNOWN and len(args.getlist(name)) > 1:
            raise invalid(name, "Given more than once.")


def whole(given: Any, name: str, low: int, high: int) -> int:
    """A whole number of a body; raises InvalidPagination."""
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        raise refused_window(name, low, high)
    return given


def bounded(args: MultiDict[str, str], name: str, low: int, high: int, default: int) -> int:
    """A whole number of a parameter; raises InvalidPagination."""
    given = args.getlist(name)
    if not given:
        return default
    text = given[0]
    plain = len(given) == 1 and text.isascii() and text.isdigit() and len(text) <= MAX_NUMBER_LENGTH
    if not plain or not low <= int(text) <= high:
        raise refused_window(name, low, high)
    return int(text)


def refused_window(name: str, low: int, high: int) -> InvalidPagination:
    message = f"Must be one whole number from {low} to {high}."
    return InvalidPagination(f"Invalid {name}: {message}", details={"fields": {name: [message]}})
