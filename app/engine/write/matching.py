"""Writes about all rows that match: found and locked in one statement, among those the caller may see and write."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read import fragments
from app.engine.read.conditions import Source
from app.engine.read.query import Junction, bound
from app.engine.read.statements import Statement, driver_connection, statement_cache
from app.foundation.errors import TooManyRows

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit


def matching(unit: Unit, model: type[Record], where: Junction, most: int, operation: str) -> list[UUID]:
    """Lock the rows that meet ``where`` and that the caller may write, and return their ids. A row that somebody else
    changes meanwhile is judged by what it has become. Raises TooManyRows, and QueryTimeout."""
    key = ("matching", model, unit.principal.reader, where.key, operation)
    statement = statement_cache.get(key, lambda: _compiled(model, unit.principal, where, operation))
    parameters = {**bound(where), **unit.principal.binds, "most": most + 1}
    rows = statement.rows_in_time(driver_connection(unit.session), parameters)
    if len(rows) > most:
        raise TooManyRows(details={"max": most})
    return [identifier for (identifier,) in rows]


def _compiled(model: type[Record], principal: Principal, where: Junction, operation: str) -> Statement:
    source = Source(model, principal.reader)
    visible = source.visible(model, source.alias)
    writable = source.put(fragments.writable(model, principal.reader, operation), source.alias)
    met = " AND ".join([visible, writable, source.condition(where)])
    found = f"SELECT {source.alias}.id FROM {source.table} WHERE {met}"
    return Statement(f"{found} ORDER BY {source.alias}.id LIMIT %(most)s FOR UPDATE OF {source.alias}", source.fixed)
