"""Undo: takes back what one request has written, as a whole, by ordinary writes in the other direction.

What it made is deleted, what it changed gets its old values, and what it deleted comes back. States need not follow
their transitions. What the service has worked out itself follows from that anew, by the hooks of these writes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from app.engine.changes import restoring
from app.engine.changes.history import days_kept, require_visible
from app.engine.changes.images import as_row
from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import ENCRYPTED
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.record import BASE_FIELDS, Field, Record, Setter
from app.engine.read import fragments
from app.engine.read.statements import driver_connection
from app.engine.write.plan import MAX_RECORDS, Change
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Conflict, Failure, Forbidden, NotFound
from app.runtime.connections import allow_time

# Changes of one transaction that are taken back, at most.
MAX_UNDONE = 20_000
# Records that are named as standing in the way.
MAX_TOLD = 100
CHANGES = """
SELECT seq, model, record_id, operation, version, changed FROM platform_change
WHERE transaction = %(transaction)s ORDER BY seq LIMIT %(most)s
"""
CHANGED_SINCE = "has changed since"

UndoCheck = Callable[[Unit, UUID], None]
_checks: list[UndoCheck] = []


class Logged(NamedTuple):
    """One change of the transaction."""

    seq: int
    model: str
    record_id: UUID
    operation: str
    version: int
    changed: Sequence[str]


@dataclass
class Undone:
    """How many records were deleted, changed and restored, and the fields of records that keep their values."""

    deleted: int = 0
    changed: int = 0
    restored: int = 0
    kept: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class _Net:
    """What a transaction did to the records of one model, by their ids: the last change of those that it made, changed
    and deleted."""

    made: dict[UUID, Logged] = field(default_factory=dict)
    changed: dict[UUID, list[Logged]] = field(default_factory=dict)
    deleted: dict[UUID, Logged] = field(default_factory=dict)


def before_undo(check: UndoCheck) -> UndoCheck:
    """Ask the function whether a transaction may be taken back by now; it raises Conflict where it may not."""
    _checks.append(check)
    return check


def undo(unit: Unit, transaction: UUID) -> Undone:
    """Take back all that ``transaction`` has written. Raises NotFound where the log has nothing of it, Forbidden for
    what nobody takes back with this credential, Conflict naming what stands in the way, and what the writes raise."""
    days_kept()
    for check in _checks:
        check(unit, transaction)
    connection = driver_connection(unit.session)
    rows = connection.rows(CHANGES, {"transaction": transaction, "most": MAX_UNDONE + 1})
    if not rows:
        raise NotFound("The log has nothing of this transaction.")
    if len(rows) > MAX_UNDONE:
        raise Conflict(f"More than {MAX_UNDONE} changes belong to it")
    nets = dict(_nets(Logged(*row) for row in rows))
    for model, net in nets.items():
        _require_open(model, unit.principal)
        _require_writable(unit, model, "delete", net.made)
        changed = (each for each, rows in net.changed.items() if _settable(model, rows))
        _require_writable(unit, model, "update", changed)
    allow_time(unit.session)
    _check_versions(unit, nets)
    unit.follows_transitions = False
    done = Undone()
    try:
        _restore(unit, nets, done)
        _change_back(unit, nets, done)
        _delete(unit, nets, done)
    except Failure as failure:
        if failure.status in (Forbidden.status, NotFound.status) or failure.status >= Failure.status:
            raise
        raise Conflict(failure.text, details=failure.details) from failure
    return done


def _nets(rows: Iterable[Logged]) -> Iterator[tuple[type[Record], _Net]]:
    """What was done to each record in the end, by model, parents first."""
    histories: dict[str, dict[UUID, list[Logged]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        histories[row.model][row.record_id].append(row)
    models = {model.qualified_name(): model for model in every_model()}
    for model in restoring.parents_first(models[name] for name in histories if name in models):
        net = _Net()
        for record_id, changes in histories[model.qualified_name()].items():
            first, last = changes[0], changes[-1]
            if first.operation == "create" and last.operation != "delete":
                if model.undoable:
                    net.made[record_id] = last
            elif first.operation != "create" and last.operation == "delete":
                net.deleted[record_id] = last
            elif first.operation != "create":
                net.changed[record_id] = changes
        yield model, net


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
    asked = {**visible.fixed, **may.fixed, **unit.principal.binds, "ids": list(identifiers)}
    is_seen, is_writable = driver_connection(unit.session).rows(text, asked)[0]
    if is_seen is False:
        raise NotFound()
    if is_writable is False:
        raise Forbidden()


def _check_versions(unit: Unit, nets: Mapping[type[Record], _Net]) -> None:
    """Lock the records, and refuse where one is not as the transaction has left it; raises Conflict, and NotFound to
    whoever does not see that one. Of a record of which only the service itself has changed something, as a count,
    others may have done so since."""
    in_the_way = []
    connection = driver_connection(unit.session)
    for model, net in nets.items():
        wanted = {each: last.version for each, last in net.made.items()}
        wanted |= {each: rows[-1].version for each, rows in net.changed.items() if _settable(model, rows)}
        ids = [*wanted, *net.deleted]
        rows = connection.rows(
            f"SELECT id, row_version FROM {model.__tablename__} WHERE id = ANY (%(ids)s) ORDER BY id FOR UPDATE",  # noqa: S608
            {"ids": ids},
        )
        there = dict(rows)
        for each, version in wanted.items():
            if there.get(each) != version:
                in_the_way.append((model, each, CHANGED_SINCE if each in there else "is gone"))
        in_the_way += [(model, each, "is there again") for each in net.deleted if each in there]
    for model, each, _ in in_the_way[:MAX_TOLD]:
        require_visible(model, unit.principal, each)
    if in_the_way:
        told = [{"model": model.qualified_name(), "id": str(each), "reason": why} for model, each, why in in_the_way]
        raise Conflict(
            f"{len(told)} records are not as the transaction left them", details={"records": told[:MAX_TOLD]}
        )


def _settable(model: type[Record], rows: Sequence[Logged]) -> list[Field]:
    """The fields among those that ``rows`` have changed that somebody sets, and not the service alone."""
    names = {name for row in rows for name in row.changed}
    fields = (each for each in model.fields().values() if each.column is not None and each.column.name in names)
    return [each for each in fields if each.set_on_update is not Setter.SERVER and each.attribute not in BASE_FIELDS]


def _restore(unit: Unit, nets: Mapping[type[Record], _Net], done: Undone) -> None:
    """Bring back what was deleted; what belongs to a record comes with it."""
    for model, net in nets.items():
        for record_id in net.deleted:
            if not _present(unit, model, [record_id]):
                restoring.restore(unit, model, record_id)
            done.restored += 1


def _change_back(unit: Unit, nets: Mapping[type[Record], _Net], done: Undone) -> None:
    for model, net in nets.items():
        changes = {}
        before = _values_before(unit, model, net.changed)
        for record_id, rows in net.changed.items():
            given = {}
            for each in _settable(model, rows):
                if ENCRYPTED in each.spec.flags:
                    done.kept.append({"model": model.qualified_name(), "id": str(record_id), "fields": [each.name]})
                elif not each.set_on_update.admits(unit.principal):
                    raise Forbidden()
                else:
                    given[each.attribute] = before[record_id][each.attribute]
            if given:
                changes[record_id] = given
        for some in _batches([Change(record_id, given) for record_id, given in changes.items()]):
            unit.update_many(model, some)
        done.changed += len(changes)


def _delete(unit: Unit, nets: Mapping[type[Record], _Net], done: Undone) -> None:
    """Delete what was made, children first, where nothing of others would go with it."""
    for model, net in reversed(list(nets.items())):
        _require_childless(unit, model, nets)
        for some in _batches([Change(each) for each in _present(unit, model, list(net.made))]):
            unit.delete_many(model, some)
        done.deleted += len(net.made)


def _batches(changes: list[Change]) -> Iterator[dict[int, Change]]:
    """As many changes at a time as one write takes, by their index."""
    for start in range(0, len(changes), MAX_RECORDS):
        yield dict(enumerate(changes[start : start + MAX_RECORDS]))


def _present(unit: Unit, model: type[Record], identifiers: list[UUID]) -> list[UUID]:
    """Those of ``identifiers`` that are there."""
    asked = f"SELECT id FROM {model.__tablename__} WHERE id = ANY (%(ids)s) ORDER BY id"  # noqa: S608
    return [row[0] for row in driver_connection(unit.session).rows(asked, {"ids": identifiers})]


def _require_childless(unit: Unit, model: type[Record], nets: Mapping[type[Record], _Net]) -> None:
    """Refuse to delete records to which others belong by now; raises Conflict."""
    connection, made = driver_connection(unit.session), list(nets[model].made)
    for child, column in restoring.belonging(model) if made else ():
        own = list(nets[child].made) if child in nets else []
        others = f"SELECT 1 FROM {child.__tablename__} WHERE {column} = ANY (%(made)s)"  # noqa: S608
        rows = connection.rows(f"{others} AND id <> ALL (%(own)s) LIMIT 1", {"made": made, "own": own})
        if rows:
            raise Conflict(f"A record of {child.qualified_name()} belongs to what would be deleted")


def _values_before(
    unit: Unit, model: type[Record], changed: Mapping[UUID, Sequence[Logged]]
) -> dict[UUID, dict[str, Any]]:
    """The values that stood in the records before the transaction, by attribute."""
    names, text = _before(model)
    found: dict[UUID, dict[str, Any]] = {record_id: {} for record_id in changed}
    asked = {"ids": list(changed), "seqs": [row.seq for rows in changed.values() for row in rows]}
    fields = model.fields()
    # The latest change first, so that the earliest one has the last word on each field.
    for record_id, columns, *row in driver_connection(unit.session).rows(text, asked) if changed else ():
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
        WHERE c.record_id = ANY (%(ids)s) AND c.seq = ANY (%(seqs)s) AND c.model = '{model.qualified_name()}'
        ORDER BY c.seq DESC
    """  # noqa: S608
    return tuple(each.attribute for each in fields), text
