"""Writes of one record over HTTP and in batches, and what they reply."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from flask import Response, request

from app.auth.credentials.authentication import caller
from app.engine.changes import purging
from app.engine.declare.record import Record
from app.engine.read.encoding import Representation
from app.engine.write import single
from app.engine.write.idempotency import IdempotentRequest
from app.engine.write.preconditions import Precondition
from app.engine.write.unit_of_work import Unit
from blueprints.http.base import json_body, json_object, load, parse_id
from blueprints.http.conditional import precondition
from blueprints.http.replies import Reply, idempotent_request, run_idempotent
from blueprints.records import bulk
from blueprints.records.parts import RoutedSubRequest
from schemas.bulk import ON_CONFLICT, RESOLUTION, is_minimal
from schemas.changes import is_purge
from schemas.derive import create_schema, update_schema

Values = dict[str, Any]
Handler = Callable[..., Response]


def created(unit: Unit, model: type[Record], given: Values, *, minimal: bool = False) -> Reply:
    """The record that was made, or its id and version."""
    return reply_with(unit.create(model, given), minimal=minimal)


def reply_with(record: Representation, *, minimal: bool) -> Reply:
    """A record that was made."""
    if minimal:
        return Reply({"id": record["id"], "version": record.version}, 201, record.version)
    return Reply.of(record, 201)


def changed(unit: Unit, model: type[Record], identifier: UUID, given: Values, condition: Precondition) -> Reply:
    """The record as it is now."""
    return Reply.of(unit.update(model, identifier, given, condition))


def deleted(unit: Unit, model: type[Record], identifier: UUID, condition: Precondition) -> Reply:
    """That the record is gone; of the guide routes, the record that was there."""
    last = unit.delete(model, identifier, condition, returning=model.legacy_envelope)
    return removed(identifier) if last is None else Reply(last)


def removed(identifier: UUID) -> Reply:
    """That the record is gone."""
    return Reply({"id": str(identifier), "deleted": True})


def create_records(model: type[Record]) -> Handler:
    """The new record; of an array, or where the query names a unique rule, the records that were made or merged."""

    def handler() -> Response:
        body = json_body()
        if isinstance(body, list) or ON_CONFLICT in request.args or RESOLUTION in request.args:
            return bulk.respond_with_created(model, body if isinstance(body, list) else [json_object(body)])
        given = load(create_schema(model), body)
        minimal = bool(request.args) and is_minimal(request.args)
        return create_one(model, given, idempotent_request(), minimal=minimal)

    return handler


def create_one(
    model: type[Record], given: Values, keyed: IdempotentRequest | None, *, minimal: bool = False
) -> Response:
    """Make a record in the name of the caller, once for each idempotency key."""
    principal = caller()
    if keyed is None and single.creates_in_one_statement(model, principal.reader):
        return reply_with(single.create(principal, model, given), minimal=minimal).response()
    return run_idempotent(principal, keyed, partial(created, model=model, given=given, minimal=minimal))


def update_record(model: type[Record]) -> Handler:
    """The record as it is now."""

    def handler(id: str) -> Response:
        given = load(update_schema(model), json_body())
        return update_one(model, parse_id(id), given, precondition(), idempotent_request())

    return handler


def update_one(
    model: type[Record], identifier: UUID, given: Values, condition: Precondition, keyed: IdempotentRequest | None
) -> Response:
    """Change a record in the name of the caller, likewise."""
    principal = caller()
    if keyed is None and (record := single.update(principal, model, identifier, given, condition)) is not None:
        return Reply.of(record).response()
    return run_idempotent(principal, keyed, lambda unit: changed(unit, model, identifier, given, condition))


def purged(unit: Unit, model: type[Record], identifier: UUID, condition: Precondition) -> Reply:
    """That the record is gone, and what the log has of it and of what went with it."""
    reply = deleted(unit, model, identifier, condition)
    purging.require_manager(unit, identifier)
    purging.purge_deleted(unit)
    return reply


def delete_record(model: type[Record]) -> Handler:
    """That the record is gone, and with ``purge`` what the log has of it."""

    def handler(id: str) -> Response:
        identifier, condition, keyed = parse_id(id), precondition(), idempotent_request()
        if request.args and is_purge(request.args):
            return run_idempotent(caller(), keyed, lambda unit: purged(unit, model, identifier, condition))
        return delete_one(model, identifier, condition, keyed)

    return handler


def delete_one(
    model: type[Record], identifier: UUID, condition: Precondition, keyed: IdempotentRequest | None
) -> Response:
    """Delete a record in the name of the caller, likewise."""
    principal = caller()
    # The guide routes answer with the record that was there.
    if keyed is None and not model.legacy_envelope and single.delete(principal, model, identifier, condition):
        return removed(identifier).response()
    return run_idempotent(principal, keyed, lambda unit: deleted(unit, model, identifier, condition))


def create_in_batch(unit: Unit, model: type[Record], asked: RoutedSubRequest) -> Reply:
    """Answer such a request within a batch."""
    asked.check(takes_body=True)
    return created(unit, model, load(create_schema(model), asked.body))


def update_in_batch(unit: Unit, model: type[Record], asked: RoutedSubRequest) -> Reply:
    """Answer such a request within a batch."""
    asked.check(takes_body=True, takes_condition=True)
    given = load(update_schema(model), asked.body)
    return changed(unit, model, parse_id(asked.identifier), given, asked.condition)


def delete_in_batch(unit: Unit, model: type[Record], asked: RoutedSubRequest) -> Reply:
    """Answer such a request within a batch."""
    asked.check(takes_condition=True)
    return deleted(unit, model, parse_id(asked.identifier), asked.condition)
