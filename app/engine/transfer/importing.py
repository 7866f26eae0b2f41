"""Imports: lines of a file become records, in batches, all of them or with ``partial`` those that can be."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import UUID

from app.engine.declare.kind import Identifier
from app.engine.declare.principal import Principal
from app.engine.declare.record import Field, Record
from app.engine.read.conditions import Source
from app.engine.read.database import DRIVER_ERRORS, translated
from app.engine.read.encoding import READING
from app.engine.read.statements import driver_connection
from app.engine.write import hooks
from app.engine.write.conflicts import UniqueRule
from app.engine.write.faults import Faults, ItemsRefused
from app.engine.write.plan import Values
from app.engine.write.upserts import Resolution
from app.foundation.errors import Failure, ForeignKeyViolation, Invalid, Unavailable
from app.foundation.identifiers import uuid_of

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

BATCH_SIZE = 500
MAX_FAULTS_TOLD = 1000
# A batch whose faults come one at a time is written record by record after so many.
MAX_ROUNDS = 20

# The text that finds a record, and the organization that it has to be in.
LookupKey = tuple[str, UUID | None]


@dataclass(frozen=True)
class Lookup:
    """A reference by a ``field`` of its ``target``, called ``name``, such as ``company.name``."""

    reference: Field
    target: type[Record]
    field: Field
    name: str


@dataclass(slots=True)
class Line:
    """A record of a file, with its values by attribute, or what is wrong with it.

    ``key`` is what other lines of the file refer to it by; ``same_file`` has such references by attribute, and
    ``lookups`` the text by which the record of each other reference is found."""

    number: int
    key: str | None
    given: Values
    lookups: Mapping[Lookup, str] = field(default_factory=dict)
    same_file: Mapping[str, str] = field(default_factory=dict)
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
    """One import into ``model``. ``ids`` has the new id of each record of the file by what it is called there, so that
    records may refer to others of the same file, which are written before them; ``missing`` has those that were not
    written."""

    model: type[Record]
    rule: UniqueRule | None = None
    resolution: Resolution = Resolution.MERGE
    report: Report = field(default_factory=Report)
    ids: dict[str, UUID] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    def batches(self, lines: Iterable[Line]) -> Iterator[list[Line]]:
        """The lines in batches that can be written one after the other."""
        waiting: list[Line] = []
        source = iter(lines)
        while batch := list(islice(source, BATCH_SIZE)):
            waiting += [line for line in batch if line.same_file]
            if ready := [line for line in batch if not line.same_file]:
                yield ready
        yield from self._in_order(waiting)

    def _in_order(self, waiting: list[Line]) -> Iterator[list[Line]]:
        """Lines that refer to others, each behind those that it refers to; at last those in a cycle."""
        indexes = {line.key: index for index, line in enumerate(waiting) if line.key is not None}
        below: dict[int, list[int]] = defaultdict(list)
        left: dict[int, int] = {}
        for index, line in enumerate(waiting):
            above = {indexes[name] for name in line.same_file.values() if name in indexes}
            left[index] = len(above)
            for each in above:
                below[each].append(index)
        ready = deque(index for index, count in left.items() if not count)
        while ready:
            batch = [ready.popleft() for _ in range(min(BATCH_SIZE, len(ready)))]
            yield [waiting[index] for index in batch]
            for index in batch:
                del left[index]
                for each in below[index]:
                    left[each] -= 1
                    if not left[each]:
                        ready.append(each)
        cycle = iter([waiting[index] for index in left])
        while batch_of_cycle := list(islice(cycle, BATCH_SIZE)):
            yield batch_of_cycle

    def write(self, unit: Unit, batch: Sequence[Line]) -> list[tuple[Line, Failure]]:
        """Write the lines of a batch that can be read, all or none of them, and return what is wrong with its lines."""
        wrong = [(line, line.fault) for line in batch if line.fault is not None]
        good = {index: line for index, line in enumerate(batch) if line.fault is None}
        faults = Faults()
        self._look_up(unit, good, faults)
        self._refer(good, faults)
        given = {index: line.given for index, line in good.items() if index not in faults}
        try:
            with unit.session.begin_nested():
                made = self._stored(unit, given, faults)
        except ItemsRefused as refused:
            return wrong + [(batch[index], failure) for index, failure in sorted(refused.faults.items())]
        except DRIVER_ERRORS as error:
            failure = translated(error)
            if isinstance(failure, Unavailable):  # which says nothing of the lines
                raise failure from error
            return wrong + [(line, failure) for line in good.values()]
        for index, identifier in made.items():
            if (key := batch[index].key) is not None:
                self.ids[key] = identifier
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

    def _refer(self, good: Mapping[int, Line], faults: Faults) -> None:
        """Put in the ids of records of the model: the new ones of those of the file, or else those that are there."""
        for index, line in good.items():
            for name, called in line.same_file.items():
                found = self.ids.get(called) or uuid_of(called)
                if found is None:
                    faults[index] = ForeignKeyViolation.on(self.model.fields()[name].name)
                else:
                    line.given[name] = found

    @cached_property
    def own_references(self) -> list[str]:
        """The references of the model to itself."""
        found = self.model.fields().items()
        return [name for name, each in found if each.references == self.model.__tablename__]

    def _look_up(self, unit: Unit, good: Mapping[int, Line], faults: Faults) -> None:
        """Put in what is referred to by a field of its own, each reference of all lines in one statement."""
        lookups = {lookup for line in good.values() for lookup in line.lookups}
        for lookup in lookups:
            wanted = {
                index: (line.lookups[lookup], self._organization(unit, lookup, line))
                for index, line in good.items()
                if lookup in line.lookups
            }
            found = _found(unit, lookup, set(wanted.values()))
            for index, called in wanted.items():
                met = found.get(called, ())
                if len(met) == 1:
                    good[index].given[lookup.reference.attribute] = met[0]
                elif met:
                    faults[index] = Invalid({lookup.name: ["Meets several records."]})
                else:
                    faults[index] = ForeignKeyViolation.on(lookup.name)

    def _organization(self, unit: Unit, lookup: Lookup, line: Line) -> UUID | None:
        """In which organization a line refers to records, where both are in one."""
        if not {"organization_id"} <= self.model.fields().keys() & lookup.target.fields().keys():
            return None
        organization: UUID | None = line.given.get("organization_id", unit.principal.organization_id)
        return organization


def write_or_validate(unit: Unit, work: Import, batch: Sequence[Line]) -> None:
    """Write a batch, or find out what is wrong with its lines; the caller rolls back then. A line that refers to a
    line that was not written has no error of its own."""
    work.report.rows += len(batch)
    told = [line for line in batch if work.missing.isdisjoint(line.same_file.values())]
    refused = work.write(unit, told)
    _note(work, refused)
    if refused or len(told) < len(batch):
        work.missing |= {line.key for line in batch if line.key is not None} - work.ids.keys()


def write_partly(unit: Unit, work: Import, batch: Sequence[Line]) -> None:
    """Write those lines of a batch that can be, and note what is wrong with the others."""
    work.report.rows += len(batch)
    _note(work, [(line, line.fault) for line in batch if line.fault is not None])
    left, rounds = [line for line in batch if line.fault is None], 0
    # A hook that takes one record at a time ends the batch with the first that it refuses.
    most = MAX_ROUNDS if hooks.takes_many("create", work.model) and not work.model.audited else 1
    while left:
        rounds += 1
        refused = work.write(unit, left)
        if len(left) > 1 and (rounds > most or len(refused) == len(left)):
            for line in left:
                _note(work, work.write(unit, [line]))
            return
        _note(work, refused)
        if not refused:
            return
        gone = {id(line) for line, _ in refused}
        left = [line for line in left if id(line) not in gone]


def _note(work: Import, refused: Sequence[tuple[Line, Failure]]) -> None:
    for line, failure in sorted(refused, key=lambda each: each[0].number):
        work.report.note(line, failure)


def _found(unit: Unit, lookup: Lookup, wanted: set[LookupKey]) -> dict[LookupKey, list[UUID]]:
    """The ids of the rows that each key finds, two at most."""
    kind = lookup.field.spec.kind
    parsed = {text: uuid_of(text) if isinstance(kind, Identifier) else kind.parse(text) for text, _ in wanted}
    asked = [each for each in wanted if parsed[each[0]] is not None]
    sql, fixed = _lookup_statement(lookup, unit.principal)
    parameters = {
        "wanted": kind.bound([parsed[text] for text, _ in asked]),
        "organizations": [organization for _, organization in asked],
        **fixed, **unit.principal.binds,
    }  # fmt: skip
    found: dict[LookupKey, list[UUID]] = defaultdict(list)
    for index, identifier in driver_connection(unit.session).execute(sql, parameters):
        found[asked[index - 1]].append(identifier)
    return found


def _lookup_statement(lookup: Lookup, principal: Principal) -> tuple[str, Mapping[str, Any]]:
    """Rows of the caller's list alone: those that others make public could be called anything."""
    source = Source(lookup.target, principal.reader)
    value = source.value(lookup.target, lookup.field, source.alias, READING)
    given = f"unnest(%(wanted)s::{lookup.field.spec.kind.sql_type}[], %(organizations)s::uuid[])"
    met = f"{source.listed(READING, with_public=False)} AND {value} = given.value"
    if "organization_id" in lookup.target.fields():
        met += f" AND ({source.alias}.organization_id = given.organization OR given.organization IS NULL)"
    rows = f"SELECT {source.alias}.id FROM {source.table} WHERE {met} LIMIT 2"
    asked = f"{given} WITH ORDINALITY AS given(value, organization, index)"
    return f"SELECT given.index, found.id FROM {asked}, LATERAL ({rows}) AS found", source.fixed
