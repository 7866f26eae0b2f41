"""Storing: drafts that were judged become rows, with their hooks, and are told of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg
from sqlalchemy import inspect
from sqlalchemy.orm.attributes import flag_modified, set_committed_value

from app.engine.declare.record import BASE_FIELDS, VERSION, Record
from app.engine.read.encoding import Representation
from app.engine.read.statements import driver_connection
from app.engine.write import audit, broken_rules, conflicts, filling, hooks, inputs, placing, sql
from app.engine.write.changes import record_changed
from app.engine.write.faults import Faults
from app.engine.write.hooks import Write

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

Values = dict[str, Any]
# What differs after a hook that reloads its record, and is no change by the hook.
REFRESHED_COLUMNS = {*BASE_FIELDS, VERSION}


@dataclass(slots=True)
class Draft:
    """A record on its way: its index in the request, the columns to be stored, by attribute, what hooks get, and
    what changed columns were before."""

    index: int
    id: UUID
    columns: Values
    write: Write
    record: Any = None
    before: Values = field(default_factory=dict)


def split_by_hooks(event: str, model: type[Record], drafts: Sequence[Draft]) -> Iterable[Sequence[Draft]]:
    """What is written at once: where a hook takes one record, each is stored before the next one, as the hook may look
    at what is there."""
    return [drafts] * bool(drafts) if hooks.takes_many(event, model) else [[draft] for draft in drafts]


def insert(unit: Unit, model: type[Record], drafts: Sequence[Draft], faults: Faults) -> None:
    """Insert new records, with their hooks."""
    if filling.filled(model):
        with faults.among(_indexes(drafts)):
            filling.fill(unit, model, drafts)
    if not hooks.has_any("create", model) and not is_observed(model):
        _insert_rows(unit, model, drafts, faults)
        return
    for draft in drafts:
        draft.record = model(**draft.columns)
    records = [draft.record for draft in drafts]
    pending = unit.session.new
    with unit.writes.planning("create", model, records):
        with unit.session.no_autoflush if hooks.takes_many("create", model) else nullcontext():
            _run_hooks("create", model, drafts, faults)
        # Rows that hooks have added name the records, or are named by them: the session knows their order.
        if unit.session.new - pending:
            unit.session.add_all(records)
            with faults.among(_indexes(drafts)):
                unit.session.flush()
        for draft in drafts:
            draft.columns = inputs.stored_of(draft.record)
        # A hook may have stored the record itself.
        _insert_rows(unit, model, [draft for draft in drafts if not inspect(draft.record).persistent], faults)
        with faults.among(_indexes(drafts)):
            unit.session.flush()


def _insert_rows(unit: Unit, model: type[Record], drafts: Sequence[Draft], faults: Faults) -> None:
    columns = tuple(sorted({name for draft in drafts for name in draft.columns}))
    if drafts:
        statement = sql.insert_statement(model, unit.principal.reader, columns, (), returns=False)
        _store(unit, model, drafts, statement.sql, faults)


def update(
    unit: Unit, model: type[Record], drafts: Sequence[Draft], faults: Faults, *, returns: bool
) -> dict[UUID, Representation]:
    """Write changes with their hooks. Queries of a hook that takes one record see its changes; those of a
    hook that takes many see the rows as they were, and write nothing."""
    if placing.positions(model):
        with faults.among(_indexes(drafts)):
            placing.place(unit, model, drafts)
    if not hooks.has_any("update", model):
        for draft in drafts:
            _apply_values(model, draft, is_tracked=False)
            draft.before = dict(draft.write.before)
        return _update_rows(unit, model, drafts, faults, returns=returns)
    records, are_many = [draft.record for draft in drafts], hooks.takes_many("update", model)
    was = {draft.id: inputs.stored_of(draft.record) for draft in drafts}
    for draft in drafts:
        _apply_values(model, draft, is_tracked=not are_many)
    with unit.writes.planning("update", model, records, holding=are_many):
        _run_hooks("update", model, drafts, faults)
        for draft in drafts:
            draft.columns = _changed(model, draft, was[draft.id]) if are_many else _unwritten(draft)
            draft.before = {name: was[draft.id].get(name) for name in draft.columns} | dict(draft.write.before)
            for name, value in draft.columns.items():
                set_committed_value(draft.record, name, value)
        with faults.among(_indexes(drafts)):
            unit.session.flush()
        return _update_rows(unit, model, [draft for draft in drafts if draft.columns], faults, returns=returns)


def _update_rows(
    unit: Unit, model: type[Record], drafts: Sequence[Draft], faults: Faults, *, returns: bool
) -> dict[UUID, Representation]:
    found: dict[UUID, Representation] = {}
    by_shape = sorted(drafts, key=lambda draft: sorted(draft.columns))
    for names, group in groupby(by_shape, key=lambda draft: tuple(sorted(draft.columns))):
        alike = list(group)
        stamps = {name: value for name, value in sql.onupdate_values(model).items() if name not in names}
        for draft in alike:
            draft.columns = stamps | draft.columns
        statement = sql.update_statement(model, unit.principal.reader, (*stamps, *names), returns=returns)
        rows = _store(unit, model, alike, statement.sql, faults, {**statement.fixed, **unit.principal.binds})
        found |= sql.by_id(statement, rows) if returns else {}
    return found


def _apply_values(model: type[Record], draft: Draft, *, is_tracked: bool) -> None:
    """Give a record its new values; the session writes those that are tracked with its next query."""
    draft.columns = inputs.encrypt_columns(model, draft.columns)
    for name, value in draft.columns.items():
        if is_tracked:
            setattr(draft.record, name, value)
            flag_modified(draft.record, name)  # to the ORM, 1 and true are equal
        else:
            set_committed_value(draft.record, name, value)


def _unwritten(draft: Draft) -> Values:
    """What the session has not written of a record whose changes it tracks."""
    state = inspect(draft.record)
    return {name: state.dict[name] for name in state.committed_state if state.attrs[name].history.has_changes()}


def _changed(model: type[Record], draft: Draft, was: Values) -> Values:
    """The changes of a record, with those that hooks of many have made."""
    known, fields = vars(draft.record), model.fields()
    before = was | draft.columns
    hooked = {
        name: known[name]
        for name in inputs.columns(model)
        if name in known
        and name in before
        and known[name] is not before[name]
        and name not in REFRESHED_COLUMNS
        and not fields[name].spec.kind.same(known[name], before[name])
    }
    return draft.columns | hooked


def delete(unit: Unit, model: type[Record], drafts: Sequence[Draft], faults: Faults) -> None:
    """Delete records, with their hooks."""
    with unit.writes.planning("delete", model, [draft.record for draft in drafts]):
        _run_hooks("delete", model, drafts, faults)
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
    except psycopg.IntegrityError as error:
        connection.execute("ROLLBACK TO SAVEPOINT rows")
        if removing:  # something refers to one of them: each by itself, to tell to which
            for draft in drafts:
                with faults.among([draft.index], removing=True):
                    ask([draft])
            return []
        rows_of = {draft.index: _row(draft) for draft in drafts}
        conflicts.raise_duplicates(model, unit.principal, connection, error, rows_of)
        broken_rules.raise_broken(model, connection, error, rows_of)
        raise


def _row(draft: Draft) -> Values:
    """All columns of a draft as they are to be stored."""
    return {**(vars(draft.record) if draft.record is not None else {}), **draft.columns, "id": draft.id}


def _indexes(drafts: Sequence[Draft]) -> list[int]:
    return [draft.index for draft in drafts]


def _run_hooks(event: str, model: type[Record], drafts: Sequence[Draft], faults: Faults) -> None:
    with faults.among(_indexes(drafts), removing=event == "delete"):
        hooks.run(event, model, [draft.record for draft in drafts], [draft.write for draft in drafts])


def tell(unit: Unit, model: type[Record], verb: str, drafts: Sequence[Draft]) -> None:
    """Tell of what was written; the audit log has what was sent alone."""
    for draft in drafts if is_observed(model) else ():
        record_changed.tell(unit, verb, draft.record, draft.before)
        if model.audited:
            audit.record_write(unit, verb, draft.record, draft.write.before)


def is_observed(model: type[Record]) -> bool:
    """Whether anybody is told of what is written."""
    return model.audited or record_changed.has_listeners(model)
