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
from app.engine.read.concurrency import query_slot
from app.engine.read.database import after_unit
from app.engine.read.encoding import Representation
from app.engine.read.query import ALL_FIELDS, Selection
from app.foundation.errors import NotFound

Values = dict[str, Any]


ReadHook = Callable[[Mapping[str, Any], Principal], None]
_read_hooks: dict[type[Record], list[ReadHook]] = defaultdict(list)


def on_read(model: type[Record]) -> Callable[[ReadHook], ReadHook]:
    """Run the function after a caller has read a record of ``model`` (by wire name) by its id; what it writes is in a
    transaction of its own."""

    def register(hook: ReadHook) -> ReadHook:
        _read_hooks[model].append(hook)
        return hook

    return register


def has_read_hooks(model: type[Record]) -> bool:
    """Whether anything follows when somebody has read a record of ``model``."""
    return bool(_read_hooks.get(model))


def get(
    model: type[Record], principal: Principal, identifier: UUID, selection: Selection = ALL_FIELDS
) -> Representation:
    """The record with this id, or what ``selection`` chooses of it, with what it expands; raises NotFound alike for
    absent and invisible ones."""
    statement = statements.item(model, principal.reader)
    wanted = {"wanted_id": identifier} | principal.binds
    if principal.narrowing is not None and principal.narrowing.reaches:
        with query_slot(principal), statements.autocommit_connection("queries") as connection:
            rows = statement.rows_in_time(connection, wanted)
    else:
        with statements.autocommit_connection() as connection:
            rows = statement.rows(connection, wanted)
    if not rows:
        raise NotFound()
    record = statement.view.representation(rows[0])
    if selection.expansions:
        _expand(principal, selection, record)
    for hook in _read_hooks.get(model, ()):
        after_unit(partial(hook, record, principal))
    return record if selection.names is None else Representation(selection.of(record), record.version)


def _expand(principal: Principal, selection: Selection, record: Values) -> None:
    references = {each.relation.reference for each in selection.expansions if not each.relation.many}
    referred = {field.attribute: record.get(field.name) for field in references}
    with query_slot(principal), statements.autocommit_connection("queries") as connection:
        expansions.expand(connection, principal, selection, [(record, referred)])


def get_own(model: type[Record], principal: Principal, identifier: UUID) -> Values:
    """The calling credential's own record, always readable by it."""
    statement = statements.stored(model, principal.reader.base)
    with statements.autocommit_connection() as connection:
        return statement.view.record(statement.rows(connection, {"wanted_id": identifier} | principal.binds)[0])
