"""Undo: takes back what one request has written, as a whole, by ordinary writes in the other direction.

What it made is deleted, what it changed gets its old values, and what it deleted comes back. States need not follow
their transitions. What the service has worked out itself follows from that anew, by the hooks of these writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

from app.engine.changes.history import days_kept, require_visible
from app.engine.changes.images import as_row
from app.engine.changes.nets import Net, count, nets, settable
from app.engine.changes.restoring import restore_many
from app.engine.changes.returning import belonging
from app.engine.declare.fields import ENCRYPTED
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.record import Record
from app.engine.read import fragments
from app.engine.read.statements import driver_connection
from app.engine.write.plan import MAX_RECORDS, Change
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Conflict, Failure, Forbidden, NotFound
from app.runtime.connections import allow_time

# Changes of one transaction that are taken back while somebody waits, and at most.
MAX_AT_ONCE, MAX_UNDONE = 20_000, 1_000_000
# Records that are looked at, and locked, by one statement.
PORTION = 10_000
# Records that are named as standing in the way.
MAX_TOLD = 100
CHANGED_SINCE = "has changed since"
# Locks what the transaction left, and finds what is otherwise by now: whether it is there, and should be gone.
OTHERWISE = """
WITH locked AS (
    SELECT id, row_version FROM {table} WHERE id = ANY (%(ids)s::uuid[] || %(gone)s::uuid[]) ORDER BY id FOR UPDATE
)
SELECT w.id, l.id IS NOT NULL, false
FROM unnest(%(ids)s::uuid[], %(versions)s::bigint[]) AS w (id, version) LEFT JOIN locked AS l ON l.id = w.id
WHERE l.row_version IS DISTINCT FROM w.version
UNION ALL SELECT id, true, true FROM locked WHERE id = ANY (%(gone)s)
"""

T = TypeVar("T")
UndoCheck = Callable[[Unit, UUID], None]
# Is told how much is done, from 0 to 1.
Advance = Callable[[float], None]
_checks: list[UndoCheck] = []


class TooManyChanges(Conflict):
    """A transaction has more changes than may be taken back in this way."""


@dataclass
class Undone:
    """How many records were deleted, changed and restored, and the fields of records that keep their values."""

    deleted: int = 0
    changed: int = 0
    restored: int = 0
    kept: list[dict[str, Any]] = field(default_factory=list)


def before_undo(check: UndoCheck) -> UndoCheck:
    """Ask the function whether a transaction may be taken back by now; it raises Conflict where it may not."""
    _checks.append(check)
    return check


def undo(unit: Unit, transaction: UUID, most: int, advance: Advance = lambda done: None) -> Undone:
    """Take back all that ``transaction`` has written. Raises NotFound where the log has nothing of it, TooManyChanges
    where that is more than ``most``, Forbidden for what nobody takes back with this credential, Conflict naming what
    stands in the way, and what the writes raise."""
    days_kept()
    for check in _checks:
        check(unit, transaction)
    number = count(driver_connection(unit.session), transaction, most + 1)
    if number == 0:
        raise NotFound("The log has nothing of this transaction.")
    if number > most:
        raise TooManyChanges(f"More than {most} changes belong to it")
    allow_time(unit.session)
    did = nets(driver_connection(unit.session), transaction)
    for model, net in did.items():
        _require_open(model, unit.principal)
        _require_writable(unit, model, "delete", net.made)
        _require_writable(unit, model, "update", _changed_by_callers(model, net))
    _check_versions(unit, did)
    unit.follows_transitions = False
    work = _Undoing(unit, transaction, did, advance)
    try:
        work.restore()
        work.change_back()
        work.delete()
    except Failure as failure:
        if failure.status in (Forbidden.status, NotFound.status) or failure.status >= Failure.status:
            raise
        raise Conflict(failure.text, details=failure.details) from failure
    return work.done


def _changed_by_callers(model: type[Record], net: Net) -> list[UUID]:
    """The records of which somebody has set a field, and not the service alone."""
    return [record_id for record_id, changed in net.changed.items() if settable(model, changed.columns)]


def _require_open(model: type[Record], principal: Principal) -> None:
    """Refuse to take back changes of credentials, and with a key those that need a session; raises Forbidden."""
    by_session = principal.credential in (Credential.SESSION, Credential.SYSTEM)
    if model.is_credential or not (by_session or model.policy.session_only is SessionOnly.NEVER):
        raise Forbidden(f"Changes of {model.qualified_name()} are not taken back so")


def _require_writable(unit: Unit, model: type[Record], operation: str, identifiers: Iterable[UUID]) -> None:
    """Refuse who may not write the records that are there, before any of them is locked: nobody is kept waiting by
    whoever may only read. Raises Forbidden, and NotFound for what the caller does not see."""
    visible = fragments.visible(model, unit.principal.reader)
    may = fragments.writable(model, unit.principal.reader, operation)
    text = f"""
        SELECT bool_and(({visible.on("t")}) IS TRUE), bool_and(({may.on("t")}) IS TRUE)
        FROM {model.__tablename__} AS t WHERE t.id = ANY (%(ids)s)
    """  # noqa: S608
    asked = {**visible.fixed, **may.fixed, **unit.principal.binds}
    for some in _parts(list(identifiers), PORTION):
        is_seen, is_writable = driver_connection(unit.session).rows(text, {**asked, "ids": some})[0]
        if is_seen is False:
            raise NotFound()
        if is_writable is False:
            raise Forbidden()


def _check_versions(unit: Unit, did: Mapping[type[Record], Net]) -> None:
    """Lock the records, and refuse where one is not as the transaction has left it; raises Conflict, and NotFound to
    whoever does not see that one. Of a record of which only the service itself has changed something, as a count,
    others may have done so since."""
    in_the_way = []
    connection = driver_connection(unit.session)
    for model, net in did.items():
        left = net.made | {each: net.changed[each].version for each in _changed_by_callers(model, net)}
        text, gone = OTHERWISE.format(table=model.__tablename__), set(net.deleted)
        for some in _parts(sorted(left.keys() | gone), PORTION):
            ids = [each for each in some if each in left]
            asked = {"ids": ids, "versions": [left[each] for each in ids], "gone": list(gone.intersection(some))}
            for record_id, is_there, was_gone in connection.rows(text, asked):
                why = "is there again" if was_gone else CHANGED_SINCE if is_there else "is gone"
                in_the_way.append((model, record_id, why))
    for model, record_id, _ in in_the_way[:MAX_TOLD]:
        require_visible(model, unit.principal, record_id)
    if in_the_way:
        told = [{"model": model.qualified_name(), "id": str(each), "reason": why} for model, each, why in in_the_way]
        raise Conflict(
            f"{len(told)} records are not as the transaction left them", details={"records": told[:MAX_TOLD]}
        )


class _Undoing:
    """The writes that take a transaction back, part by part."""

    def __init__(self, unit: Unit, transaction: UUID, did: Mapping[type[Record], Net], advance: Advance) -> None:
        self.unit, self._transaction, self._nets, self._advance = unit, transaction, did, advance
        self.done = Undone()
        self._total, self._behind = sum(map(len, did.values())), 0

    def restore(self) -> None:
        """Bring back what was deleted; what belongs to a record comes with it."""
        for model, net in self._nets.items():
            for some in self._writes(net.deleted):
                there = set(_present(self.unit, model, some))
                if gone := [each for each in some if each not in there]:
                    restore_many(self.unit, model, gone, most=MAX_UNDONE)
                self.done.restored += len(some)

    def change_back(self) -> None:
        """Give what was changed its old values."""
        for model, net in self._nets.items():
            for some in self._writes(list(net.changed)):
                before = _values_before(self.unit, model, some, self._transaction)
                given = {each: self._given(model, each, net.changed[each].columns, before[each]) for each in some}
                changes = [Change(record_id, values) for record_id, values in given.items() if values]
                if changes:
                    self.unit.update_many(model, dict(enumerate(changes)))
                self.done.changed += len(changes)

    def delete(self) -> None:
        """Delete what was made, children first, where nothing of others would go with it."""
        for model, net in reversed(list(self._nets.items())):
            _require_childless(self.unit, model, self._nets)
            for some in self._writes(list(net.made)):
                if there := _present(self.unit, model, some):
                    self.unit.delete_many(model, dict(enumerate(map(Change, there))))
                self.done.deleted += len(some)

    def _given(
        self, model: type[Record], record_id: UUID, columns: frozenset[str], before: Mapping[str, Any]
    ) -> dict[str, Any]:
        given = {}
        for each in settable(model, columns):
            if ENCRYPTED in each.spec.flags:
                self.done.kept.append({"model": model.qualified_name(), "id": str(record_id), "fields": [each.name]})
            elif not each.set_on_update.admits(self.unit.principal):
                raise Forbidden()
            else:
                given[each.attribute] = before[each.attribute]
        return given

    def _writes(self, items: Sequence[T]) -> Iterator[Sequence[T]]:
        """As many at a time as one write takes."""
        for part in _parts(items, MAX_RECORDS):
            yield part
            self._behind += len(part)
            self._advance(self._behind / self._total)


def _parts(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _present(unit: Unit, model: type[Record], identifiers: Sequence[UUID]) -> list[UUID]:
    """Those of ``identifiers`` that are there."""
    asked = f"SELECT id FROM {model.__tablename__} WHERE id = ANY (%(ids)s) ORDER BY id"  # noqa: S608
    return [row[0] for row in driver_connection(unit.session).rows(asked, {"ids": list(identifiers)})]


def _require_childless(unit: Unit, model: type[Record], did: Mapping[type[Record], Net]) -> None:
    """Refuse to delete records to which others belong by now; raises Conflict."""
    connection, made = driver_connection(unit.session), list(did[model].made)
    for child, column in belonging(model) if made else ():
        own = list(did[child].made) if child in did else []
        others = f"SELECT 1 FROM {child.__tablename__} WHERE {column} = ANY (%(made)s)"  # noqa: S608
        rows = connection.rows(f"{others} AND id <> ALL (%(own)s) LIMIT 1", {"made": made, "own": own})
        if rows:
            raise Conflict(f"A record of {child.qualified_name()} belongs to what would be deleted")


def _values_before(
    unit: Unit, model: type[Record], identifiers: Sequence[UUID], transaction: UUID
) -> dict[UUID, dict[str, Any]]:
    """The values that stood in the records before the transaction, by attribute."""
    names, text = _before(model)
    found: dict[UUID, dict[str, Any]] = {record_id: {} for record_id in identifiers}
    asked = {"ids": list(identifiers), "transaction": transaction}
    fields = model.fields()
    # The latest change first, so that the earliest one has the last word on each field.
    for record_id, columns, *row in driver_connection(unit.session).rows(text, asked):
        was = dict(zip(names, row, strict=True))
        found[record_id] |= {
            name: was[name] for name in names if (column := fields[name].column) is not None and column.name in columns
        }
    return found


@lru_cache
def _before(model: type[Record]) -> tuple[tuple[str, ...], str]:
    fields = [each for each in model.fields().values() if each.column is not None]
    columns = ", ".join(fragments.column(each, "was_row") for each in fields)
    text = f"""
        SELECT c.record_id, c.changed, {columns}
        FROM platform_change AS c CROSS JOIN LATERAL {as_row(model, "c.image || c.old", "was_row")}
        WHERE c.record_id = ANY (%(ids)s) AND c.transaction = %(transaction)s AND c.model = '{model.qualified_name()}'
        ORDER BY c.seq DESC
    """  # noqa: S608
    return tuple(each.attribute for each in fields), text
