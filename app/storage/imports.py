"""Imports: a file becomes records at once, or waits in the object store for a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.auth.accounts.standing import standing_of
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.transfer.importing import Import, Line, Report, write_or_validate, write_partly
from app.engine.transfer.tables import Table
from app.engine.write.unit_of_work import Unit, run_unit
from app.engine.write.upserts import Resolution, rule_of
from app.foundation.errors import Conflict, Forbidden, RateLimited, require_found
from app.jobs.queue import defer
from app.plugins import resolve
from app.runtime.connections import allow_time
from app.storage.import_models import OPEN, StorageImport

IMPORT, IMPORT_FINISHED = "import_records", "IMPORT_FINISHED"
RIGHTS_REDUCED = "Your rights have ended while the file was imported"
# Imports of one user that may be there at once.
MAX_IMPORTS = 20
MAX_LISTED = 100


# Finds the principal of a unit anew.
ReloadPrincipal = Callable[[Unit], Principal]


def unchanged_principal(unit: Unit) -> Principal:
    """The principal as it was: an operator, or the service itself, has no row that could have changed."""
    return unit.principal


class ImportRolledBack(Exception):
    """An import that comes to nothing, for a dry run or because not every line can be written, with what is known."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self.report = report


@dataclass(frozen=True)
class ImportOptions:
    """What an import asks: the format of the file, what its columns stand for, and what becomes of records that are
    there already."""

    form: str = "csv"
    mapping: Mapping[str, str] = field(default_factory=dict)
    on_conflict: tuple[str, ...] = ()
    resolution: Resolution = Resolution.MERGE
    partial: bool = False
    dry_run: bool = False

    def work(self, model: type[Record]) -> Import:
        """A run of it, from the beginning."""
        return Import(model, rule_of(model, self.on_conflict) if self.on_conflict else None, self.resolution)

    def to_dict(self) -> dict[str, Any]:
        """What is kept of it."""
        return {**vars(self), "on_conflict": list(self.on_conflict), "mapping": dict(self.mapping)}

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> ImportOptions:
        """What was kept."""
        resolution = Resolution(options["resolution"])
        return cls(**{**options, "on_conflict": tuple(options["on_conflict"]), "resolution": resolution})


def carry_out(
    principal: Principal, model: type[Record], asked: ImportOptions, table: Table, *,
    advance: Callable[[Report], None] = lambda report: None,
) -> Report:  # fmt: skip
    """Import a file at once, and ``advance`` with each batch; raises Invalid for columns that nobody knows."""
    if writes_by_batch(model, asked):
        return write_by_batch(principal, model, asked, table, advance=advance)
    try:
        return run_unit(principal, write_whole, model, asked, table, advance=advance)
    except ImportRolledBack as undone:
        return undone.report


def writes_by_batch(model: type[Record], asked: ImportOptions) -> bool:
    """Whether each batch is a transaction of its own. Records that refer to others of the file are in one with them."""
    return asked.partial and not asked.dry_run and not asked.work(model).own_references


def write_by_batch(
    principal: Principal, model: type[Record], asked: ImportOptions, table: Table, *, done: Report | None = None,
    save_progress: Callable[[Unit, Report, Report], object] = lambda unit, before, report: None,
    reload: ReloadPrincipal = unchanged_principal,
    advance: Callable[[Report], None] = lambda report: None,
) -> Report:  # fmt: skip
    """Write each batch in a transaction of its own, behind what is ``done``; ``save_progress`` gets the reports before
    and after, in that transaction."""

    def write(unit: Unit, batch: Sequence[Line]) -> Report:
        unit.principal = _still_covering(reload(unit), principal, work.report)
        report = _write_batch(unit, work, batch)
        save_progress(unit, work.report, report)
        return report

    work = asked.work(model)
    work.report = done or Report()
    for batch in work.batches(_lines(model, principal, asked, table, work.report.rows)):
        work.report = run_unit(principal, write, batch)
        advance(work.report)
    return work.report


def write_whole(
    unit: Unit, model: type[Record], asked: ImportOptions, table: Table, *,
    reload: ReloadPrincipal = unchanged_principal, advance: Callable[[Report], None] = lambda report: None,
) -> Report:  # fmt: skip
    """Write all lines of a file in one unit; raises ImportRolledBack where that comes to nothing."""
    allow_time(unit.session)
    work, principal = asked.work(model), unit.principal
    write = write_partly if asked.partial else write_or_validate
    for batch in work.batches(_lines(model, principal, asked, table)):
        unit.principal = _still_covering(reload(unit), principal, Report())
        write(unit, work, batch)
        advance(work.report)
    if work.report.failed and not asked.partial:
        raise ImportRolledBack(replace(work.report, created=0, updated=0, ignored=0))
    if asked.dry_run:
        raise ImportRolledBack(work.report)
    return work.report


def _lines(
    model: type[Record], principal: Principal, asked: ImportOptions, table: Table, begin: int = 0
) -> Iterator[Line]:
    # What a line means is decided where bodies are read, which is above this room.
    lines = resolve("schemas.transfer.importing:lines")
    return lines(model, principal, table.rows(begin), asked.mapping, is_text=asked.form == "csv")


def _write_batch(unit: Unit, work: Import, batch: Sequence[Line]) -> Report:
    """Write a batch of an import by batch, and return the report as it is then; a unit may run again."""
    attempt = replace(work, report=replace(work.report, faults=list(work.report.faults)), ids={})
    write_partly(unit, attempt, batch)
    return attempt.report


def _still_covering(principal: Principal, before: Principal, report: Report) -> Principal:
    """The principal as the database knows it now, in the organization that the import was asked for in; raises
    Forbidden, with what is written by then, where it may do less than before."""
    if not principal.covers(before):
        raise Forbidden(RIGHTS_REDUCED, details={"meta": report.meta})
    able = replace(principal, organization_id=before.organization_id)
    if able.narrowing is None:
        return able
    return replace(able, narrowing=able.narrowing.requiring("import"))


def ask(unit: Unit, model: type[Record], asked: ImportOptions, storage_key: str) -> StorageImport:
    """Have a file imported by a job; raises RateLimited."""
    principal = unit.principal
    unit.lock(f"imports of {principal.user_id}")
    own = select(StorageImport.id).where(StorageImport.user_id == principal.user_id, StorageImport.status.in_(OPEN))
    if len(unit.session.scalars(own.limit(MAX_IMPORTS)).all()) == MAX_IMPORTS:
        raise RateLimited("Too many of your imports wait", headers={"Retry-After": "60"})
    made = StorageImport(
        user_id=principal.user_id, model=model.__tablename__, options=asked.to_dict(), standing=standing_of(principal),
        storage_key=storage_key,
    )  # fmt: skip
    unit.store(made)
    defer(unit, IMPORT, made.id, user_id=principal.user_id, on_behalf=True)
    return made


def own(unit: Unit) -> list[StorageImport]:
    """The imports of the principal that are kept, the newest first."""
    mine = select(StorageImport).where(StorageImport.user_id == unit.principal.user_id)
    return list(unit.session.scalars(mine.order_by(StorageImport.created_at.desc()).limit(MAX_LISTED)))


def find(unit: Unit, identifier: UUID, *, lock: bool = False) -> StorageImport:
    """An import of the principal; raises NotFound."""
    own = (StorageImport.id == identifier, StorageImport.user_id == unit.principal.user_id)
    statement = select(StorageImport).where(*own)
    return require_found(unit.session.scalar(statement.with_for_update() if lock else statement))


def cancel(unit: Unit, identifier: UUID) -> StorageImport:
    """End an import that waits or runs; what a partial one has written stays. Raises NotFound and Conflict."""
    found = find(unit, identifier, lock=True)
    if found.status not in OPEN:
        raise Conflict("The import is over")
    found.status = "cancelled"
    return found
