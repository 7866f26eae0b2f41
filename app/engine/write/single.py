"""Writes that are one statement and its own transaction: plans in which nothing of Python stands between lock and
store, so that lock and judgment are part of the statement. Neither the beginning nor the end of a transaction has to be
waited for, and no row is locked while the process thinks. ``plan`` carries out all others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, TypeVar
from uuid import UUID

import psycopg

from app.engine.declare.fields import ADMIN_READS, ENCRYPTED
from app.engine.declare.kind import Operator
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import BASE_FIELDS, Record
from app.engine.read import fragments
from app.engine.read.database import LostRace, OutcomeUnknown, is_definite_failure, translated
from app.engine.read.encoding import STATEMENTS_KEPT, Representation
from app.engine.read.statements import RecordStatement, Statement, autocommit_connection
from app.engine.write import hooks, inputs, judgment, placing, plan, sql, store
from app.engine.write.preconditions import Precondition
from app.engine.write.unit_of_work import TRIES
from app.engine.write.writers import describe_writer
from app.foundation.errors import Forbidden
from app.runtime.gevent_support import BoundedConnection

T = TypeVar("T")
Values = dict[str, Any]


@lru_cache(maxsize=STATEMENTS_KEPT)
def creates_in_one_statement(model: type[Record], reader: Reader) -> bool:
    """Whether records of ``model`` are made by one statement, and nothing else belongs to it."""
    return plan.inserts_in_one_statement(model, reader) and not model.policy.scope.parent_column


def create(principal: Principal, model: type[Record], given: Values) -> Representation:
    """``run_unit(principal, Unit.create, model, given)`` where ``creates_in_one_statement``."""
    if not model.policy.may_create(principal):
        raise Forbidden()
    return _retry_lost_races(
        lambda connection: plan.insert_with_checks(
            model, principal, connection, given, inputs.new_row(model, principal, given)
        )
    )


def update(
    principal: Principal, model: type[Record], identifier: UUID, given: Values, condition: Precondition
) -> Representation | None:
    """``run_unit(principal, Unit.update, model, identifier, given, condition)`` where that changes plain fields alone.

    None where it takes the unit, which then says why: there is no such row for the caller, nothing or more changes, or
    the stored version is another. Nothing is written then.
    """
    if principal.is_client:
        return None  # the unit judges what it changes
    # The row is found by the id of the path; another one that was sent is the unit's to refuse.
    parts = _parts(model, principal, given) if given.get("id", identifier) == identifier else None
    if parts is None or (model.requires_version and not condition.is_given):
        return None
    changed, kept = parts
    statement = _change(model, principal.reader, changed, kept, condition.versions is not None)
    values = {name: given[name] for name in (*changed, *kept)} | sql.onupdate_values(model) | {"id": identifier}
    parameters = {"rows": sql.document([values]), **_parameters(principal, condition)}
    found = _retry_lost_races(lambda connection: statement.rows(connection, parameters))
    return statement.view.representation(found[0]) if found else None


def delete(principal: Principal, model: type[Record], identifier: UUID, condition: Precondition) -> bool:
    """``run_unit(principal, Unit.delete, model, identifier, condition)`` where that removes the row and no more. False
    where it takes the unit, which then says why; nothing is removed then."""
    if _deletes_more(model) or (model.requires_version and not condition.is_given):
        return False
    statement = _removal(model, principal.reader, condition.versions is not None)
    parameters = {"wanted_id": identifier, **_parameters(principal, condition)}
    return bool(_retry_lost_races(lambda connection: statement.rows(connection, parameters), removing=True))


def _parameters(principal: Principal, condition: Precondition) -> Values:
    told = {"change_context": describe_writer(principal)}
    return {"versions": list(condition.versions or ()), **told, **principal.binds}


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
        if name in BASE_FIELDS:
            continue
        # The database compares everything else as the wire does.
        if field.column is None or Operator.EQ not in field.spec.kind.operators or ENCRYPTED in field.spec.flags:
            return None
        if ADMIN_READS in field.spec.flags and not principal.is_admin:
            return None
        is_kept = name in watched or field.references or not field.set_on_update.admits(principal)
        (kept if is_kept else changed).append(name)
    return (tuple(changed), tuple(kept)) if changed else None


@lru_cache(maxsize=STATEMENTS_KEPT)
def _watched(model: type[Record], reader: Reader) -> frozenset[str] | None:
    """The fields whose changes are judged or followed by hooks; None where every change is."""
    if (
        placing.positions(model)
        or store.is_observed(model)
        or bool(model.policy.scope.parent_column)
        or reader.base is not reader
    ):
        return None
    followed = hooks.watched("update", model)
    if followed is None or not sql.reads_only_own_row(model, reader):
        return None
    return followed | judgment.ruled_fields(model, reader, "update") | frozenset(model.transitions)


@lru_cache(maxsize=1024)
def _change(
    model: type[Record], reader: Reader, changed: tuple[str, ...], kept: tuple[str, ...], versioned: bool
) -> RecordStatement:
    table, may = model.__tablename__, sql.writable(model, reader, "update", versioned=versioned)
    columns = {name: fragments.column(model.fields()[name], table) for name in (*changed, *kept)}
    conditions = (
        may.sql,
        " OR ".join(f'{columns[name]} IS DISTINCT FROM given."{name}"' for name in changed),
        *(f'{columns[name]} IS NOT DISTINCT FROM given."{name}"' for name in kept),
    )
    written = (*changed, *(name for name in sql.onupdate_values(model) if name not in changed))
    update = sql.update_statement(model, reader, written, conditions=conditions, kept=kept, returns=True, tells=True)
    return replace(update, fixed={**update.fixed, **may.fixed})


@cache
def _deletes_more(model: type[Record]) -> bool:
    """Whether more belongs to the removal of a record than its row."""
    is_hooked = hooks.has_any("delete", model) or model.cascades_widely
    return store.is_observed(model) or is_hooked or bool(model.policy.scope.parent_column)


@lru_cache(maxsize=STATEMENTS_KEPT)
def _removal(model: type[Record], reader: Reader, versioned: bool) -> Statement:
    may = sql.writable(model, reader, "delete", versioned=versioned)
    return Statement(sql.delete_statement(model, (may.sql,), one=True), may.fixed)


def _retry_lost_races(statement: Callable[[BoundedConnection], T], *, removing: bool = False) -> T:
    """What ``statement`` returns; where it loses a race it is asked again, as ``run_unit`` does."""
    runs = 0
    while True:
        runs += 1
        try:
            with autocommit_connection("writes") as connection:
                try:
                    return statement(connection)
                except psycopg.Error as error:
                    failure = translated(error, removing=removing) if is_definite_failure(error) else OutcomeUnknown()
                    raise failure from error
        except LostRace:
            if runs == TRIES:
                raise
