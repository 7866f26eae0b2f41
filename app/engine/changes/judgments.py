"""The statements of the feed: whether callers saw a record before a change and see it after, and the records as they
see them now. Each is about many callers at once, the listeners, whose values come as the rows of a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.engine.changes.history import KNOWN_ACTOR, binds_of
from app.engine.changes.images import admits, as_row, shown_columns
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.read import fragments
from app.engine.read.conditions import Source
from app.engine.read.encoding import LISTING, RowDecoder, dumps, shown_fields
from app.engine.read.query import Junction
from app.engine.read.statements import Statement, statement_cache

# The changes ``c`` at positions that were looked up, in the order of ``place``.
OF_CANDIDATES = """
unnest(%(xacts)s::xid8[], %(seqs)s::bigint[], %(ats)s::timestamptz[]) WITH ORDINALITY AS wanted (xact, seq, at, place)
JOIN platform_change AS c ON c.xact = wanted.xact AND c.seq = wanted.seq AND c.at = wanted.at
"""
# The images after a change and before it; what is not looked at costs nothing.
AFTER = "CASE WHEN c.operation <> 'delete' THEN c.image END"
BEFORE = "CASE WHEN c.operation <> 'create' THEN c.image || c.old END"
LISTENERS = """
jsonb_to_recordset(%(listeners)s::jsonb) AS listener (number integer, names_actors boolean, caller_user uuid,
    caller_email text, caller_organization uuid, caller_organizations uuid[], caller_managed uuid[],
    caller_owned uuid[], caller_recipients text[])
"""
OF_CALLER = re.compile(r"%\((caller_\w+|names_actors)\)s")


@dataclass(frozen=True)
class RecordsNow(Statement):
    """Of ``numbers`` and ``ids``, the records that these listeners may list. A row is the listener's number, the id,
    whether it is the first row of the record, and the record as ``decoder`` has it; its fields have values in that
    first row alone. ``columns`` are the names of fields by their columns."""

    decoder: RowDecoder
    columns: Mapping[str, str]


def listeners(principals: Sequence[Principal]) -> dict[str, Any]:
    """Return the parameters that stand for callers who have the same reader and grants, numbered as they come."""
    rows = [{"number": number, **binds_of(each)} for number, each in enumerate(principals)]
    return {**binds_of(principals[0]), "listeners": dumps(rows).decode()}


def judgment(model: type[Record], reader: Reader, where: Junction) -> Statement:
    """Return the statement that judges, for each of ``numbers``, the change of ``xacts`` and ``seqs``: the listener's
    number and that of the change, whether the listener saw its record before, sees it after, had it by a row above it
    that is gone, and may know who has made the change."""
    return statement_cache.get(("judgment", model, reader, where.key), lambda: _judgment(model, reader, where))


def records_now(model: type[Record], reader: Reader, where: Junction) -> RecordsNow:
    """Return the statement that reads records as they are."""
    return statement_cache.get(("records now", model, reader, where.key), lambda: _records_now(model, reader, where))


@cache
def roots(model: type[Record]) -> tuple[type[Record], ...]:
    """Return the models whose rows say whose rows of ``model`` are, the nearest first."""
    above = []
    while column := model.policy.scope.parent_column:
        model = model.target(column)
        above.append(model)
    return tuple(above)


def _judgment(model: type[Record], reader: Reader, where: Junction) -> Statement:
    sees, fixed = _met(model, reader, where, "is_row", *admits(model, reader, "is_row", "list"))
    saw, more = _met(model, reader, where, "was_row", *admits(model, reader, "was_row", "list"))
    orphaned, of_root = _seen_by_root(model, reader)
    text = f"""
        SELECT listener.number, c.seq, (c.operation <> 'create' AND {saw}) IS TRUE,
            (c.operation <> 'delete' AND {sees}) IS TRUE, {orphaned}, {KNOWN_ACTOR} IS TRUE
        FROM unnest(%(numbers)s::integer[], %(xacts)s::xid8[], %(seqs)s::bigint[], %(ats)s::timestamptz[])
            AS wanted (number, xact, seq, at)
        JOIN {LISTENERS} ON listener.number = wanted.number
        JOIN platform_change AS c ON c.xact = wanted.xact AND c.seq = wanted.seq AND c.at = wanted.at
        CROSS JOIN LATERAL {as_row(model, AFTER, "is_row")}
        CROSS JOIN LATERAL {as_row(model, BEFORE, "was_row")}
    """  # noqa: S608
    return Statement(_of_listener(text), {**fixed, **more, **of_root})


def _records_now(model: type[Record], reader: Reader, where: Junction) -> RecordsNow:
    visible = fragments.visible(model, reader, "list")
    met, fixed = _met(model, reader, where, "today", visible.on("today"), dict(visible.fixed))
    fields = shown_fields(model, reader, listed=False, operations=LISTING)
    shown = shown_columns(model, reader, fields, LISTING, complete=True)
    once = [f"CASE WHEN row_number() OVER same = 1 THEN {part.on('today')} END" for part in shown.selected]
    text = f"""
        SELECT listener.number, today.id, row_number() OVER same = 1,
            {", ".join((*once, *(part.on("today") for part in shown.guards)))}
        FROM unnest(%(numbers)s::integer[], %(ids)s::uuid[]) AS wanted (number, id)
        JOIN {LISTENERS} ON listener.number = wanted.number
        JOIN {model.__tablename__} AS today ON today.id = wanted.id
        WHERE {met} WINDOW same AS (PARTITION BY today.id)
    """  # noqa: S608
    columns = {field.column.name: field.name for field in fields if field.column is not None}
    return RecordsNow(_of_listener(text), fixed | shown.fixed, shown.decoder, columns)


def _of_listener(text: str) -> str:
    """The statement with the values of each listener where it would have those of one caller."""
    return OF_CALLER.sub(r"listener.\1", text)


def _met(
    model: type[Record], reader: Reader, where: Junction, alias: str, admitted: str, fixed: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The condition that the row called ``alias`` is ``admitted``, and meets ``where``; with its parameters."""
    if not where.parts:
        return f"({admitted})", fixed
    source = Source(model, reader, alias)
    condition = source.condition(where)
    return f"(({admitted}) AND {condition})", {**fixed, **source.fixed}


def _seen_by_root(model: type[Record], reader: Reader) -> tuple[str, dict[str, Any]]:
    """The condition that a row was the caller's by the row that it followed, where that is gone: the log has whose it
    was, or that it was public."""
    above = roots(model)
    if not above:
        return "false", {}
    root, scope = above[-1], above[-1].policy.scope
    columns = root.fields()
    known = {scope.organization_column: "c.organization_id", scope.owner_column: "c.owner_id"}
    pairs = [
        f"'{column.name}', {value}"
        for name, value in known.items()
        if name and (column := columns[name].column) is not None
    ]
    key, own = model.fields()[model.policy.scope.parent_column], fragments.own(root, reader.base)
    text = f"""
        (c.operation = 'delete'
            AND NOT EXISTS (SELECT 1 FROM {above[0].__tablename__} AS p WHERE p.id = {fragments.column(key, "was_row")})
            AND (c.is_public OR EXISTS (
                SELECT 1 FROM {as_row(root, f"jsonb_build_object({', '.join(pairs)})", "root_row")}
                WHERE {own.on("root_row")}))) IS TRUE
    """  # noqa: S608
    return text, dict(own.fixed)
