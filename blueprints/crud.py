"""The generic routes of a model: HTTP and its description, without policy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Response, request

from app.auth.authentication import caller, rights_required
from app.engine.declare.policy import Rule
from app.engine.declare.record import Record
from app.engine.write import single
from blueprints import bulk, lists
from blueprints.base import Blueprint, json_body, json_object, load, parse_id
from blueprints.conditional import IF_MATCH, precondition
from blueprints.declarations import strict
from blueprints.describe import document_operation, document_query
from blueprints.imports import add_import
from blueprints.lists import Envelope
from blueprints.replies import IDEMPOTENCY_KEY, Reply, keyed_request, run_keyed
from blueprints.routing import converter_of
from blueprints.transfers import add_export
from blueprints.writes import changed, created, deleted, removed, reply_with
from schemas.bulk import ON_CONFLICT, RESOLUTION, RETURN, is_minimal
from schemas.derive import create_schema, read_schema, update_schema
from schemas.envelopes import Deleted, list_schema
from schemas.queries import CREDENTIAL

Handler = Callable[..., Response]
# The query parameters of writes.
ON_ITEM = (CREDENTIAL, IDEMPOTENCY_KEY, IF_MATCH)
ON_CREATE = (CREDENTIAL, IDEMPOTENCY_KEY, ON_CONFLICT, RESOLUTION, RETURN)
KNOWN = {"create": ON_CREATE, "update": ON_ITEM, "delete": ON_ITEM}


def register(blp: Blueprint, model: type[Record]) -> None:
    """Add the routes of ``model`` to the blueprint of its domain. Operations that are open to nobody get no route,
    so the framework answers them with 405 and what is allowed."""
    collection = model.collection_path().removeprefix(blp.url_prefix or "")
    for operation, rule in model.policy.operations().items():
        if rule is not Rule.NONE:
            add_operation(blp, model, operation, collection)
    if model.policy.list is not Rule.NONE:
        add_queries(blp, model, collection)
        add_export(blp, model, collection)
    bulk.add_bulk(blp, model, collection)
    add_import(blp, model, collection)


def add_operation(blp: Blueprint, model: type[Record], operation: str, collection: str) -> None:
    """Route one operation of ``model``."""
    made, methods = HANDLERS[operation]
    handler = made(blp, model)
    converter = converter_of(model.path) if model.path else "string"
    rule = collection if operation in ("list", "create") else f"{collection}/<{converter}:id>"
    for method in methods:
        name = operation_id(model, "patch" if method == "PATCH" else operation)
        strict_handler = handler if operation in ("list", "read") else strict(handler, KNOWN[operation])
        documented = "update" if method == "PATCH" else operation
        view = blp.described(document_operation, model, documented, name)(strict_handler)
        guarded = rights_required(model)(view)
        blp.add_url_rule(rule, name, guarded, methods=[method])


def add_queries(blp: Blueprint, model: type[Record], collection: str, envelope: Envelope = lists.envelope) -> None:
    """Route what asks of the list of ``model``: QUERY and its POST twin, and sums."""
    guard = rights_required(model, reads=True)
    for name, path, method, handler in (
        ("query", "_query", "POST", _query(model, envelope)),
        ("aggregate", "_aggregate", "GET", _sums(model)),
        ("queryAggregate", "_aggregate", "POST", _sum_query(model)),
    ):
        endpoint = operation_id(model, name)
        view = guard(blp.described(document_query, model, name, endpoint)(handler))
        blp.add_url_rule(f"{collection}/{path}", endpoint, view, methods=[method])
        if method == "POST":
            beside = collection if name == "query" else f"{collection}/{path}"
            blp.add_query_rule(beside, f"{endpoint}BySafeMethod", view)


def operation_id(model: type[Record], verb: str) -> str:
    """``listCrmContact``."""
    return verb + model.__name__


def _list(blp: Blueprint, model: type[Record]) -> Handler:
    @blp.response(200, list_schema(model))
    def handler() -> Response:
        return lists.respond(model, lists.of_parameters(model), lists.envelope)

    return handler


def _query(model: type[Record], envelope: Envelope) -> Handler:
    def handler() -> Response:
        return lists.respond(model, lists.of_body(model), envelope)

    return strict(handler, (CREDENTIAL, IDEMPOTENCY_KEY))


def _sums(model: type[Record]) -> Handler:
    def handler() -> Response:
        return lists.respond_with_sums(model, lists.sum_of_parameters(model))

    return handler


def _sum_query(model: type[Record]) -> Handler:
    def handler() -> Response:
        return lists.respond_with_sums(model, lists.sum_of_body(model))

    return strict(handler, (CREDENTIAL, IDEMPOTENCY_KEY))


def _create(blp: Blueprint, model: type[Record]) -> Handler:
    @blp.response(201, read_schema(model))
    def handler() -> Response:
        body = json_body()
        if isinstance(body, list) or ON_CONFLICT in request.args or RESOLUTION in request.args:
            return bulk.respond_with_created(model, body if isinstance(body, list) else [json_object(body)])
        given = load(create_schema(model), body)
        minimal, principal, keyed = bool(request.args) and is_minimal(request.args), caller(), keyed_request()
        if keyed is None and single.may_create(model, principal.reader):
            return reply_with(single.create(principal, model, given), minimal=minimal).response()
        return run_keyed(principal, keyed, partial(created, model=model, given=given, minimal=minimal))

    return handler


def _read(blp: Blueprint, model: type[Record]) -> Handler:
    @blp.response(200, read_schema(model))
    def handler(id: str) -> Response:
        return lists.respond_with_item(model, parse_id(id))

    return handler


def _update(blp: Blueprint, model: type[Record]) -> Handler:
    @blp.arguments(update_schema(model))
    @blp.response(200, read_schema(model))
    def handler(given: dict[str, Any], id: str) -> Response:
        identifier, condition, principal, keyed = parse_id(id), precondition(), caller(), keyed_request()
        if keyed is None and (record := single.change(principal, model, identifier, given, condition)) is not None:
            return Reply.of(record).response()
        return run_keyed(principal, keyed, lambda unit: changed(unit, model, identifier, given, condition))

    return handler


def _delete(blp: Blueprint, model: type[Record]) -> Handler:
    @blp.response(200, Deleted)
    def handler(id: str) -> Response:
        identifier, condition, principal, keyed = parse_id(id), precondition(), caller(), keyed_request()
        # The guide routes answer with the record that was there.
        if keyed is None and not model.guide and single.delete(principal, model, identifier, condition):
            return removed(identifier).response()
        return run_keyed(principal, keyed, lambda unit: deleted(unit, model, identifier, condition))

    return handler


HANDLERS: dict[str, tuple[Callable[[Blueprint, type[Record]], Handler], tuple[str, ...]]] = {
    "list": (_list, ("GET",)),
    "create": (_create, ("POST",)),
    "read": (_read, ("GET",)),
    "update": (_update, ("PUT", "PATCH")),
    "delete": (_delete, ("DELETE",)),
}
