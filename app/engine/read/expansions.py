"""Expanded relations: records beside their reference, by one further statement for each relation.

A record that is reached goes through the policy, the visibility of fields and the encoder of its own model. Of many,
one lateral join takes the first few for every row of the page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flask import current_app

from app.engine.declare.kinds import LongText
from app.engine.declare.principal import Principal, Reader
from app.engine.read import fragments, ordering
from app.engine.read.conditions import Source
from app.engine.read.encoding import LISTING, READING
from app.engine.read.layout import Layout, build_layout, named
from app.engine.read.query import Expansion, Selection, bound
from app.engine.read.statements import Statement, statement_cache
from app.foundation.errors import AnswerTooLarge
from app.runtime.gevent_support import BoundedConnection

Row = tuple[Any, ...]
ReferencedIds = dict[str, Any]
# A record, and the ids that it refers to by attribute.
RecordWithReferences = tuple[dict[str, Any], ReferencedIds]


@dataclass(frozen=True)
class ExpansionStatement(Statement):
    """The statement of an expansion: each row is the id that it belongs to, and a record."""

    layout: Layout


def expand(
    connection: BoundedConnection, principal: Principal, selection: Selection, rows: list[RecordWithReferences]
) -> None:
    """Put the records that ``selection`` expands into the records of ``rows``."""
    for expansion in selection.expansions:
        relation = expansion.relation
        if relation.many:
            groups = _many(connection, principal, expansion, {record["id"] for record, _ in rows})
            for record, _ in rows:
                record[relation.name] = groups.get(record["id"], [])
        else:
            attribute = relation.reference.attribute
            wanted = {referred.get(attribute) for _, referred in rows} - {None}
            rows_found = _rows(connection, principal, expansion, wanted)
            targets = {identifier: found for identifier, found, _ in rows_found}
            for record, referred in rows:
                record[relation.name] = targets.get(referred.get(attribute))


def _many(
    connection: BoundedConnection, principal: Principal, expansion: Expansion, ids: Iterable[Any]
) -> dict[Any, list[dict[str, Any]]]:
    groups: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for identifier, record, _ in _rows(connection, principal, expansion, ids):
        groups[identifier].append(record)
    return groups


def _rows(
    connection: BoundedConnection, principal: Principal, expansion: Expansion, ids: Iterable[Any]
) -> list[tuple[Any, dict[str, Any], ReferencedIds]]:
    """The rows for all ``ids`` with the id that each belongs to, their own expansions made."""
    wanted = list(ids)
    if not wanted:
        return []
    statement = compiled(expansion, principal.reader)
    binds = bound(expansion.where) | principal.binds
    most = current_app.config["SETTINGS"].max_answer_bytes
    rows = statement.rows_in_time(connection, {**binds, "ids": wanted, "take": expansion.take, "most": most})
    if rows and expansion.relation.many and rows[-1][-1] > most:
        raise AnswerTooLarge.than(most)
    layout = statement.layout
    found = [(row[0], layout.record(row, 1), layout.referred(row, 1)) for row in rows]
    if expansion.selection.expansions:
        expand(connection, principal, expansion.selection, [(record, referred) for _, record, referred in found])
    return found


def compiled(expansion: Expansion, reader: Reader) -> ExpansionStatement:
    """The statement for all rows of a page; the ids are bound as ``ids``, the window of each as ``take``."""
    sort = tuple(key.key for key in expansion.sort)
    key = ("expansion", expansion.relation, reader, expansion.selection.key, expansion.where.key, sort)
    return statement_cache.get(key, lambda: _compiled(expansion, reader))


def _compiled(expansion: Expansion, reader: Reader) -> ExpansionStatement:
    relation, source = expansion.relation, Source(expansion.relation.target, reader)
    layout, columns = build_layout(source, expansion.selection, LISTING if relation.many else READING)
    visible = source.visible(relation.target, source.alias, "list" if relation.many else "read")
    if not relation.many:
        chosen = ", ".join([f"{source.alias}.id", *columns])
        rows = f"FROM {source.table} WHERE {source.alias}.id = ANY (%(ids)s::uuid[]) AND {visible}"
        return ExpansionStatement(f"SELECT {chosen} {rows}", source.fixed, layout)
    reference = relation.reference
    conditions = [f"{fragments.column(reference, source.alias)} = parent.id", visible]
    conditions += [shown] if (shown := source.shows(relation.target, reference, source.alias)) else []
    conditions.append(source.condition(expansion.where))
    order = ordering.sort_terms(source, expansion.sort or ordering.newest_first(relation.target))
    tables, met = " ".join([source.table, *source.joins]), " AND ".join(conditions)
    window = (
        f"SELECT {named(columns)}, {_length(source, layout)} AS length FROM {tables} WHERE {met} "
        f"ORDER BY {ordering.order_by(order, [each.value for each in order])} LIMIT %(take)s::bigint"
    )
    # A lateral window is read row by row, which keeps the order within each. What has grown past the largest answer is
    # not sent on: the row that does is the last.
    length = "sum(page.length) OVER (ROWS UNBOUNDED PRECEDING)"
    rows = (
        f"SELECT parent.id AS parent, page.*, {length} AS sent FROM unnest(%(ids)s::uuid[]) AS parent (id) "
        f"CROSS JOIN LATERAL ({window}) AS page"
    )
    return ExpansionStatement(f"SELECT * FROM ({rows}) AS sized WHERE sent - length <= %(most)s", source.fixed, layout)


def _length(source: Source, layout: Layout) -> str:
    """The bytes of the long texts of a row, which PostgreSQL knows without reading them."""
    fields = [each for each in source.model.fields().values() if isinstance(each.spec.kind, LongText)]
    columns = [fragments.column(each, source.alias) for each in fields if each.name in layout.names]
    return " + ".join(["0", *(f"coalesce(octet_length({column}), 0)" for column in columns)])
