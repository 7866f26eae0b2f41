"""Storing: drafts that were judged become rows, with their hooks, and are told of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import inspect
from sqlalchemy.orm.attributes import set_committed_value

from app.engine.declare.record import Record
from app.engine.read.database import DRIVER_ERRORS
from app.engine.read.encoding import Representation
from app.engine.read.statements import driver_connection
from app.engine.write import audit, conflicts, hooks, inputs, sql
from app.engine.write.changes import record_changed
from app.engine.write.faults import Faults
from app.engine.write.hooks import Write

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

Values = dict[str, Any]


@dataclass(slots=True)
class Draft:
    """A record on its way: its place in the request, the columns to be stored, by attribute, and what hooks get."""

    index: int
    id: UUID
    columns: Values
    write: Write
    record: Any = None


def groups(event: str, model: type[Record], drafts: Sequence[Draft]) -> Iterable[Sequence[Draft]]:
    """What is written at once: where a hook takes one record, each is stored before the next one, as the hook may look
    at what is there."""
    return [drafts] * bool(drafts) if hooks.takes_many(event, model) else [[draft] for draft in drafts]


def insert(unit: Unit, model: type[Record], drafts: Sequence[Draft], faults: Faults) -> None:
    if hooks.has_any("create", model) or is_observed(model):
        for draft in drafts:
            draft.record = model(**draft.columns)
        _run_hooks(unit, "create", model, drafts, faults)
        for draft in drafts:
            draft.columns = inputs.stored_of(draft.record)
    # A hook may have stored the record itself, as others that it has made name it.
    new = [draft for draft in drafts if draft.record is None or not inspect(draft.record).persistent]
    columns = tuple(sorted({name for draft in new for name in draft.columns}))
    if new:
        statement = sql.insert_statement(model, unit.principal.reader, columns, (), returns=False)
        _store(unit, model, new, statement.sql, faults)
    with faults.among(_indexes(drafts)):
        unit.session.flush()


def update(
    unit: Unit, model: type[Record], drafts: Sequence[Draft], faults: Faults, *, returns: bool
) -> dict[UUID, Representation]:
    """Write changes with their hooks. To the session they are what is stored."""
    before = [_apply_values(model, draft) for draft in drafts]
    with unit.writes.holding([draft.record for draft in drafts]):
        _run_hooks(unit, "update", model, drafts, faults)
    for draft, columns in zip(drafts, before, strict=True):
        hooked = {name: value for name in columns if (value := getattr(draft.record, name)) is not columns[name]}
        draft.columns |= hooked
        for name, value in hooked.items():
            set_committed_value(draft.record, name, value)
    with faults.among(_indexes(drafts)):
        unit.session.flush()
    found: dict[UUID, Representation] = {}
    by_shape = sorted(drafts, key=lambda draft: sorted(draft.columns))
    for names, group in groupby(by_shape, key=lambda draft: tuple(sorted(draft.columns))):
        alike = list(group)
        onupdate_values = {name: value for name, value in sql.onupdate_values(model).items() if name not in names}
        for draft in alike:
            draft.columns = onupdate_values | draft.columns
        statement = sql.update_statement(model, unit.principal.reader, (*onupdate_values, *names), returns=returns)
        rows = _store(unit, model, alike, statement.sql, faults, {**statement.fixed, **unit.principal.binds})
        found |= sql.by_id(statement, rows) if returns else {}
    return found


def _apply_values(model: type[Record], draft: Draft) -> Values:
    """Give a record its new values, and return all that it has then."""
    draft.columns = inputs.encrypt_columns(model, draft.columns)
    for name, value in draft.columns.items():
        set_committed_value(draft.record, name, value)
    return inputs.stored_of(draft.record) if hooks.has_any("update", model) else {}


def delete(unit: Unit, model: type[Record], drafts: Sequence[Draft], faults: Faults) -> None:
    _run_hooks(unit, "delete", model, drafts, faults)
    # What is told of a record is read before it goes.
    tell(unit, model, "delete", drafts)
    with faults.among(_indexes(drafts), removing=True):
        unit.session.flush()
    for draft in drafts:
        unit.session.expunge(draft.record)
    _store(unit, model, drafts, sql.delete_statement(model), faults, removing=True)


def _store(
    unit: Unit, model: type[Record], drafts: Sequence[Draft], statement: str, faults: Faults,
    parameters: Mapping[str, Any] | None = None, *, removing: bool = False,
) -> list[tuple[Any, ...]]:  # fmt: skip
    """Run the statement of ``drafts``; where it fails, find out for which of them."""
    connection = driver_connection(unit.session)

    def ask(drafts: Sequence[Draft]) -> list[tuple[Any, ...]]:
        rows = sql.document(draft.columns | {"id": draft.id} for draft in drafts)
        sent = {"wanted_ids": [draft.id for draft in drafts]} if removing else {"rows": rows}
        return connection.rows(statement, {**(parameters or {}), **sent})

    if len(drafts) == 1:
        with faults.among(_indexes(drafts), removing=removing):
            return ask(drafts)
    connection.execute("SAVEPOINT rows")
    try:
        return ask(drafts)
    except DRIVER_ERRORS as error:
        connection.execute("ROLLBACK TO SAVEPOINT rows")
        if removing:  # something refers to one of them: each by itself, to tell to which
            for draft in drafts:
                with faults.among([draft.index], removing=True):
                    ask([draft])
        conflicts.raise_duplicates(
            model, unit.principal, connection, error, {draft.index: _row(draft) for draft in drafts}
        )
        raise


def _row(draft: Draft) -> Values:
    """All columns of a draft as they are to be stored."""
    return {**(vars(draft.record) if draft.record is not None else {}), **draft.columns, "id": draft.id}


def _indexes(drafts: Sequence[Draft]) -> list[int]:
    return [draft.index for draft in drafts]


def _run_hooks(unit: Unit, event: str, model: type[Record], drafts: Sequence[Draft], faults: Faults) -> None:
    unit.writes.planned += [draft.record for draft in drafts]
    with faults.among(_indexes(drafts)):
        hooks.run(event, model, [draft.record for draft in drafts], [draft.write for draft in drafts])


def tell(unit: Unit, model: type[Record], verb: str, drafts: Sequence[Draft]) -> None:
    for draft in drafts if is_observed(model) else ():
        record_changed.tell(unit, verb, draft.record, draft.write.before)
        if model.audited:
            audit.record_write(unit, verb, draft.record, draft.write.before)


def is_observed(model: type[Record]) -> bool:
    """Whether anybody is told of what is written."""
    return model.audited or record_changed.has_listeners(model)
