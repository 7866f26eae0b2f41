"""Records that were deleted, and their way back: each with its own descendants that went in the same transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import inspect

from app.engine.changes.history import ABOUT, ABOUT_WIDTH, LogPage, binds_of, days_kept, told
from app.engine.changes.images import ImageColumns, as_row, image_columns
from app.engine.changes.judgments import roots
from app.engine.changes.triggers import omitted_columns
from app.engine.declare.catalogue import every_model
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import VERSION, Field, Record, metadata
from app.engine.declare.scopes import Organization, Owner, Parent
from app.engine.read import cursors, fragments
from app.engine.read.concurrency import query_slot
from app.engine.read.database import translated
from app.engine.read.encoding import STATEMENTS_KEPT, Representation
from app.engine.read.statements import Statement, autocommit_connection, driver_connection
from app.engine.write import audit, sql
from app.engine.write.changes import record_changed
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import Conflict, Failure, Forbidden, ForeignKeyViolation, NotFound
from app.foundation.events import Event

# Records that come back at once, at most.
MAX_RESTORED = 10_000
# The latest deletion of a record that is not there, whose image was not removed on request.
IS_GONE = """
c.operation = 'delete' AND c.image ? 'created_at'
AND NOT EXISTS (SELECT 1 FROM {table} AS t WHERE t.id = c.record_id)
AND NOT EXISTS (SELECT 1 FROM platform_change AS l WHERE l.record_id = c.record_id AND l.seq > c.seq)
"""
# What others than admins could have deleted is among this, which indexes find, where the log says whose rows are.
OWN = "(c.organization_id = ANY (%(caller_organizations)s) OR c.owner_id = %(caller_user)s)"

XACT = "SELECT xact FROM platform_change WHERE record_id = %(id)s AND seq = %(seq)s"

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


def deleted(model: type[Record], principal: Principal, take: int, cursor: str | None = None) -> LogPage:
    """Return the records that are gone and that the caller could have deleted, the latest first. Raises NotFound where
    changes are not kept, and InvalidPagination."""
    days_kept()
    context = cursors.holder_context(principal, deleted=model.qualified_name())
    before = None if cursor is None else cursors.read(context, cursor, ["bigint"])[0]
    statement, columns = _deleted(model, principal.reader, "%(before)s::bigint IS NULL OR c.seq < %(before)s")
    asked = {"before": before, "take": take + 1} | binds_of(principal)
    with query_slot(principal), autocommit_connection("queries") as connection:
        rows = statement.rows_in_time(connection, asked)
    shown = [_shown(columns, row) for row in rows[:take]]
    return LogPage(shown, cursors.write(context, [rows[take - 1][0]]) if len(rows) > take else None)


def restore(unit: Unit, model: type[Record], identifier: UUID) -> Representation:
    """Bring a record back, as it was, with what belongs to it, and return it. Raises NotFound where the caller could
    not have deleted it, Forbidden where the caller could not make it, and Conflict naming what stands in the way."""
    days_kept()
    statement, columns = _deleted(model, unit.principal.reader, "c.record_id = %(wanted_id)s")
    connection = driver_connection(unit.session)
    asked = {"take": 1, "wanted_id": identifier} | binds_of(unit.principal)
    rows = statement.rows(connection, asked)
    if not rows:
        raise NotFound()
    _require_creatable(model, unit.principal, columns.record(rows[0], ABOUT_WIDTH + 1))
    (xact,) = connection.rows(XACT, {"id": identifier, "seq": rows[0][0]})[0]
    found = _descendants(connection, model, identifier, rows[0][0], xact)
    returning.emit(unit, xact, found)
    try:
        for each in parents_first(model for model, ids in found.items() if ids):
            connection.execute(_insert(each), {"seqs": list(found[each].values()), "now": now(), "xact": xact})
        _refer_again(connection, found, xact)
        _follow(unit, model, identifier, found)
        unit.session.flush()
    except psycopg.IntegrityError as error:
        raise _in_the_way(translated(error)) from error
    return sql.read(model, unit.principal, connection, [identifier])[identifier]


def return_alone(unit: Unit, model: type[Record], identifier: UUID, seq: int, xact: str) -> None:
    """Insert a record of ``model`` as its deletion has it, without what went with it, and nobody is asked or told.
    Raises Conflict."""
    driver_connection(unit.session).execute(_insert(model), {"seqs": [seq], "now": now(), "xact": xact})
    _run_hooks(unit, model, identifier, False)


def _shown(columns: ImageColumns, row: tuple[Any, ...]) -> dict[str, Any]:
    about = told(row)
    return {"recordId": row[ABOUT_WIDTH], **{name: about[name] for name in about if name != "operation"},
            "record": columns.record(row, ABOUT_WIDTH + 1)}  # fmt: skip


def _says_whose(model: type[Record]) -> bool:
    """Whether all who may delete a row are told from the organization and the owner that the log has of it."""
    *below, last = (model, *roots(model))
    is_whole = not any(each.policy.managed for each in (*below, last))
    return (
        is_whole
        and type(last.policy.scope) in (Owner, Organization)
        and all(type(each.policy.scope) is Parent for each in below)
    )


def _require_creatable(model: type[Record], principal: Principal, record: Mapping[str, Any]) -> None:
    """Refuse who could not make such a record, and all but admins where the removal reached far."""
    column = model.policy.scope.organization_column
    organization = record.get(model.fields()[column].name) if column and column != "id" else None
    may = model.policy.may_create(principal)
    if organization is not None:
        may = may and model.policy.may_create_in(UUID(str(organization)), principal)
    if not may or (model.domain == "auth" and model.cascades_widely and not principal.is_admin):
        raise Forbidden()


def _descendants(connection: Any, model: type[Record], identifier: UUID, seq: int, xact: str) -> Restored:
    """The record and what belongs to it, with the sequence numbers of their deletions; raises Conflict."""
    found: Restored = defaultdict(dict)
    found[model][identifier] = seq
    waiting = [(model, [identifier])]
    while waiting or (model.cascades_widely and (waiting := list(_companions(connection, found, xact)))):
        parent, identifiers = waiting.pop()
        for child, reference in belonging(parent):
            rows = connection.rows(
                f"""SELECT record_id, seq FROM platform_change WHERE xact = %(xact)s AND operation = 'delete'
                AND model = '{child.qualified_name()}' AND (image ->> '{reference}')::uuid = ANY (%(ids)s)
                AND image ? 'created_at'""",  # noqa: S608
                {"xact": xact, "ids": identifiers},
            )
            new = {record: number for record, number in rows if record not in found[child]}
            if new:
                found[child].update(new)
                waiting.append((child, list(new)))
            if sum(map(len, found.values())) > MAX_RESTORED:
                raise Conflict(f"More than {MAX_RESTORED} records belong to it")
    return found


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


def _follow(unit: Unit, model: type[Record], identifier: UUID, found: Restored) -> None:
    """Do what belongs to the return of each record, and tell of that of the first one."""
    for each, identifiers in found.items():
        for record_id in identifiers if _hooks[each] else ():
            _run_hooks(unit, each, record_id, (each, record_id) != (model, identifier))
    if record_changed.has_listeners(model) or model.audited:
        record = unit.get(model, identifier)
        record_changed.tell(unit, "create", record, {})
        if model.audited:
            audit.record_write(unit, "create", record)


def _run_hooks(unit: Unit, model: type[Record], identifier: UUID, with_parent: bool) -> None:
    for hook in _hooks[model]:
        try:
            hook(unit, unit.get(model, identifier), with_parent)
        except Failure as failure:
            raise Conflict(failure.text, details=failure.details) from failure


def _in_the_way(failure: Failure) -> Failure:
    """What the database has refused, as something that stands in the way."""
    if isinstance(failure, ForeignKeyViolation):
        fields = failure.details.get("fields", {})
        told_of = {name: ["Names a record that is gone."] for name in fields}
        return Conflict(f"What it belongs to is gone: {', '.join(fields)}", details={"fields": told_of})
    return failure


@lru_cache(maxsize=STATEMENTS_KEPT)
def _deleted(model: type[Record], reader: Reader, which: str) -> tuple[Statement, ImageColumns]:
    """The deletions that meet ``which``, a condition on the change ``c``, of what the caller could have deleted."""
    columns, may = image_columns(model, reader, "gone"), fragments.restorable(model, reader)
    own = OWN if reader.base is not Reader.ADMIN and _says_whose(model) else "true"
    text = f"""
        SELECT {ABOUT}, c.record_id, {columns.sql}
        FROM platform_change AS c CROSS JOIN LATERAL {as_row(model, "c.image", "gone")}
        WHERE c.model = '{model.qualified_name()}' AND {own} AND {IS_GONE.format(table=model.__tablename__)}
            AND ({which}) AND {columns.admitted} AND ({may.on("gone")})
        ORDER BY c.seq DESC LIMIT %(take)s
    """  # noqa: S608
    return Statement(text, {**columns.fixed, **may.fixed}), columns
