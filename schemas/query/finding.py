"""Queries that code asks: those of requests, with values of Python in their conditions, under the same policies.

    won = find(CrmDeal, principal, {"stage": "won", "createdAt": {"gte": monday}}, sort=["-amount"], take=5)

What a request may not ask, code may not either: fields and relations are those that the principal reads, and pages and
conditions have the same bounds. Within a unit, what its ``create``, ``update`` and ``delete`` have written is found as
well; a search by meaning does not belong there, as an embedder is waited for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, bindparam
from sqlalchemy.sql.visitors import replacement_traverse

from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.record import Record
from app.engine.read import pages, ranked, records
from app.engine.read.aggregates import DEFAULT_TAKE as MOST_GROUPS
from app.engine.read.aggregates import aggregates
from app.engine.read.condition_parser import ConditionParser
from app.engine.read.encoding import Representation
from app.engine.read.query import ALL_FIELDS, DEFAULT_TAKE, Count, Page, Selection
from app.engine.read.query_context import QueryContext
from app.engine.read.statements import reads_of_unit
from app.foundation.clock import wire
from app.foundation.errors import Forbidden, Invalid
from app.foundation.settings import settings
from schemas.query.aggregates import body_aggregate_query
from schemas.query.queries import MAX_VALUES_IN_BODY, body_query, largest_page
from schemas.query.selections import SelectionParser

Where = Mapping[str, Any]
# Names of relations, or an object of them with their options.
Expand = Sequence[str] | Mapping[str, Any]


def find(
    model: type[Record], principal: Principal, where: Where | None = None, *, search: str = "", search_mode: str = "",
    sort: Sequence[str] = (), take: int = DEFAULT_TAKE, skip: int = 0, cursor: str | None = None,
    fields: Sequence[str] | None = None, expand: Expand = (), count: str = Count.NONE,
) -> Page:  # fmt: skip
    """Return a page of the records that ``principal`` may list: its ``records`` by wire name, the cursor of the
    ``next`` page where ``cursor`` was given (empty for the first), and how many there are where ``count`` asks for it.
    Raises the failures of a request that asks for the same."""
    asked: dict[str, Any] = {"take": take, "count": str(count)}
    given = {
        "where": where, "search": search, "searchMode": search_mode, "sort": list(sort), "skip": skip,
        "fields": None if fields is None else list(fields),
        "expand": expand if isinstance(expand, Mapping) else list(expand),
    }  # fmt: skip
    asked |= {
        name: as_json(value) for name, value in given.items() if value or (name == "fields" and value is not None)
    }
    if cursor is not None:
        asked["cursor"] = cursor
    _admit(model, principal, "list")
    query = body_query(model, principal, asked, settings)
    read = pages.list_page if query.rank_by is None else ranked.ranked_page
    with reads_of_unit():
        return read(model, principal, query)


def find_each(
    model: type[Record], principal: Principal, where: Where | None = None, *, sort: Sequence[str] = (),
    fields: Sequence[str] | None = None, expand: Expand = (),
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Return all records that ``find`` would, a page at a time; those that come meanwhile may be among them."""
    cursor: str | None = ""
    # Records beside each other count as well.
    take = 20 if expand else largest_page(principal, settings)
    while cursor is not None:
        page = find(model, principal, where, sort=sort, take=take, cursor=cursor, fields=fields, expand=expand)
        yield from page.records
        cursor = page.next


def count(model: type[Record], principal: Principal, where: Where | None = None, *, search: str = "") -> int:
    """Return how many records ``find`` finds on all pages."""
    (counted,) = aggregate(model, principal, where, search=search)
    number: int = counted["count"]
    return number


def aggregate(
    model: type[Record], principal: Principal, where: Where | None = None, *, search: str = "",
    group: Sequence[str | Mapping[str, str]] = (), measures: Mapping[str, Any] | None = None, sort: Sequence[str] = (),
    take: int = MOST_GROUPS, time_zone: str = "UTC",
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the first ``take`` groups of the records that ``principal`` may list, with what is measured of each: their
    number unless ``measures`` says more (``{"sum": ["amount"]}``)."""
    asked: dict[str, Any] = {"take": take, "timeZone": time_zone}
    given = {"where": where, "search": search, "group": list(group), "measures": measures, "sort": list(sort)}
    asked |= {name: as_json(value) for name, value in given.items() if value}
    _admit(model, principal, "list")
    with reads_of_unit():
        groups, _ = aggregates(model, principal, body_aggregate_query(model, principal, asked, settings))
    return groups


def get(
    model: type[Record], principal: Principal, identifier: UUID, selection: Selection = ALL_FIELDS, *,
    fields: Sequence[str] | None = None, expand: Expand = (),
) -> Representation:  # fmt: skip
    """Return the record with this id as ``principal`` sees it, with what is to stand beside it; raises NotFound alike
    for absent and invisible ones."""
    _admit(model, principal, "read")
    if fields is not None or expand:
        context = QueryContext(principal, settings, MAX_VALUES_IN_BODY)
        parser = SelectionParser(context, model, ConditionParser(context), listed=False)
        if expand:
            parser.expand(as_json(expand), "expand")
        if fields is not None:
            parser.choose(list(fields), "fields")
        selection = parser.selection(1)
    with reads_of_unit():
        return records.get(model, principal, identifier, selection)


def _admit(model: type[Record], principal: Principal, operation: str) -> None:
    """Refuse what routes refuse to a credential before they look; raises Forbidden."""
    by_session = principal.credential in (Credential.SESSION, Credential.SYSTEM)
    if model.policy.session_only is SessionOnly.ALL and not by_session:
        raise Forbidden("A session token is needed for this")
    if not principal.reader.admits(model, operation):
        raise Forbidden("No grant of the credential opens this")


def visible(model: type[Record], principal: Principal, operation: str = "read") -> ColumnElement[bool]:
    """Return the policy as a condition for a ``select`` of one's own: the rows of ``model`` that ``principal`` may
    read by id, or with ``list`` reach by a list. Which of their columns are shown, it does not say."""
    values = principal.binds

    def bound(element: Any, **_: Any) -> Any:
        if isinstance(element, BindParameter) and element.key in values:
            return bindparam(None, values[element.key], element.type, unique=True, expanding=element.expanding)
        return None

    return replacement_traverse(model.policy.visible(model, principal.reader, operation), {}, bound)


def as_json(value: Any) -> Any:
    """Return what a request would send in place of a value of Python; raises Invalid for text that none could send."""
    if isinstance(value, str) and "\x00" in value:
        raise Invalid("No text has a NUL character")
    if isinstance(value, Mapping):
        return {name: as_json(each) for name, each in value.items()}
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes):
        return [as_json(each) for each in value]
    if isinstance(value, datetime):
        return wire(value) if value.tzinfo else value.isoformat()  # which is refused, as nobody knows the moment
    if isinstance(value, Enum):
        return as_json(value.value)
    return float(value) if isinstance(value, Decimal) else str(value) if isinstance(value, UUID) else value
