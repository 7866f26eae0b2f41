"""Lists: one statement for a page and its count, whatever is asked of it, compiled once for each shape of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from app.engine.declare import search
from app.engine.declare.indexes import COUNT_INDEX_PREDICATE, has_count_index
from app.engine.declare.kind import Operator
from app.engine.declare.principal import WITH_SHARES, Principal, Reader
from app.engine.declare.record import Record
from app.engine.read import cursors, expansions, fragments
from app.engine.read.concurrency import query_slot
from app.engine.read.conditions import Source
from app.engine.read.encoding import LISTING, STATEMENTS_KEPT, Operations
from app.engine.read.fragments import hide_caller_from_planner
from app.engine.read.layout import Layout, build_layout, named
from app.engine.read.ordering import has_id, newest_first, order_by, scans, sort_terms
from app.engine.read.query import PLAIN, Comparison, Count, Junction, Page, Query, bound
from app.engine.read.statements import Statement, autocommit_connection, statement_cache
from app.engine.read.windows import Walk, shared_walk, window

# From here on it is cheaper to walk the index alone and fetch only the rows of the page.
DEEP_SKIP = 1000
# Ends of pages as the planner is told them, so that one plan serves all callers who list their own rows.
PLANNED_LIMITS = (100, DEEP_SKIP + 100)
# A page reads all rows up to its end for each recipient of shares: with more recipients it counts as expensive.
FEW_RECIPIENTS = 20
# As far as a bounded count goes.
MAX_COUNTED = 10_000

# Readers whose lists, if nothing narrows them, have their own rows alone.
MEMBER_READERS = (*WITH_SHARES, *WITH_SHARES.values())

Row = tuple[Any, ...]


@dataclass(frozen=True)
class ListStatement(Statement):
    """The statement of a page. Each row is the count, a record as ``layout`` has it, and the values of its sort keys;
    the row stands alone with its count where the page is empty."""

    layout: Layout


def list_page(model: type[Record], principal: Principal, query: Query) -> Page:
    """One page of the records that the caller may see and that match ``query``.

    Raises InvalidPagination for a cursor of something else, and QueryTimeout.
    """
    reaches = principal.narrowing is not None and principal.narrowing.reaches
    is_cheap = query.is_plain and query.skip < DEEP_SKIP and not reaches and len(principal.recipients) <= FEW_RECIPIENTS
    return _plain_page(model, principal, query) if is_cheap else _query_page(model, principal, query)


def _plain_page(model: type[Record], principal: Principal, query: Query) -> Page:
    """The hot path: a window, without a cursor, counted exactly or within bounds."""
    reader = principal.reader
    everything = not query.where.parts and query.skip + query.take <= PLANNED_LIMITS[0]
    statement = _first_page(model, reader, query.count) if everything else compiled(model, reader, query, None)
    binds = {"take": query.take, "skip": query.skip, "window_end": query.take + query.skip, **principal.binds}
    if query.where.parts:
        binds |= bound(query.where)
    with autocommit_connection() as connection:
        rows = statement.rows(connection, binds)
    count = rows[0][0]
    records = [] if rows[0][1] is None else statement.layout.records(rows, 1)
    # A bounded count goes further than any page that is answered here.
    return Page(records, *_counted(query, count), has_more=count > query.skip + len(records))


@lru_cache(maxsize=STATEMENTS_KEPT)
def _first_page(model: type[Record], reader: Reader, count: Count) -> ListStatement:
    return compiled(model, reader, replace(PLAIN, count=count), None)


def _query_page(model: type[Record], principal: Principal, query: Query) -> Page:
    context = after = None
    if query.cursor is not None:
        context = cursors.cursor_context(model, principal, query)
        after = cursors.read(context, query.cursor, sort_types(query)) if query.cursor else None
    nulls = None if after is None else tuple(value is None for value in after)
    statement = compiled(model, principal.reader, query, nulls)
    parameters = binds(query, principal)
    for index, value in enumerate(after or ()):
        parameters[f"c{index}"] = value
    with query_slot(principal), autocommit_connection("queries") as connection:
        rows = statement.rows_in_time(connection, parameters)
        count = rows[0][0]
        if rows[0][1] is None:
            return Page([], *_counted(query, count), versions={} if query.versions else None)
        page, layout = rows[: query.take], statement.layout
        records = layout.records(page, 1)
        if query.selection.expansions:
            referred = [layout.referred(row, 1) for row in page]
            expansions.expand(connection, principal, query.selection, list(zip(records, referred, strict=True)))
    has_more = len(rows) > query.take if _fetches_one_extra(query) else count > query.skip + len(records)
    following = cursors.write(context, page[-1][1 + layout.width :]) if context is not None and has_more else None
    versions = layout.versions(page, 1) if query.versions else None
    return Page(records, *_counted(query, count), has_more, following, versions)


def _fetches_one_extra(query: Query) -> bool:
    """Whether one row more than the page tells if another follows, as no count does."""
    return query.count is not Count.EXACT or query.cursor is not None


def binds(query: Query, principal: Principal) -> dict[str, Any]:
    """The parameters of the statement of ``query``, but for those of a cursor."""
    take = query.take + _fetches_one_extra(query)
    window = {"take": take, "skip": query.skip, "window_end": take + query.skip}
    return window | bound_values(query.where, query.search) | principal.binds


def bound_values(where: Junction, words: str) -> dict[str, Any]:
    """The parameters of conditions, in the order of their tree, and of a search."""
    binds = bound(where)
    return binds | {"search": search.prefixes(search.words_of(words))} if words else binds


def _counted(query: Query, count: int) -> tuple[int, str]:
    """The count as it is answered, and how it was made."""
    if query.count is Count.NONE:
        return -1, "none"
    if query.count is Count.BOUNDED and count > MAX_COUNTED:
        return MAX_COUNTED, "atLeast"
    return count, "exact"


def sort_types(query: Query) -> list[str]:
    """The SQL types of the values that a cursor of ``query`` holds."""
    kinds = [key.field.spec.kind for key in query.sort]
    found = [kind.sort_type or kind.sql_type for kind in kinds] or ["timestamptz"]
    return found if has_id(query.sort) else [*found, "uuid"]


def with_public(model: type[Record], query: Query) -> bool:
    """Whether the list takes in public rows of others: an equality beside all other conditions asks for them."""
    asked = [part for part in query.where.parts if isinstance(part, Comparison) and part.operator is Operator.EQ]
    return model.policy.scope.asks_for_public([part.field.attribute for part in asked])


def compiled(model: type[Record], reader: Reader, query: Query, nulls: tuple[bool, ...] | None) -> ListStatement:
    """The statement of a page. Bound are ``take`` and ``skip``, both together as ``window_end``, the values of
    conditions as ``v0`` and so on, the search, and those of the cursor: ``nulls`` tells which are NULL."""
    sort = tuple([key.key for key in query.sort])
    deep, planned_limit = query.skip >= DEEP_SKIP, 0 if query.where.parts else _planned_limit(query)
    key = (
        model, reader, query.where.key, bool(query.search), sort, query.selection.key, query.count,
        query.cursor is None, query.versions, nulls, deep, planned_limit,
    )  # fmt: skip
    return statement_cache.get(
        key, lambda: _compiled(model, reader, query, nulls, deep=deep, planned_limit=planned_limit)
    )


def _planned_limit(query: Query) -> int:
    """The smallest of PLANNED_LIMITS that the page ends within, or 0."""
    end = query.skip + query.take + _fetches_one_extra(query)
    return next((planned_limit for planned_limit in PLANNED_LIMITS if end <= planned_limit), 0)


def conditions(
    source: Source, query: Query, operations: Operations = LISTING, *, with_shared: bool = True
) -> list[str]:
    """The rows of the list that match ``query``, out of those that grants leave for ``operations``. The first condition
    says whose rows they are."""
    found = [source.listed(operations, with_public=with_public(source.model, query), with_shared=with_shared)]
    if query.where.parts:
        found.append(source.condition(query.where))
    if query.search:
        found += search_conditions(source)
    return found


def search_conditions(source: Source) -> list[str]:
    """The rows that a search finds. The index has the words of all searchable fields; where grants hide some of them,
    the words of those that the row shows are asked besides."""
    kept = f"{source.alias}.{search.COLUMN}"
    return [f"{words} @@ to_tsquery('simple', %(search)s)" for words in dict.fromkeys((kept, searched_words(source)))]


def searched_words(source: Source) -> str:
    """The vector of the words of a row that the caller may search."""
    fields = [source.model.fields()[name] for name in source.model.searchable]
    if not any(source.shows(source.model, field, source.alias) for field in fields):
        return f"{source.alias}.{search.COLUMN}"
    # The driver takes a percent sign for the beginning of a parameter.
    shown = search.vector([f"__{field.attribute}__" for field in fields]).replace("%", "%%")
    for field in fields:
        shown = shown.replace(f"__{field.attribute}__", source.value(source.model, field, source.alias))
    return shown


def _compiled(
    model: type[Record], reader: Reader, query: Query, nulls: tuple[bool, ...] | None, *, deep: bool, planned_limit: int
) -> ListStatement:
    source = Source(model, reader)
    found = conditions(source, query, with_shared=False)
    own = _is_own(source, query, found)
    where = [hide_caller_from_planner(each) for each in found] if own else found
    hidden = planned_limit if where != found else None  # of several organizations nothing is hidden
    counted = [[*where, f"{source.alias}.{COUNT_INDEX_PREDICATE}"] if own else where]
    layout, columns = build_layout(source, query.selection, versioned=query.versions)
    order = sort_terms(source, query.sort or newest_first(model))
    parts = partial(scans, nulls=nulls, not_null=_is_not_null(query))
    walks = [Walk(" ".join([source.table, *source.joins]), where, order, parts(order))]
    if source.has_shares:
        walks.append(shared_walk(source, found[1:], order, parts))
        counted.append(_only_shared(source, found))
    if deep or source.has_shares:
        ids = window([f"{source.alias}.id AS id"], walks, hidden)
        keys = [f"ids.s{index} AS s{index}" for index in range(len(order))]
        rows = (
            f"SELECT {named(columns)}, {', '.join(keys)} "
            f"FROM ({ids}) AS ids JOIN {source.table} ON {source.alias}.id = ids.id"
        )
    else:
        rows = window([named(columns)], walks, hidden)
    by = order_by(order, [f"page.s{index}" for index in range(len(order))])
    answered = [f"page.f{index}" for index in range(len(columns))]
    if query.cursor is not None:
        answered += [f"page.s{index}" for index in range(len(order))]
    tables = f"({_total(source, counted, query.count)}) AS total LEFT JOIN ({rows}) AS page ON true"
    sql = f"SELECT total.n, {', '.join(answered)} FROM {tables} ORDER BY {by}"
    return ListStatement(sql, source.fixed, layout)


def _is_not_null(query: Query) -> bool:
    """Whether a condition beside all others leaves no row with NULL in the field that sorts first."""
    key = query.sort[0] if query.sort else None
    return key is not None and any(
        isinstance(part, Comparison) and part.excludes_null and part.field is key.field and not key.path
        for part in query.where.parts
    )


def _is_own(source: Source, query: Query, where: Sequence[str]) -> bool:
    """Whether the list has one's own rows, newest first, without any condition but that on their owner."""
    model = source.model
    members = source.reader in MEMBER_READERS
    return members and len(where) == 1 and not query.sort and has_count_index(model.__table__, model.policy.scope)


def _only_shared(source: Source, where: Sequence[str]) -> list[str]:
    """The rows that are shared with the caller, without those that are in the list anyway: they meet all of ``where``
    but the first, which says whose they are."""
    shared = source.put(fragments.shared(source.model, source.reader), source.alias)
    shareable = source.put(fragments.shareable(source.model, source.reader, "list"), source.alias)
    return [shared, shareable, f"{where[0]} IS NOT TRUE", *where[1:]]


def _total(source: Source, counted: Sequence[Sequence[str]], count: Count) -> str:
    """The number of the rows that meet all conditions of one of ``counted``, of which no row meets two."""
    found = [f"FROM {source.table} WHERE {' AND '.join(where)}" for where in counted]
    if count is Count.NONE:
        return "SELECT -1 AS n"
    if count is Count.BOUNDED:
        rows = " UNION ALL ".join(f"SELECT 1 {each}" for each in found)
        return f"SELECT count(*) AS n FROM ({rows} LIMIT {MAX_COUNTED + 1}) AS counted"
    if len(found) == 1:
        return f"SELECT count(*) AS n {found[0]}"
    return f"SELECT {' + '.join(f'(SELECT count(*) {each})' for each in found)} AS n"
