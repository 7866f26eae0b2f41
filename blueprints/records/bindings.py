"""How HTTP and batches carry out the operations of records: a binding for each verb."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from flask import Response

from app.auth.credentials import nobody
from app.auth.credentials.access import Access, declare_access, rights_required
from app.engine.declare.record import Record
from app.engine.operations import verbs
from app.engine.operations.verbs import RecordOperation, Verb, operations
from app.engine.write.unit_of_work import Unit
from blueprints.http.base import Blueprint
from blueprints.http.conditional import IF_MATCH
from blueprints.http.declarations import strict
from blueprints.http.public import cacheable
from blueprints.http.replies import IDEMPOTENCY_KEY, Reply
from blueprints.http.routing import converter_of
from blueprints.records import bulk, exports, files, history, imports, reads, submissions, writes
from blueprints.records.parts import RoutedSubRequest
from schemas.bulk import IDS, ON_CONFLICT, RESOLUTION, RETURN
from schemas.changes import PURGE
from schemas.query.queries import CREDENTIAL
from schemas.transfer import imports as of_imports

Handler = Callable[..., Response]
WRITING = (CREDENTIAL, IDEMPOTENCY_KEY)
ON_ITEM = (*WRITING, IF_MATCH)


@dataclass(frozen=True)
class Binding:
    """How a verb is carried out. It is routed at ``path`` below the collection, by the methods of ``called``, under the
    names that the description has for them, and at the path ``query_path`` by the method QUERY; ``takes`` are its query
    parameters. ``in_batch`` carries it out as a request of a batch."""

    path: str
    called: Mapping[str, str]
    handler: Callable[[type[Record]], Handler]
    takes: tuple[str, ...] | None = None  # the handler reads them
    query_path: str | None = None
    in_batch: Callable[[Unit, type[Record], RoutedSubRequest], Reply] | None = None


BINDINGS: dict[Verb, Binding] = {
    verbs.LIST: Binding("", {"GET": "list"}, reads.list_records, in_batch=reads.list_in_batch),
    verbs.CREATE: Binding(
        "", {"POST": "create"}, writes.create_records, (*WRITING, ON_CONFLICT, RESOLUTION, RETURN),
        in_batch=writes.create_in_batch,
    ),
    verbs.READ: Binding("/<id>", {"GET": "read"}, reads.read_record, in_batch=reads.read_in_batch),
    verbs.UPDATE: Binding(
        "/<id>", {"PUT": "update", "PATCH": "patch"}, writes.update_record, ON_ITEM, in_batch=writes.update_in_batch,
    ),
    verbs.DELETE: Binding(
        "/<id>", {"DELETE": "delete"}, writes.delete_record, (*ON_ITEM, PURGE), in_batch=writes.delete_in_batch,
    ),
    verbs.FILE: Binding("/<id>/_files/<field>", {"GET": "readFileOf"}, files.read_file, (CREDENTIAL, files.SIZE)),
    verbs.HISTORY: Binding("/<id>/_history", {"GET": "history"}, history.read_history),
    verbs.REVERT: Binding("/<id>/_revert", {"POST": "revert"}, history.revert_record, ON_ITEM),
    verbs.DELETED: Binding("/_deleted", {"GET": "deleted"}, history.list_deleted),
    verbs.RESTORE: Binding("/_deleted/<id>/_restore", {"POST": "restore"}, history.restore_record, WRITING),
    verbs.QUERY: Binding("/_query", {"POST": "query"}, reads.query_records, WRITING, query_path=""),
    verbs.AGGREGATE: Binding(
        "/_aggregate", {"GET": "aggregate"}, reads.aggregate_records, in_batch=reads.aggregate_in_batch,
    ),
    verbs.QUERY_AGGREGATE: Binding(
        "/_aggregate", {"POST": "queryAggregate"}, reads.query_aggregate, WRITING, query_path="/_aggregate",
    ),
    verbs.EXPORT: Binding("/_export", {"GET": "export"}, exports.export_records),
    verbs.UPDATE_MANY: Binding("", {"PUT": "updateMany", "PATCH": "patchMany"}, bulk.update_many, (*WRITING, RETURN)),
    verbs.UPDATE_MATCHING: Binding("/_matching/_update", {"POST": "updateMatching"}, bulk.update_matching, WRITING),
    verbs.DELETE_MANY: Binding("", {"DELETE": "deleteMany"}, bulk.delete_many, (*WRITING, IDS)),
    verbs.DELETE_MATCHING: Binding("/_matching/_delete", {"POST": "deleteMatching"}, bulk.delete_matching, WRITING),
    verbs.IMPORT: Binding(
        "/_import", {"POST": "import"}, imports.import_records, (*WRITING, *of_imports.PARAMETERS),
    ),
}  # fmt: skip


def add_routes(blp: Blueprint, model: type[Record]) -> None:
    """Route the operations of ``model``. Those that are open to nobody get no route, so the framework answers them with
    405 and what is allowed."""
    collection = model.collection_path().removeprefix(blp.url_prefix or "")
    for operation in operations(model):
        _route(blp, operation, BINDINGS[operation.verb], collection)


@cache
def access_of(operation: RecordOperation) -> Access:
    """What an operation asks of its caller, however it is called."""
    model, verb = operation.model, operation.verb
    guarded = rights_required(model, *verb.granted_by, reads=verb.reads, private=verb.private)(lambda: None)
    return guarded.access  # type: ignore[attr-defined]


def _route(blp: Blueprint, operation: RecordOperation, binding: Binding, collection: str) -> None:
    model, verb = operation.model, operation.verb
    converter = converter_of(model.path) if model.path else "string"
    rule = collection + binding.path.replace("<id>", f"<{converter}:id>")
    guard = declare_access(access_of(operation))
    for method, called in binding.called.items():
        name = f"{called}{model.__name__}"
        handler: Any = binding.handler(model)
        if not verb.private and nobody.may(model, *verb.granted_by):
            handler = cacheable(handler) if verb.reads else submissions.or_submitted(model, handler)
        checked = handler if binding.takes is None else strict(handler, binding.takes)
        view = guard(blp.of_operation(operation, name)(checked))
        blp.add_url_rule(rule, name, view, methods=[method])
        if binding.query_path is not None:
            blp.add_query_rule(f"{collection}{binding.query_path}", f"{name}BySafeMethod", view)
