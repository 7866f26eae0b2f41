"""The history of records over HTTP: their versions, a record as it was, and the way back to a version."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import orjson
from flask import Response, current_app, request
from werkzeug.datastructures import MultiDict

from app.auth.credentials.authentication import caller
from app.engine.changes import history, restoring, reverting
from app.engine.declare.record import Record
from app.engine.read.concurrency import query_slot
from app.engine.read.encoding import dumps
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Unauthenticated
from blueprints.http.base import json_body, json_object, load, parse_id
from blueprints.http.conditional import precondition
from blueprints.http.replies import Reply, idempotent_request, respond, run_idempotent
from blueprints.records.writes import changed
from schemas.changes import Revert, history_window, moment_asked
from schemas.derive import update_schema
from schemas.query.queries import item_selection

Handler = Callable[..., Response]
AS_OF = "asOf"


def read_history(model: type[Record]) -> Handler:
    """Versions of a record, newest first."""

    def handler(id: str) -> Response:
        take, cursor = history_window(request.args)
        found = history.history(model, caller(), parse_id(id), take, cursor)
        return Reply({"data": found.entries, "meta": {"next": found.next}}).within_bounds().response()

    return handler


def read_as_of(model: type[Record], identifier: UUID) -> Response:
    """The record as it was at the moment that the query names."""
    moment = moment_asked(request.args)
    if caller().is_nobody:
        raise Unauthenticated()
    others = MultiDict((name, value) for name, value in request.args.items(multi=True) if name not in (AS_OF, "expand"))
    if "expand" in request.args:
        others["expand"] = ""  # what is expanded has a history of its own
    selection = item_selection(model, caller(), others, current_app.config["SETTINGS"])
    record = history.as_of(model, caller(), identifier, moment)
    return Reply(record if selection.names is None else selection.of(record)).within_bounds().response()


def list_deleted(model: type[Record]) -> Handler:
    """The records that are gone, the latest first."""

    def handler() -> Response:
        take, cursor = history_window(request.args)
        found = restoring.deleted(model, caller(), take, cursor)
        return Reply({"data": found.entries, "meta": {"next": found.next}}).within_bounds().response()

    return handler


def restore_record(model: type[Record]) -> Handler:
    """A record that is there again."""

    def handler(id: str) -> Response:
        identifier = parse_id(id)
        with query_slot(caller()):
            return respond(lambda unit: Reply.of(restoring.restore(unit, model, identifier)))

    return handler


def revert_record(model: type[Record]) -> Handler:
    """The record with the values of an earlier version, written as an ordinary update."""

    def handler(id: str) -> Response:
        version = load(Revert(), json_object(json_body()))["version"]
        identifier, condition, principal = parse_id(id), precondition(), caller()

        def revert(unit: Unit) -> Reply:
            values = reverting.values_of_version(model, principal, identifier, version)
            given = load(update_schema(model), orjson.loads(dumps(values)))
            return changed(unit, model, identifier, given, condition)

        return run_idempotent(principal, idempotent_request(), revert)

    return handler
