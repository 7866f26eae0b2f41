"""The statements of the feed: whether a caller saw a record before a change and sees it after, and the records as the
caller sees them now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.engine.changes.history import ABOUT
from app.engine.changes.images import admits, as_row, shown_columns
from app.engine.declare.principal import Reader
from app.engine.declare.record import Record
from app.engine.read import fragments
from app.engine.read.conditions import Source
from app.engine.read.encoding import LISTING, RowDecoder, shown_fields
from app.engine.read.query import Junction
from app.engine.read.statements import Statement, statement_cache

# The changes ``c`` at positions that were looked up.
OF_CANDIDATES = """
unnest(%(xacts)s::xid8[], %(seqs)s::bigint[], %(ats)s::timestamptz[]) AS wanted (xact, seq, at)
JOIN platform_change AS c ON c.xact = wanted.xact AND c.seq = wanted.seq AND c.at = wanted.at
"""


@dataclass(frozen=True)
class RecordsNow(Statement):
    """The records with ``wanted_ids`` that the caller may list; each row is the id, and the record as ``decoder`` has
    it. ``columns`` are the names of fields by their columns."""

    decoder: RowDecoder
    columns: Mapping[str, str]


def judgment(model: type[Record], reader: Reader, where: Junction) -> Statement:
    """Return the statement that judges the changes of ``xacts`` and ``seqs``: behind what is told of each, the id of
    its record, whether the caller saw that before, whether it is seen after, and whether it was the caller's by a row
    above it that is gone."""
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
        SELECT {ABOUT}, c.record_id, (c.operation <> 'create' AND {saw}) IS TRUE,
            (c.operation <> 'delete' AND {sees}) IS TRUE, {orphaned}
        FROM {OF_CANDIDATES}
        CROSS JOIN LATERAL {as_row(model, "c.image", "is_row")}
        CROSS JOIN LATERAL {as_row(model, "c.image || c.old", "was_row")}
    """  # noqa: S608
    return Statement(text, {**fixed, **more, **of_root})


def _records_now(model: type[Record], reader: Reader, where: Junction) -> RecordsNow:
    visible = fragments.visible(model, reader, "list")
    met, fixed = _met(model, reader, where, "today", visible.on("today"), dict(visible.fixed))
    fields = shown_fields(model, reader, listed=False, operations=LISTING)
    shown = shown_columns(model, reader, fields, LISTING)
    text = f"""
        SELECT today.id, {", ".join(part.on("today") for part in (*shown.selected, *shown.guards))}
        FROM {model.__tablename__} AS today WHERE today.id = ANY (%(wanted_ids)s) AND {met}
    """  # noqa: S608
    columns = {field.column.name: field.name for field in fields if field.column is not None}
    return RecordsNow(text, fixed | shown.fixed, shown.decoder, columns)


def _met(
    model: type[Record], reader: Reader, where: Junction, alias: str, admitted: str, fixed: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The condition that the row called ``alias`` is ``admitted``, and meets ``where``; with its parameters."""
    if not where.parts:
        return f"({admitted})", fixed
    source = Source(model, reader, alias)
    condition = source.condition(where)
    return f"({admitted} AND {condition})", {**fixed, **source.fixed}


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
