"""Get one record of any model, and what follows when somebody has read it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read import expansions, statements
from app.engine.read.concurrency import place_for
from app.engine.read.database import after_unit
from app.engine.read.encoding import Representation
from app.engine.read.query import WHOLE, Selection
from app.foundation.errors import NotFound

Values = dict[str, Any]


Reading = Callable[[Mapping[str, Any], Principal], None]
_readings: dict[type[Record], list[Reading]] = defaultdict(list)


def on_read(model: type[Record]) -> Callable[[Reading], Reading]:
    """Run the function after a caller has read a record of ``model`` (by wire name) by its id; what it writes is in a
    transaction of its own."""

    def register(hook: Reading) -> Reading:
        _readings[model].append(hook)
        return hook

    return register


def has_readings(model: type[Record]) -> bool:
    """Whether anything follows when somebody has read a record of ``model``."""
    return bool(_readings.get(model))


def get(model: type[Record], principal: Principal, identifier: UUID, selection: Selection = WHOLE) -> Representation:
    """The record with this id, or what ``selection`` chooses of it, with what it expands; raises NotFound alike for
    absent and invisible ones."""
    statement = statements.item(model, principal.reader)
    with statements.autocommitted() as connection:
        rows = statement.rows(connection, {"wanted_id": identifier} | principal.binds)
    if not rows:
        raise NotFound()
    record = statement.view.representation(rows[0])
    if selection.expansions:
        _expand(principal, selection, record)
    for hook in _readings.get(model, ()):
        after_unit(partial(hook, record, principal))
    return record if selection.names is None else Representation(selection.of(record), record.version)


def _expand(principal: Principal, selection: Selection, record: Values) -> None:
    references = {each.relation.reference for each in selection.expansions if not each.relation.many}
    referred = {field.attribute: record.get(field.name) for field in references}
    with place_for(principal), statements.autocommitted("queries") as connection:
        expansions.expand(connection, principal, selection, [(record, referred)])


def get_own(model: type[Record], principal: Principal, identifier: UUID) -> Values:
    """The calling credential's own record, always readable by it."""
    statement = statements.stored(model, principal.reader)
    with statements.autocommitted() as connection:
        return statement.view.record(statement.rows(connection, {"wanted_id": identifier} | principal.binds)[0])
