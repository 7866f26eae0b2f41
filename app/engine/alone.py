"""Writes to which nothing else belongs: one statement, which is its own transaction, in place of a unit of work.
Neither its beginning nor its end has to be waited for, and no row is locked while the process thinks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, TypeVar
from uuid import UUID

import psycopg

from app.engine import fragments, hooks, inputs, returning, rows
from app.engine.database import LostRace, OutcomeUnknown, is_answer, translated
from app.engine.encoding import Representation
from app.engine.fields import ADMIN_READS, ENCRYPTED
from app.engine.kind import Operator
from app.engine.policy import Parent
from app.engine.preconditions import Precondition
from app.engine.principal import Principal, Reader
from app.engine.record import STAMPS, VERSION, Record
from app.engine.statements import Statement, Viewed, autocommitted
from app.engine.unit_of_work import TRIES
from app.foundation.errors import Forbidden
from app.runtime.gevent_support import BoundedConnection

T = TypeVar("T")
Values = dict[str, Any]


@cache
def may_create(model: type[Record], reader: Reader) -> bool:
    """Whether records of ``model`` are made by one statement, and nothing else belongs to it."""
    return returning.is_plain(model, reader) and not isinstance(model.policy.scope, Parent)


def create(principal: Principal, model: type[Record], given: Values) -> Representation:
    """``run_unit(principal, Unit.create, model, given)`` where ``may_create``."""
    if not model.policy.may_create(principal):
        raise Forbidden()
    references = inputs.references_in(model, given)
    return _carried_out(
        lambda connection: returning.insert(
            model, principal, connection, inputs.new_row(model, principal, given), references
        )
    )


def change(
    principal: Principal, model: type[Record], identifier: UUID, given: Values, condition: Precondition
) -> Representation | None:
    """``run_unit(principal, Unit.update, model, identifier, given, condition)`` where that changes plain fields alone.

    None where it takes the unit, which then says why: there is no such row for the caller, nothing or more changes, or
    the stored version is another. Nothing is written then.
    """
    # The row is found by the id of the path; another one that was sent is the unit's to refuse.
    parts = _parts(model, principal, given) if given.get("id", identifier) == identifier else None
    if parts is None or (model.requires_version and not condition.is_given):
        return None
    changed, kept = parts
    statement = _change(model, principal.reader, changed, kept, condition.versions is not None)
    values = {name: given[name] for name in (*changed, *kept)} | returning.stamps(model) | {"id": identifier}
    parameters = {"rows": rows.as_document([values]), "versions": list(condition.versions or ())} | principal.binds
    found = _carried_out(lambda connection: statement.rows(connection, parameters))
    return statement.view.representation(found[0]) if found else None


def delete(principal: Principal, model: type[Record], identifier: UUID, condition: Precondition) -> bool:
    """``run_unit(principal, Unit.delete, model, identifier, condition)`` where that removes the row and no more. False
    where it takes the unit, which then says why; nothing is removed then."""
    if _is_followed(model) or (model.requires_version and not condition.is_given):
        return False
    statement = _removal(model, principal.reader, condition.versions is not None)
    parameters = {"wanted_id": identifier, "versions": list(condition.versions or ())} | principal.binds
    return bool(_carried_out(lambda connection: statement.rows(connection, parameters), removing=True))


def _parts(model: type[Record], principal: Principal, given: Values) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The fields of ``given`` that are changed, and those that have to be as they are, as more belongs to a change of
    them; None where nothing may be changed so."""
    watched = _watched(model, principal.reader)
    if watched is None:
        return None
    changed: list[str] = []
    kept: list[str] = []
    for name in given:
        field = model.fields()[name]
        if name in STAMPS:
            continue
        # The database compares everything else as the wire does.
        if field.column is None or Operator.EQ not in field.spec.kind.operators or ENCRYPTED in field.spec.flags:
            return None
        if ADMIN_READS in field.spec.flags and not principal.is_admin:
            return None
        is_kept = name in watched or field.references or not field.set_on_update.admits(principal)
        (kept if is_kept else changed).append(name)
    return (tuple(changed), tuple(kept)) if changed else None


@cache
def _watched(model: type[Record], reader: Reader) -> frozenset[str] | None:
    """The fields whose changes are judged or followed by hooks; None where every change is."""
    if model.audited or isinstance(model.policy.scope, Parent) or not returning.reads_no_other(model, reader):
        return None
    followed = hooks.watched("update", model)
    return None if followed is None else followed | frozenset(model.transitions)


@lru_cache(maxsize=1024)
def _change(
    model: type[Record], reader: Reader, changed: tuple[str, ...], kept: tuple[str, ...], versioned: bool
) -> Viewed:
    table, shown = model.__tablename__, returning.read_back(model, reader)
    written = (*changed, *(name for name in returning.stamped(model) if name not in changed))
    visible, writable = fragments.visible(model, reader), fragments.writable(model, reader, "update")
    columns = {name: fragments.column(model.fields()[name], table) for name in (*changed, *kept)}
    conditions = [
        visible.on(table),
        writable.on(table),
        " OR ".join(f'{columns[name]} IS DISTINCT FROM given."{name}"' for name in changed),
        *(f'{columns[name]} IS NOT DISTINCT FROM given."{name}"' for name in kept),
        *_versions(table, versioned),
    ]
    update = rows.change(model, ("id", *written), beside=kept)
    met = " AND ".join(f"({condition})" for condition in conditions)
    # What is read is the row as it is now, by the name of its table.
    text = f"WITH {table} AS ({update} AND {met} RETURNING {table}.*) {shown.sql}"
    return Viewed(text, {**shown.fixed, **visible.fixed, **writable.fixed}, shown.view)


@cache
def _is_followed(model: type[Record]) -> bool:
    """Whether more belongs to the removal of a record than its row."""
    is_hooked = hooks.has_any("delete", model) or model.cascades_widely
    return model.audited or is_hooked or isinstance(model.policy.scope, Parent)


@cache
def _removal(model: type[Record], reader: Reader, versioned: bool) -> Statement:
    table = model.__tablename__
    visible, writable = fragments.visible(model, reader), fragments.writable(model, reader, "delete")
    conditions = [f"{table}.id = %(wanted_id)s", visible.on(table), writable.on(table), *_versions(table, versioned)]
    met = " AND ".join(f"({condition})" for condition in conditions)
    text = f"DELETE FROM {table} WHERE {met} RETURNING id"  # noqa: S608 - declarations alone
    return Statement(text, {**visible.fixed, **writable.fixed})


def _versions(table: str, versioned: bool) -> list[str]:
    return [f"{table}.{VERSION} = ANY (%(versions)s)"] if versioned else []


def _carried_out(statement: Callable[[BoundedConnection], T], *, removing: bool = False) -> T:
    """What ``statement`` returns; where it loses a race it is asked again, as ``run_unit`` does."""
    runs = 0
    while True:
        runs += 1
        try:
            with autocommitted("writes") as connection:
                try:
                    return statement(connection)
                except psycopg.Error as error:
                    failure = translated(error, removing=removing) if is_answer(error) else OutcomeUnknown()
                    raise failure from error
        except LostRace:
            if runs == TRIES:
                raise
