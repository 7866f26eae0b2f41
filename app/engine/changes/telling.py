"""What callers are told of changes of the log.

A change is told to whoever sees the record now, and saw it before the change or sees it after. What comes into sight by
a change is told as created, and what goes out of sight as deleted, by its id alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

from app.engine.changes.judgments import RecordsNow, judgment, listeners, records_now, roots
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.read.encoding import dumps
from app.engine.read.query import MATCH_ALL, Junction, bound
from app.engine.read.statements import Statement

COLUMNS = """
p.position, c.xact, c.seq, c.at, c.model, c.record_id, c.operation, c.version, c.actor_type, c.actor_id, c.request_id,
c.transaction, c.changed, c.organization_id, c.owner_id, c.is_public
"""
# The rows of the log by their positions; whoever asks adds which. Each is looked up by itself (OFFSET keeps the planner
# from joining in another order), so that a page costs as much in a log of any length.
AT_POSITIONS = f"""
SELECT {COLUMNS} FROM platform_change_position AS p
CROSS JOIN LATERAL (
    SELECT * FROM platform_change WHERE xact = p.xact AND seq = p.seq AND at = p.at OFFSET 0
) AS c
"""  # noqa: S608
BETWEEN = Statement(
    f"{AT_POSITIONS} WHERE p.position > %(since)s AND p.position <= %(until)s ORDER BY p.position LIMIT %(most)s", {}
)


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

    @cached_property
    def shape(self) -> Hashable:
        """What is followed, as a key: the same for those who follow the same."""
        return tuple(self.models), self.where.key, dumps(list(self.where.values())), self.names

    def has_conditions(self, principal: Principal) -> bool:
        """Whether anything but the policy decides of which of these records the caller hears."""
        return bool(self.where.parts) or principal.reader.base is not principal.reader


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


class Judged(NamedTuple):
    """What a change is to a listener, by number: whether they saw its record before, and see it after; whether it was
    theirs by a row above it that is gone; and whether they may know who has made the change."""

    listener: int
    candidate: Candidate
    saw: bool
    sees: bool
    is_orphaned: bool
    names_actor: bool

    def had(self, *, has_conditions: bool) -> bool:
        """Whether the record was before the listener: by a row that is gone, nobody can tell whether it met any
        conditions."""
        return self.saw or (self.is_orphaned and not has_conditions)

    def verb(self, *, has_conditions: bool) -> str | None:
        """What the change is to the listener, as long as its record is there for them to see."""
        saw = self.had(has_conditions=has_conditions)
        return _verb(self.candidate.operation, saw=saw, sees=self.sees, is_seen=True)


def candidates(connection: Any, statement: Statement, asked: Mapping[str, Any]) -> list[Candidate]:
    """Return the rows of the log that ``statement`` finds."""
    return [Candidate(*row) for row in statement.rows_in_time(connection, asked)]


def looked_at(followed: Followed) -> dict[str, type[Record]]:
    """Return the models whose changes matter to those who follow: also those of rows that others follow, as they bring
    these into sight or out of it; by name."""
    asked = {model.qualified_name(): model for model in followed.models}
    return asked | {root.qualified_name(): root for model in followed.models for root in roots(model)}


def judge(
    connection: Any, followed: Followed, principals: Sequence[Principal], pairs: Sequence[tuple[int, Candidate]]
) -> list[Judged]:
    """Judge changes for the callers, who all follow the same with the same reader and grants, and are paired with them
    by number. Return, in the order of the commits, those that are anything to them."""
    models, by_model = looked_at(followed), defaultdict(list)
    for pair in pairs:
        by_model[pair[1].model].append(pair)
    found: list[Judged] = []
    values = listeners(principals)
    for name, of_model in by_model.items():
        where, reader = _terms(models[name], followed, principals[0])
        asked = {
            "numbers": _array(number for number, _ in of_model), "xacts": _array(each.xact for _, each in of_model),
            "seqs": _array(each.seq for _, each in of_model),
            "ats": _array(each.at.isoformat() for _, each in of_model),
            **values, **bound(where),
        }  # fmt: skip
        by_seq = {each.seq: each for _, each in of_model}
        for number, seq, saw, sees, orphaned, names_actor in judgment(models[name], reader, where).rows_in_time(
            connection, asked
        ):
            if saw or sees or orphaned:
                found.append(Judged(number, by_seq[seq], saw, sees, orphaned, names_actor))
    return sorted(found, key=lambda each: each.candidate.position)


def tell(connection: Any, followed: Followed, principals: Sequence[Principal], judged: Sequence[Judged]) -> list[Heard]:
    """Return what each of the callers is told of the changes that were judged for them."""
    models, by_model = looked_at(followed), defaultdict(list)
    for each in judged:
        by_model[each.candidate.model].append(each)
    changes: list[list[Change]] = [[] for _ in principals]
    unclear: list[set[type[Record]]] = [set() for _ in principals]
    values = listeners(principals)
    for name, of_model in by_model.items():
        model = models[name]
        where, reader = _terms(model, followed, principals[0])
        has_conditions = bool(where.parts) or reader.base is not reader
        seen = None
        if model in followed.models:
            seen = _seen(connection, records_now(model, reader, where), values | bound(where), followed, of_model)
        for each in of_model:
            if each.candidate.operation == "update" and each.saw != each.sees:
                unclear[each.listener].update(one for one in followed.models if model in roots(one))
            if each.is_orphaned and not each.saw and has_conditions:
                unclear[each.listener].add(model)
            saw = each.had(has_conditions=has_conditions)
            if seen is not None and (told := seen.told(each, saw=saw)) is not None:
                changes[each.listener].append(told)
    return [
        Heard(
            sorted(changes[number], key=lambda change: change.position),
            [each.qualified_name() for each in followed.models if each in unclear[number]],
        )
        for number in range(len(principals))
    ]


def _array(values: Iterable[object]) -> str:
    """Values none of which needs quotes, as PostgreSQL writes an array: the driver takes several times as long."""
    return f"{{{','.join(map(str, values))}}}"


def _terms(model: type[Record], followed: Followed, principal: Principal) -> tuple[Junction, Reader]:
    """The conditions and the reader of a model. Of one that nobody asked for, grants hide nothing."""
    if model in followed.models:
        return followed.where, principal.reader
    return MATCH_ALL, principal.reader.base


def _seen(
    connection: Any, now: RecordsNow, values: Mapping[str, Any], followed: Followed, judged: Sequence[Judged]
) -> _Seen:
    """The records of changes as the callers see them now."""
    wanted = {(each.listener, each.candidate.record_id) for each in judged}
    asked = {"numbers": _array(number for number, _ in wanted), "ids": _array(each for _, each in wanted), **values}
    return _Seen(now, now.rows_in_time(connection, asked), followed.names)


class _Seen:
    """Records as listeners see them now, and what that makes of changes: who sees the same is told the same object."""

    def __init__(self, now: RecordsNow, rows: Sequence[tuple[Any, ...]], names: frozenset[str] | None) -> None:
        self._now, self._names = now, names
        width = 3 + len(now.decoder.names)
        self._shown = {row[:2]: row[width:] for row in rows}
        self._rows: dict[UUID, tuple[Any, ...]] = {row[1]: row[3:width] for row in rows if row[2]}
        self._told: dict[Any, Change | None] = {}

    def told(self, judged: Judged, *, saw: bool) -> Change | None:
        """What a listener who ``saw`` the record before a change is told; None where it changed nothing they see."""
        change, names_actor = judged.candidate, judged.names_actor
        shown = self._shown.get((judged.listener, change.record_id))
        verb = _verb(change.operation, saw=saw, sees=judged.sees, is_seen=shown is not None)
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
        changed: list[str] = []
        if verb == "update":
            columns, written = self._now.columns.items(), set(change.changed)
            changed = [name for column, name in columns if column in written and name in record]
            if not changed:
                return None
        told = {
            "version": change.version, "operation": verb, "at": change.at,
            "actor": {"type": change.actor_type, "id": change.actor_id if names_actor else None},
            "requestId": change.request_id, "transaction": change.transaction,
            "changed": changed, "record": record,
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
