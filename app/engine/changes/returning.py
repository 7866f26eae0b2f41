"""The return of deleted records to their tables: together with their own descendants that went in the same
transaction, or alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import inspect, select

from app.engine.changes.images import as_row
from app.engine.changes.triggers import omitted_columns
from app.engine.declare.catalogue import every_model
from app.engine.declare.record import VERSION, Field, Record, metadata
from app.engine.read.database import translated
from app.engine.read.statements import driver_connection
from app.engine.write import audit
from app.engine.write.changes import record_changed
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import Conflict, Failure, ForeignKeyViolation
from app.foundation.events import Event

# Records that are loaded at a time for those who are told of them.
LOADED = 1000
# Called with the record that is there again, and whether it came with the one above it, whose figures count it still.
RestoreHook = Callable[[Unit, Any, bool], None]
_hooks: dict[type[Record], list[RestoreHook]] = defaultdict(list)
Restored = dict[type[Record], dict[UUID, int]]
# Emitted before deleted records are inserted again, with the transaction that deleted them: whoever hears it brings
# back what their rows refer to.
returning: Event[[Unit, str, Restored]] = Event()


def on_restore(model: type[Record]) -> Callable[[RestoreHook], RestoreHook]:
    """Run the function when a record of ``model`` is there again, in the transaction that brings it back."""

    def register(hook: RestoreHook) -> RestoreHook:
        _hooks[model].append(hook)
        return hook

    return register


def return_together(unit: Unit, model: type[Record], records: dict[UUID, int], xact: str, most: int) -> None:
    """Insert again records of ``model`` that the transaction ``xact`` has deleted, by the sequence numbers of their
    deletions, and what belonged to them, ``most`` in all. Raises Conflict naming what stands in the way."""
    connection = driver_connection(unit.session)
    found, below = _descendants(connection, model, records, xact, most)
    returning.emit(unit, xact, found)
    try:
        for each in parents_first(model for model, ids in found.items() if ids):
            connection.execute(_insert(each), {"seqs": list(found[each].values()), "now": now(), "xact": xact})
        _refer_again(connection, found, xact)
        _follow(unit, model, found, below)
        unit.session.flush()
    except psycopg.IntegrityError as error:
        raise _in_the_way(translated(error)) from error


def return_alone(unit: Unit, model: type[Record], identifier: UUID, seq: int, xact: str) -> None:
    """Insert a record of ``model`` as its deletion has it, without what went with it, and nobody is asked or told.
    Raises Conflict."""
    driver_connection(unit.session).execute(_insert(model), {"seqs": [seq], "now": now(), "xact": xact})
    _run_hooks(unit, unit.get(model, identifier), with_parent=False)


def _descendants(
    connection: Any, model: type[Record], records: dict[UUID, int], xact: str, most: int
) -> tuple[Restored, set[UUID]]:
    """The records and what belongs to them, with the sequence numbers of their deletions, and those of them that belong
    to another one; raises Conflict."""
    found: Restored = defaultdict(dict)
    found[model] = dict(records)
    below: set[UUID] = set()
    waiting = [(model, list(records))]
    while waiting or (model.cascades_widely and (waiting := list(_companions(connection, found, xact)))):
        parent, identifiers = waiting.pop()
        for child, reference in belonging(parent):
            rows = connection.rows(
                f"""SELECT record_id, seq FROM platform_change WHERE xact = %(xact)s AND operation = 'delete'
                AND model = '{child.qualified_name()}' AND (image ->> '{reference}')::uuid = ANY (%(ids)s)
                AND image ? 'created_at'""",  # noqa: S608
                {"xact": xact, "ids": identifiers},
            )
            below.update(record for record, _ in rows)
            new = {record: number for record, number in rows if record not in found[child]}
            if new:
                found[child].update(new)
                waiting.append((child, list(new)))
            if sum(map(len, found.values())) > most:
                raise Conflict(f"More than {most} records belong to it")
    return found, below


def _companions(connection: Any, found: Restored, xact: str) -> Iterator[tuple[type[Record], list[UUID]]]:
    """What else went in the transaction of which ``found`` could not be without, as the organization of a person, which
    is added to it."""
    for child in list(found):
        for field in _references(child):
            parent = _wide_models().get(field.references or "")
            if parent is None or field.column is None or _on_delete(field) != "CASCADE":
                continue
            rows = connection.rows(
                f"""SELECT DISTINCT p.record_id, p.seq FROM platform_change AS c JOIN platform_change AS p
                    ON p.record_id = (c.image ->> '{field.column.name}')::uuid AND p.xact = c.xact
                WHERE c.xact = %(xact)s AND c.operation = 'delete' AND c.record_id = ANY (%(ids)s)
                AND p.model = '{parent.qualified_name()}' AND p.operation = 'delete' AND p.image ? 'created_at'""",  # noqa: S608
                {"xact": xact, "ids": list(found[child])},
            )
            new = {record: number for record, number in rows if record not in found[parent]}
            if new:
                found[parent].update(new)
                yield parent, list(new)


@cache
def belonging(parent: type[Record]) -> list[tuple[type[Record], str]]:
    """The logged models whose rows go with a row of ``parent``, with the column that refers to it."""
    return [
        (child, field.column.name)
        for child in every_model()
        if child.logged and not child.is_credential
        for field in _references(child)
        if field.column is not None and field.references == parent.__tablename__ and _on_delete(field) == "CASCADE"
    ]


@cache
def _wide_models() -> dict[str, type[Record]]:
    return {model.__tablename__: model for model in every_model() if model.cascades_widely}


def _references(model: type[Record]) -> Iterator[Field]:
    return (field for field in model.fields().values() if field.column is not None and field.references)


def _on_delete(field: Field) -> str:
    assert field.column is not None  # noqa: S101 - of a reference
    (key,) = field.column.foreign_keys
    return (key.ondelete or "").upper()


def parents_first(models: Iterable[type[Record]]) -> list[type[Record]]:
    """Return ``models`` in an order in which each stands behind those that its rows name."""
    order = {table.name: number for number, table in enumerate(metadata.sorted_tables)}
    return sorted(models, key=lambda each: order[each.__tablename__])


@cache
def _insert(model: type[Record]) -> str:
    """Insert the rows of the images ``seqs`` as they were, in a version of their own. What a row named that is gone by
    now, it names no more, where it may do without."""
    omitted = omitted_columns(model)
    columns = {column.name: f"i.{column.name}" for column in inspect(model).columns if column.name not in omitted}
    columns |= {VERSION: "c.version + 1", "updated_at": "%(now)s"}
    for field in _references(model):
        if field.column is not None and field.column.name in columns and _on_delete(field) == "SET NULL":
            name = field.column.name
            there = f"EXISTS (SELECT 1 FROM {field.references} AS x WHERE x.id = i.{name})"  # noqa: S608
            columns[name] = f"CASE WHEN {there} THEN i.{name} END"
    names = ", ".join(f'"{name}"' for name in columns)
    return f"""
        INSERT INTO {model.__tablename__} ({names}) SELECT {", ".join(columns.values())}
        FROM platform_change AS c CROSS JOIN LATERAL {as_row(model, "c.image", "i")}
        WHERE c.xact = %(xact)s AND c.seq = ANY (%(seqs)s)
    """  # noqa: S608


def _refer_again(connection: Any, found: Restored, xact: str) -> None:
    """Have rows whose references the deletion has emptied name the records again, where they still name nothing."""
    tables = {model.__tablename__: list(ids) for model, ids in found.items()}
    for model in every_model():
        for field in _references(model) if model.logged else ():
            if field.column is None or field.references not in tables or _on_delete(field) != "SET NULL":
                continue
            table, name = model.__tablename__, field.column.name
            connection.execute(
                f"""UPDATE {table} SET {name} = (c.old ->> '{name}')::uuid FROM platform_change AS c
                WHERE c.xact = %(xact)s AND c.model = '{model.qualified_name()}' AND c.operation = 'update'
                    AND '{name}' = ANY (c.changed) AND (c.old ->> '{name}')::uuid = ANY (%(ids)s)
                    AND {table}.id = c.record_id AND {table}.{name} IS NULL""",  # noqa: S608
                {"xact": xact, "ids": tables[field.references]},
            )


def _follow(unit: Unit, model: type[Record], found: Restored, below: set[UUID]) -> None:
    """Do what belongs to the return of each record, and tell of that of those of ``model`` that came by themselves."""
    for each, identifiers in found.items():
        for record in _loaded(unit, each, identifiers) if _hooks[each] else ():
            _run_hooks(unit, record, with_parent=each is not model or record.id in below)
    if record_changed.has_listeners(model) or model.audited:
        for record in _loaded(unit, model, found[model].keys() - below):
            record_changed.tell(unit, "create", record, {})
            if model.audited:
                audit.record_write(unit, "create", record)


def _loaded(unit: Unit, model: type[Record], identifiers: Collection[UUID]) -> Iterator[Any]:
    ordered = sorted(identifiers)
    for start in range(0, len(ordered), LOADED):
        some = ordered[start : start + LOADED]
        yield from unit.session.scalars(select(model).where(model.id.in_(some)).order_by(model.id))


def _run_hooks(unit: Unit, record: Record, *, with_parent: bool) -> None:
    for hook in _hooks[type(record)]:
        try:
            hook(unit, record, with_parent)
        except Failure as failure:
            raise Conflict(failure.text, details=failure.details) from failure


def _in_the_way(failure: Failure) -> Failure:
    """What the database has refused, as something that stands in the way."""
    if isinstance(failure, ForeignKeyViolation):
        fields = failure.details.get("fields", {})
        told_of = {name: ["Names a record that is gone."] for name in fields}
        return Conflict(f"What it belongs to is gone: {', '.join(fields)}", details={"fields": told_of})
    return failure
