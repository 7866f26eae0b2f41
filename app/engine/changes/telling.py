"""What callers are told of changes of the log.

A change is told to whoever sees the record now, and saw it before the change or sees it after. What comes into sight by
a change is told as created, and what goes out of sight as deleted, by its id alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

from app.engine.changes.judgments import RecordsNow, judgment, listeners, records_now, roots
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.encoding import dumps
from app.engine.read.query import MATCH_ALL, Junction, bound
from app.engine.read.statements import Statement

COLUMNS = """
p.position, c.xact, c.seq, c.at, c.model, c.record_id, c.operation, c.version, c.actor_type, c.actor_id, c.request_id,
c.transaction, c.changed, c.organization_id, c.owner_id, c.is_public
"""
# The rows of the log by their positions; whoever asks adds which.
AT_POSITIONS = f"""
SELECT {COLUMNS} FROM platform_change_position AS p
JOIN platform_change AS c ON c.xact = p.xact AND c.seq = p.seq AND c.at = p.at
"""  # noqa: S608


class Candidate(NamedTuple):
    """A row of the log at its position, without its images."""

    position: int
    xact: str
    seq: int
    at: datetime
    model: str
    record_id: UUID
    operation: str
    version: int
    actor_type: str
    actor_id: UUID | None
    request_id: str | None
    transaction: UUID
    changed: Sequence[str]
    organization_id: UUID | None
    owner_id: UUID | None
    is_public: bool


@dataclass(frozen=True)
class Followed:
    """What somebody follows: records of ``models`` that meet ``where`` (which is about one model), with the fields
    ``names``, or all."""

    models: Sequence[type[Record]]
    where: Junction = MATCH_ALL
    names: frozenset[str] | None = None


@dataclass(frozen=True)
class Change:
    """A change as it is told: its position, and what the answer has of it."""

    position: int
    document: Mapping[str, Any]

    @cached_property
    def encoded(self) -> bytes:
        return dumps(self.document)


@dataclass(frozen=True)
class Heard:
    """What one listener is told, in the order of the commits, and of which models more has changed than that."""

    changes: list[Change]
    resync: list[str]


class Told(NamedTuple):
    """What a change is to a listener, by number: what is told of it; whether it brings the record into sight or out of
    it by a change; and whether the record may have been the listener's, which nobody can tell any more."""

    listener: int
    position: int
    change: Change | None
    moves: bool
    is_unclear: bool


def candidates(connection: Any, statement: Statement, asked: Mapping[str, Any]) -> list[Candidate]:
    """Return the rows of the log that ``statement`` finds."""
    return [Candidate(*row) for row in statement.rows_in_time(connection, asked)]


def looked_at(followed: Followed) -> dict[str, type[Record]]:
    """Return the models whose changes matter to those who follow: also those of rows that others follow, as they bring
    these into sight or out of it; by name."""
    asked = {model.qualified_name(): model for model in followed.models}
    return asked | {root.qualified_name(): root for model in followed.models for root in roots(model)}


def hear(
    connection: Any, followed: Followed, principals: Sequence[Principal], pairs: Sequence[tuple[int, Candidate]]
) -> list[Heard]:
    """Return what each of the callers, who all follow the same with the same reader and grants, is told of the changes
    that they are paired with by number."""
    models, by_model = looked_at(followed), defaultdict(list)
    for pair in pairs:
        by_model[pair[1].model].append(pair)
    changes: list[list[Change]] = [[] for _ in principals]
    unclear: list[set[type[Record]]] = [set() for _ in principals]
    for name, of_model in by_model.items():
        model = models[name]
        for told in _tell(connection, model, followed, principals, of_model):
            if told.change is not None:
                changes[told.listener].append(told.change)
            if told.moves:
                unclear[told.listener].update(each for each in followed.models if model in roots(each))
            if told.is_unclear:
                unclear[told.listener].add(model)
    return [
        Heard(
            sorted(changes[number], key=lambda change: change.position),
            [each.qualified_name() for each in followed.models if each in unclear[number]],
        )
        for number in range(len(principals))
    ]


def _tell(
    connection: Any,
    model: type[Record],
    followed: Followed,
    principals: Sequence[Principal],
    pairs: Sequence[tuple[int, Candidate]],
) -> Iterator[Told]:
    """Yield what changes of ``model`` are to listeners. Of models that nobody asked for, grants hide nothing."""
    is_asked, first = model in followed.models, principals[0]
    where, reader = (followed.where, first.reader) if is_asked else (MATCH_ALL, first.reader.base)
    has_conditions = bool(where.parts) or reader.base is not reader
    values = {**listeners(principals), **bound(where)}
    by_seq = {each.seq: each for _, each in pairs}
    asked = {
        "numbers": [number for number, _ in pairs], "xacts": [each.xact for _, each in pairs],
        "seqs": [each.seq for _, each in pairs], "ats": [each.at for _, each in pairs],
    }  # fmt: skip
    judged = judgment(model, reader, where).rows_in_time(connection, asked | values)
    wanted = {(row[0], by_seq[row[1]].record_id) for row in judged}
    numbers, ids = [number for number, _ in wanted], [identifier for _, identifier in wanted]
    now = records_now(model, reader, where)
    seen = _Seen(now, now.rows_in_time(connection, {"numbers": numbers, "ids": ids} | values), followed.names)
    for number, seq, saw, sees, orphaned, names_actor in judged:
        change = by_seq[seq]
        is_unclear = orphaned and not saw and has_conditions
        saw = saw or (orphaned and not has_conditions)
        told = seen.told(number, change, saw=saw, sees=sees, names_actor=names_actor) if is_asked else None
        yield Told(number, change.position, told, change.operation == "update" and saw != sees, is_unclear)


class _Seen:
    """Records as listeners see them now, and what that makes of changes: who sees the same is told the same object."""

    def __init__(self, now: RecordsNow, rows: Sequence[tuple[Any, ...]], names: frozenset[str] | None) -> None:
        self._now, self._names = now, names
        width = 3 + len(now.decoder.names)
        self._shown = {row[:2]: row[width:] for row in rows}
        self._rows: dict[UUID, tuple[Any, ...]] = {row[1]: row[3:width] for row in rows if row[2]}
        self._told: dict[Any, Change | None] = {}

    def told(self, number: int, change: Candidate, *, saw: bool, sees: bool, names_actor: bool) -> Change | None:
        """What a listener who ``saw`` the record before a change, or ``sees`` it after, is told; None where it changed
        nothing that they see."""
        shown = self._shown.get((number, change.record_id))
        verb = _verb(change.operation, saw=saw, sees=sees, is_seen=shown is not None)
        if verb is None:
            return None
        key = (change.seq, verb, shown, names_actor)
        if key not in self._told:
            self._told[key] = self._told_as(verb, change, shown, names_actor=names_actor)
        return self._told[key]

    def _told_as(
        self, verb: str, change: Candidate, shown: tuple[Any, ...] | None, *, names_actor: bool
    ) -> Change | None:
        about = {"id": str(change.position), "model": change.model, "recordId": change.record_id}
        if verb == "delete" or shown is None:
            return Change(change.position, {**about, "operation": "delete"})
        record = self._now.decoder.record((*self._rows[change.record_id], *shown))
        if self._names is not None:
            record = {name: value for name, value in record.items() if name == "id" or name in self._names}
        columns = self._now.columns.items()
        changed = [name for column, name in columns if column in change.changed and name in record]
        if verb == "update" and not changed:
            return None
        told = {
            "version": change.version, "operation": verb, "at": change.at,
            "actor": {"type": change.actor_type, "id": change.actor_id if names_actor else None},
            "requestId": change.request_id, "transaction": change.transaction,
            "changed": changed if verb == "update" else [], "record": record,
        }  # fmt: skip
        return Change(change.position, about | told)


def _verb(operation: str, *, saw: bool, sees: bool, is_seen: bool) -> str | None:
    """What a change is to a caller who ``saw`` the record before it, or ``sees`` it after; ``is_seen`` is of now."""
    if operation == "delete":
        return "delete" if saw else None
    if saw and not sees:
        return "delete"
    if not sees or not is_seen:
        return None
    return "update" if saw else "create"
