"""Imports: lines of a file become records, in batches, all of them or with ``partial`` those that can be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import UUID

from app.engine import fragments
from app.engine.bulk import Values
from app.engine.database import DRIVER_ERRORS, translated
from app.engine.faults import Faults, ItemsRefused
from app.engine.fragments import column
from app.engine.kind import Identifier
from app.engine.principal import Principal
from app.engine.record import Field, Record
from app.engine.statements import within
from app.engine.uniqueness import UniqueRule
from app.engine.upserts import Resolution
from app.foundation.errors import Failure, ForeignKeyViolation, Invalid, Unavailable
from app.foundation.identifiers import uuid_of

if TYPE_CHECKING:
    from app.engine.unit_of_work import Unit

BATCH_SIZE = 500
MAX_FAULTS_TOLD = 1000
# A batch whose faults come one at a time is written record by record after so many.
MAX_ROUNDS = 20


@dataclass(frozen=True)
class Lookup:
    """A reference by a ``field`` of its ``target``, called ``name``, such as ``company.name``."""

    reference: Field
    target: type[Record]
    field: Field
    name: str


@dataclass(slots=True)
class Line:
    """A record of a file: its line, its id there, its values by attribute, the references that are looked up by what
    they are called, or what is wrong with it."""

    number: int
    identifier: Any
    given: Values
    wanted: Mapping[Lookup, str] = field(default_factory=dict)
    fault: Failure | None = None


@dataclass(slots=True)
class Report:
    """What an import came to."""

    rows: int = 0
    created: int = 0
    updated: int = 0
    ignored: int = 0
    failed: int = 0
    faults: list[dict[str, Any]] = field(default_factory=list)

    def note(self, line: Line, failure: Failure) -> None:
        """Note what is wrong with a line."""
        self.failed += 1
        if len(self.faults) < MAX_FAULTS_TOLD:
            fields = failure.details.get("fields", {})
            self.faults.append({"line": line.number, "code": failure.code, "fields": fields, "error": failure.text})

    @property
    def meta(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in ("rows", "created", "updated", "ignored", "failed")}


@dataclass
class Import:
    """One import into ``model``. ``ids`` has the new id of each record of the file by its id there, so that records
    may refer to others of the same file; those that refer to a later one wait for it."""

    model: type[Record]
    rule: UniqueRule | None = None
    resolution: Resolution = Resolution.MERGE
    report: Report = field(default_factory=Report)
    ids: dict[UUID, UUID] = field(default_factory=dict)

    def batches(self, lines: Iterable[Line]) -> Iterator[list[Line]]:
        """The lines in batches that can be written one after the other."""
        own = self.own_references
        waiting: list[Line] = []
        source = iter(lines)
        while batch := list(islice(source, BATCH_SIZE)):
            ready = [line for line in batch if not self._waits(line, own)]
            waiting += [line for line in batch if self._waits(line, own)]
            if ready:
                yield ready
        while waiting:
            ready = [line for line in waiting if not self._waits(line, own)][:BATCH_SIZE]
            # What refers to no record of the file refers to one that is there already.
            batch = ready or waiting[:BATCH_SIZE]
            left = {id(line) for line in batch}
            waiting = [line for line in waiting if id(line) not in left]
            yield batch

    def write(self, unit: Unit, batch: Sequence[Line]) -> list[tuple[Line, Failure]]:
        """Write the lines of a batch that can be read, all or none of them, and return what is wrong with its lines."""
        wrong = [(line, line.fault) for line in batch if line.fault is not None]
        good = {place: line for place, line in enumerate(batch) if line.fault is None}
        faults = Faults()
        self._look_up(unit, good, faults)
        given = {place: self._given(line) for place, line in good.items() if place not in faults}
        try:
            with unit.session.begin_nested():
                made = self._stored(unit, given, faults)
        except ItemsRefused as refused:
            return wrong + [(batch[place], failure) for place, failure in sorted(refused.faults.items())]
        except DRIVER_ERRORS as error:
            failure = translated(error)
            if isinstance(failure, Unavailable):  # which says nothing of the lines
                raise failure from error
            return wrong + [(line, failure) for line in good.values()]
        for place, identifier in made.items():
            known = uuid_of(str(batch[place].identifier)) if batch[place].identifier is not None else None
            if known is not None:
                self.ids[known] = identifier
        return wrong

    def _stored(self, unit: Unit, given: Mapping[int, Values], faults: Faults) -> Mapping[int, UUID]:
        if not given:
            faults.check()
            return {}
        if self.rule is None:
            created = unit.create_many(self.model, given, faults)
            self.report.created += len(created)
            return created
        done = unit.upsert(self.model, given, self.rule, self.resolution, faults)
        self.report.created += len(done.created)
        self.report.updated += len(done.updated)
        self.report.ignored += len(done.ids) - len(done.created) - len(done.updated)
        return done.ids

    def _given(self, line: Line) -> Values:
        """The values of a line, with references to other lines put right."""
        own = self.own_references
        return {
            name: self.ids.get(value, value) if name in own and value is not None else value
            for name, value in line.given.items()
        }

    def _waits(self, line: Line, own: Sequence[str]) -> bool:
        named = [line.given[name] for name in own if line.given.get(name) is not None]
        return any(value not in self.ids for value in named)

    @property
    def own_references(self) -> list[str]:
        """The references of the model to itself."""
        found = self.model.fields().items()
        return [name for name, each in found if each.references == self.model.__tablename__]

    def _look_up(self, unit: Unit, good: Mapping[int, Line], faults: Faults) -> None:
        """Put in what is referred to by a field of its own, each reference of all lines in one statement."""
        lookups = {lookup for line in good.values() for lookup in line.wanted}
        for lookup in lookups:
            values = {place: line.wanted[lookup] for place, line in good.items() if lookup in line.wanted}
            found = _found(unit, lookup, set(values.values()))
            for place, value in values.items():
                met = found.get(value, ())
                if len(met) == 1:
                    good[place].given[lookup.reference.attribute] = met[0]
                elif met:
                    faults[place] = Invalid({lookup.name: ["Meets several records."]})
                else:
                    faults[place] = ForeignKeyViolation.on(lookup.name)


def write_or_judge(unit: Unit, work: Import, batch: Sequence[Line]) -> None:
    """Write a batch, or find out what is wrong with its lines; the caller rolls back then."""
    work.report.rows += len(batch)
    _note(work, work.write(unit, batch))


def write_partly(unit: Unit, work: Import, batch: Sequence[Line]) -> None:
    """Write those lines of a batch that can be, and note what is wrong with the others."""
    work.report.rows += len(batch)
    _note(work, [(line, line.fault) for line in batch if line.fault is not None])
    left, rounds = [line for line in batch if line.fault is None], 0
    while left:
        rounds += 1
        refused = work.write(unit, left)
        if len(left) > 1 and (rounds > MAX_ROUNDS or len(refused) == len(left)):
            for line in left:
                _note(work, work.write(unit, [line]))
            return
        _note(work, refused)
        if not refused:
            return
        gone = {id(line) for line, _ in refused}
        left = [line for line in left if id(line) not in gone]


def _note(work: Import, refused: Sequence[tuple[Line, Failure]]) -> None:
    for line, failure in refused:
        work.report.note(line, failure)


def _found(unit: Unit, lookup: Lookup, values: set[str]) -> dict[str, list[UUID]]:
    """The visible rows by what they are called, two of each at most."""
    kind = lookup.field.spec.kind
    parsed = {value: uuid_of(value) if isinstance(kind, Identifier) else kind.parse(value) for value in values}
    wanted = {each for each in parsed.values() if each is not None}
    sql, fixed = _lookup_statement(lookup, unit.principal)
    parameters = {"wanted": list(wanted), **fixed, **unit.principal.binds}
    by_value: dict[Any, list[UUID]] = {}
    for value, identifier in within(unit.session).execute(sql, parameters):
        by_value.setdefault(value, []).append(identifier)
    return {value: by_value[each] for value, each in parsed.items() if each in by_value}


def _lookup_statement(lookup: Lookup, principal: Principal) -> tuple[str, Mapping[str, Any]]:
    seen = fragments.visible(lookup.target, principal.reader)
    asked = column(lookup.field, "r0")
    table = f"{lookup.target.__tablename__} AS r0"
    rows = f"SELECT {asked} AS value, r0.id, row_number() OVER (PARTITION BY {asked}) AS n FROM {table}"  # noqa: S608
    met = f"{asked} = ANY (%(wanted)s::{lookup.field.spec.kind.sql_type}[]) AND ({seen.on('r0')})"
    return f"SELECT value, id FROM ({rows} WHERE {met}) AS found WHERE n <= 2", seen.fixed  # noqa: S608
