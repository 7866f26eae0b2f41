"""What can only be judged on rows of the table: whether a row that was made is one that the caller may write, whether
grants leave it, and whether the caller may set the fields that were sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import ARRAY, Boolean, Uuid, bindparam, cast, select

from app.engine.declare.principal import Reader
from app.engine.declare.record import Record
from app.engine.declare.scope import Condition, Rule, both, is_everything
from app.engine.read.encoding import STATEMENTS_KEPT, Projection
from app.engine.read.statements import RecordStatement, compiled, driver_connection
from app.engine.write.faults import Faults
from app.foundation.errors import Forbidden

if TYPE_CHECKING:
    from app.engine.write.store import Draft
    from app.engine.write.unit_of_work import Unit

WANTED = bindparam("wanted_ids", type_=ARRAY(Uuid())).any_()


@lru_cache(maxsize=STATEMENTS_KEPT)
def is_needed(operation: str, model: type[Record], reader: Reader) -> bool:
    """Whether rows are judged beside what ``locks`` and ``references`` say before."""
    if reader.base is not reader:
        return True
    if reader is Reader.ADMIN:
        return False
    makes = operation == "create" and model.policy.scope.judges_new_rows
    return makes or bool(ruled_fields(model, reader, operation))


def ruled_fields(model: type[Record], reader: Reader, operation: str) -> frozenset[str]:
    """The fields that not everybody sets who may write a row."""
    with_rule = frozenset(name for name, field in model.fields().items() if field.spec.write is not None)
    return with_rule | _kept_of_shared(model, reader, operation)


def _kept_of_shared(model: type[Record], reader: Reader, operation: str) -> frozenset[str]:
    """The fields that say whose a row is or make it public: to set them where it is shared would be to share it on."""
    writes_shared = operation == "update" and model.policy.shares and reader.base.has_shares
    return frozenset(model.policy.scope.columns()) if writes_shared else frozenset()


def judge_fields(unit: Unit, model: type[Record], drafts: Sequence[Draft], faults: Faults) -> None:
    """Refuse changes of fields that the caller may not set on the row as it is. Raises what ``faults`` does."""
    if drafts and is_needed("update", model, unit.principal.reader):
        _judge(unit, model, "update", drafts, faults, is_stored=False)


def judge_stored(unit: Unit, model: type[Record], operation: str, drafts: Sequence[Draft], faults: Faults) -> None:
    """Refuse rows that were stored and that the caller may not make or have. Raises what ``faults`` does."""
    if drafts and is_needed(operation, model, unit.principal.reader):
        _judge(unit, model, operation, drafts, faults, is_stored=True)
        faults.check()


def _judge(
    unit: Unit, model: type[Record], operation: str, drafts: Sequence[Draft], faults: Faults, *, is_stored: bool
) -> None:
    sent = {draft.id: set(draft.write.given if operation == "create" else draft.write.before) for draft in drafts}
    names = tuple(sorted(set().union(*sent.values())))
    statement = _statement(model, unit.principal.reader, operation, names, is_stored)
    if statement is None:
        return
    parameters = {"wanted_ids": list(sent)} | unit.principal.binds
    rows = {row[0]: row for row in statement.rows_in_time(driver_connection(unit.session), parameters)}
    for draft in drafts:
        with faults.of(draft.index):
            _refuse(model, statement.view.names, rows.get(draft.id), sent[draft.id])


def _refuse(model: type[Record], names: Sequence[str], row: Sequence[Any] | None, sent: set[str]) -> None:
    """Raise Forbidden for what a row of the statement says is wrong; None is a row that is gone by now."""
    if row is None:
        return
    if not row[1]:
        raise Forbidden("The record is none that may be written so")
    for name, is_met in zip(names[2:], row[2:], strict=False):
        if name in sent and not is_met:
            field = model.fields()[name].name
            message = "May not be set on this record."
            raise Forbidden(f"Invalid {field}: {message}", details={"fields": {field: [message]}})


@lru_cache(maxsize=STATEMENTS_KEPT)
def _statement(
    model: type[Record], reader: Reader, operation: str, names: tuple[str, ...], is_stored: bool
) -> RecordStatement | None:
    """The statement that judges rows: their ids, whether they may be written, and each of the fields called ``names``
    that is not free on all rows. None where nothing is left to judge."""
    is_met = _row_condition(model, reader, operation) if is_stored else reader.granted(model, operation)
    fields = list(_field_conditions(model, reader, operation, names, is_stored))
    if is_everything(is_met) and not fields:
        return None
    judged = [("row", is_met), *fields]
    columns: list[Any] = [cast(condition, Boolean).label(f"met_{index}") for index, (_, condition) in enumerate(judged)]
    view = Projection(("id", *(name for name, _ in judged)), (), ())
    return compiled(select(model.id, *columns).where(model.id == WANTED), view)


def _row_condition(model: type[Record], reader: Reader, operation: str) -> Condition:
    if operation == "create" and model.policy.scope.judges_new_rows and reader.base is not Reader.ADMIN:
        return model.policy.writable(model, reader, operation)
    return reader.granted(model, operation)


def _field_conditions(
    model: type[Record], reader: Reader, operation: str, names: Sequence[str], is_stored: bool
) -> Iterator[tuple[str, Condition]]:
    for name in names:
        field = model.fields()[name]
        rule = None if reader.base is Reader.ADMIN or (is_stored and operation == "update") else field.spec.write
        granted = reader.granted_by(model, reader.field_grants(model, field.name, operation))
        met = granted if rule is None else both(rule.writable(model, reader.base, Rule.SCOPE), granted)
        if not is_stored and name in _kept_of_shared(model, reader, operation):
            met = both(met, model.policy.writes(model, reader.base.without_shares, model.policy.update))
        if not is_everything(met):
            yield name, met
