"""Many records of a model in one request: arrays to make, change and delete, upserts, and writes about matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from flask import Response, current_app, request

from app.auth.credentials.authentication import caller
from app.engine.declare.record import Record
from app.engine.read.concurrency import query_slot
from app.engine.read.encoding import Representation
from app.engine.read.query import Junction
from app.engine.write.conflicts import UniqueRule
from app.engine.write.faults import Faults
from app.engine.write.matching import matching
from app.engine.write.plan import Change
from app.engine.write.unit_of_work import Unit
from app.engine.write.upserts import Resolution
from app.foundation.errors import InvalidJson
from blueprints.http.base import json_body, json_object
from blueprints.http.replies import Reply, respond
from blueprints.records.reads import check_size
from schemas import bulk

Values = dict[str, Any]
P = ParamSpec("P")
Handler = Callable[[], Response]


def respond_with_created(model: type[Record], body: Sequence[Any]) -> Response:
    """Make the records in the array ``body``, or make and merge them where the query names a unique rule."""
    given, faults = bulk.new_records(model, body)
    upserting, minimal = bulk.upserting(model, request.args), bulk.is_minimal(request.args)
    if upserting is None:
        return _carry_out(created, model, given, faults, minimal=minimal)
    return _carry_out(upserted, model, given, *upserting, faults, minimal=minimal)


def created(
    unit: Unit, model: type[Record], given: Mapping[int, Values], faults: Faults, *, minimal: bool = False
) -> Reply:
    """The records that were made, in the order sent."""
    ids = list(unit.create_many(model, given, faults).values())
    return _sized(Reply(envelope(_shown(unit, model, ids, minimal=minimal)), 201))


def upserted(
    unit: Unit, model: type[Record], given: Mapping[int, Values], rule: UniqueRule, resolution: Resolution,
    faults: Faults, *, minimal: bool = False,
) -> Reply:  # fmt: skip
    """The records as they are now, in the order sent, and how many were made, changed and left."""
    done = unit.upsert(model, given, rule, resolution, faults)
    shown = _shown(unit, model, [done.ids[index] for index in sorted(done.ids)], minimal=minimal)
    told = {"created": len(done.created), "updated": len(done.updated)}
    ignored = len(done.ids) - len(done.created) - len(done.updated)
    return _sized(Reply(envelope(shown, **told, ignored=ignored), 201 if done.created else 200))


def _carry_out(work: Callable[Concatenate[Unit, P], Reply], *arguments: P.args, **options: P.kwargs) -> Response:
    """Do ``work`` once there is a slot for it: writes of many by one caller leave connections to others."""
    with query_slot(caller()):
        return respond(work, *arguments, **options)


def envelope(data: Sequence[Any], **meta: int) -> dict[str, Any]:
    """``{data, meta}`` of a write of many."""
    return {"data": data, "meta": {"count": len(data), **meta}}


def _shown(unit: Unit, model: type[Record], ids: Sequence[UUID], *, minimal: bool) -> list[Any]:
    found: list[Representation] = unit.read_many(model, ids)
    return [{"id": each["id"], "version": each.version} for each in found] if minimal else list(found)


def update_many(model: type[Record]) -> Handler:
    """The records as they are now, in the order sent."""

    def handler() -> Response:
        changes, faults = bulk.changes(model, _array())
        return _carry_out(_updated, model, changes, faults, minimal=bulk.is_minimal(request.args))

    return handler


def _updated(unit: Unit, model: type[Record], changes: Mapping[int, Change], faults: Faults, *, minimal: bool) -> Reply:
    unit.update_many(model, changes, faults)
    return _sized(Reply(envelope(_shown(unit, model, [each.id for each in changes.values()], minimal=minimal))))


def _sized(reply: Reply) -> Reply:
    """The reply; raises AnswerTooLarge where a short body has changed more than a query might ask for."""
    check_size(reply.body)
    return reply


def delete_many(model: type[Record]) -> Handler:
    """That the records are gone."""

    def handler() -> Response:
        body = json_body() if request.content_length or "Transfer-Encoding" in request.headers else None
        return _carry_out(_deleted, model, *bulk.named_records(request.args, body))

    return handler


def _deleted(unit: Unit, model: type[Record], named: Mapping[int, Change], faults: Faults) -> Reply:
    unit.delete_many(model, named, faults)
    return Reply(envelope([{"id": each.id, "deleted": True} for each in named.values()]))


def update_matching(model: type[Record]) -> Handler:
    """How many records that match were changed."""
    return _match(model, "update")


def delete_matching(model: type[Record]) -> Handler:
    """How many records that match were deleted."""
    return _match(model, "delete")


def _match(model: type[Record], operation: str) -> Handler:
    def handler() -> Response:
        settings = current_app.config["SETTINGS"]
        asked = bulk.matching(model, caller(), json_object(json_body()), settings, sets=operation == "update")
        return _carry_out(_matched, model, operation, *asked)

    return handler


def _matched(
    unit: Unit, model: type[Record], operation: str, where: Junction, given: Values, most: int, dry: bool
) -> Reply:
    found = matching(unit, model, where, most, operation)
    if not dry:
        changes = {index: Change(identifier, given) for index, identifier in enumerate(found)}
        if operation == "update":
            unit.update_many(model, changes)
        else:
            unit.delete_many(model, changes)
    return Reply({"meta": {"count": len(found)}})


def _array() -> list[Any]:
    body = json_body()
    if not isinstance(body, list):
        raise InvalidJson("The body must be a JSON array of records")
    return body
