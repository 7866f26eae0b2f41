"""The batch: requests on models that are carried out in order, in one transaction or each by itself."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

import orjson
from flask import Response, current_app, g
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import HTTPException
from werkzeug.exceptions import MethodNotAllowed as WrongMethod

from app.auth.credentials import credentials, impersonation
from app.auth.credentials.access import Access, credentials_required
from app.auth.credentials.authentication import authorize, caller
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.record import Record
from app.engine.operations import verbs
from app.engine.read.concurrency import query_slot
from app.engine.read.database import DRIVER_ERRORS, OutcomeUnknown, translated
from app.engine.read.statements import reads_in_transaction, reads_outside_transaction
from app.engine.write import locks
from app.engine.write.idempotency import IdempotentRequest
from app.engine.write.kept_bytes import MAX_ANSWER_BYTES
from app.engine.write.leases import Lease, LeaseLost
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation import percent_encoding
from app.foundation.errors import (
    AnswerTooLarge,
    BatchFailed,
    Failure,
    Invalid,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    QueryTimeout,
    Unavailable,
)
from blueprints.http.base import Blueprint, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.replies import Reply, idempotent_request, ids_and_versions, run_idempotent, run_with_lease
from blueprints.records.bindings import BINDINGS
from blueprints.records.parts import RoutedSubRequest
from schemas import batch
from schemas.batch import SubRequest
from schemas.errors import error_body

MAX_READ = 1000
# All answers of a batch are noted with each write, so they are held to what is kept of one answer.
MAX_NOTED_BYTES = MAX_ANSWER_BYTES // batch.MAX_REQUESTS
TEXT = """Creates, changes, deletes, reads, lists and sums of single models, in order. A value `{ref.field}`, or a path
segment `{ref.id}`, is a field of the answer to an earlier request. All or none, unless `atomic` is false."""
EXAMPLE = {
    "requests": [
        {"ref": "co", "method": "POST", "path": "/api/v1/crm/company", "body": {"name": "Harbour Works"}},
        {"method": "PATCH", "path": "/api/v1/crm/company/{co.id}", "body": {"industry": "Logistics"}, "ifMatch": "1"},
    ]
}
TAG = '"1-1f0c53d2a6b4e890"'
ANSWERED = {
    "data": [{"ref": "co", "status": 201, "etag": TAG, "body": {"id": EXAMPLE_ID, "name": "Harbour Works"}}],
    "meta": {"count": 1},
}


def build() -> Blueprint:
    blp = Blueprint("batch", __name__, url_prefix="/api/v1", description="Several requests in one.")
    blp.after_request(_note_parts)
    serve(blp, "POST", "/_batch", Operation(
        "batch", "Carry out several requests", access=credentials_required(reads=True, composite=True),
        takes=Body(batch.Batch, example=EXAMPLE), gives=Answer(batch.BatchAnswer, example=ANSWERED),
        fails=(404, 409, 412, 428), once=True, description=TEXT,
    ))(lambda given: carry_out(given, idempotent_request()))  # fmt: skip
    return blp


def carry_out(given: dict[str, Any], keyed: IdempotentRequest | None) -> Response:
    """Carry out the requests of a batch in the name of the caller, who pays for each."""
    g.parts = parts = batch.parts_of(given)
    if len(parts) > 1:
        credentials.consume_further(caller(), len(parts) - 1)
    with query_slot(caller()):
        if given.get("atomic", True):
            response = run_idempotent(caller(), keyed, partial(_run_atomically, parts=parts))
        else:
            response = run_with_lease(keyed, partial(_run_independently, parts))
    if "Idempotency-Replayed" in response.headers:
        _check_rights(parts, orjson.loads(response.get_data()))
    return response


class Run:
    """What was carried out of a batch so far: the replies that have a name, and how much is read and answered."""

    def __init__(self, parts: Sequence[SubRequest]) -> None:
        self._named: dict[str, Reply | None] = {part.ref: None for part in parts if part.ref is not None}
        self._fields: dict[str, dict[str, Any]] = {}
        self._read = self._expanded = self._answered = self._put_in = 0
        self._is_other_caller = self._has_written = False
        settings = current_app.config["SETTINGS"]
        self._most, self._most_put_in = settings.max_answer_bytes, settings.max_json_bytes
        self._most_expanded = settings.max_records
        self._deadline = time.monotonic() + settings.batch_timeout

    def carry_out(self, unit: Unit, part: SubRequest) -> Reply:
        """Carry out one request; raises its failure, and QueryTimeout where those before it took too long."""
        if time.monotonic() > self._deadline:
            raise QueryTimeout("The batch takes too long: send fewer requests, or cheaper ones")
        if self._is_other_caller:
            with reads_in_transaction(unit.session):
                unit.principal = credentials.reload_principal(unit.principal, unit.session)
        path, body = batch.resolved(part, self._named, self._value)
        path, _, query = path.partition("?")
        percent_encoding.check("", query.encode().decode("latin-1"))  # as WSGI hands it out
        operation, access, identifier = _route(path, part.method)
        authorize(unit.principal, access, part.method)
        model, work = operation.model, BINDINGS[operation.verb].in_batch
        assert work is not None  # noqa: S101 - which _route has seen to
        args = MultiDict(parse_qsl(query, keep_blank_values=True))
        # Reads before the first write are queries like all others, and keep no transaction open.
        self._has_written |= part.method != "GET"
        with reads_in_transaction(unit.session) if self._has_written else reads_outside_transaction():
            reply = work(unit, model, RoutedSubRequest(identifier, args, body, part.if_match, self._reserve))
        # What is written of accounts may change who the caller is, and what is theirs, for the next request.
        self._is_other_caller |= part.method != "GET" and model.domain == "auth"
        self._count(part, reply)
        return reply

    def keep(self, part: SubRequest, reply: Reply) -> Reply:
        """Let later requests refer to what counts."""
        if part.ref is not None:
            self._named[part.ref] = reply
        return reply

    def _value(self, ref: str, name: str) -> Any:
        reply = self._named[ref]
        if reply is None:
            raise Invalid({"body": [f"{ref} was refused, so that nothing is known of it."]})
        if ref not in self._fields:
            self._fields[ref] = orjson.loads(reply.body)
        fields = self._fields[ref]
        if name not in fields or name in reply.secrets:
            raise Invalid({"body": [f"The answer to {ref} has no {name}."]})
        # What comes by reference counts as what is sent, or a short body could stand for any amount.
        self._put_in += len(orjson.dumps(fields[name]))
        if self._put_in > self._most_put_in:
            raise PayloadTooLarge()
        return fields[name]

    def _reserve(self, records: int) -> None:
        self._expanded += records
        if self._expanded > self._most_expanded:
            most = self._most_expanded
            raise AnswerTooLarge(f"The batch could hold {self._expanded} records: expand fewer, at most {most}")

    def _count(self, part: SubRequest, reply: Reply) -> None:
        self._answered += len(reply.body)
        if self._answered > self._most:
            raise AnswerTooLarge.than(self._most)
        if part.method == "GET":
            self._read += len(reply.value["data"]) if isinstance(reply.value.get("data"), list) else 1
        if self._read > MAX_READ:
            raise AnswerTooLarge(f"A batch reads at most {MAX_READ} records")


def _run_atomically(unit: Unit, parts: Sequence[SubRequest]) -> Reply:
    run, answers, has_locks = Run(parts), [], False
    for part in parts:
        if part.method != "GET" and not has_locks:  # what comes before keeps nobody waiting
            has_locks = True
            _lock_named(unit, parts)
        try:
            answers.append(_answer(part, run.keep(part, run.carry_out(unit, part))))
        except DRIVER_ERRORS as error:
            raise _failed(part, translated(error, removing=unit.is_removing)) from error
        except Failure as failure:
            raise _failed(part, failure) from failure
    return _reply(answers)


def _run_independently(parts: Sequence[SubRequest], lease: Lease | None) -> Reply:
    """Carry out the requests in transactions of their own. What a write answers is noted in that transaction, so that
    the same batch, sent again, goes on behind it."""

    def carry_out_one(unit: Unit, part: SubRequest) -> Reply:
        reply = run.carry_out(unit, part)
        if lease is not None and part.method != "GET":
            written[str(part.index)] = _noted(part, reply)
            lease.renew(unit, written)
        return reply

    run = Run(parts)
    answers: list[Mapping[str, Any]] = []
    written: dict[str, Any] = dict(lease.progress or {}) if lease is not None else {}
    for part in parts:
        done = written.get(str(part.index))
        if done is not None:
            run.keep(part, Reply(done["body"], done["status"]))
            answers.append(done)
            continue
        try:
            answers.append(_answer(part, run.keep(part, run_unit(caller(), carry_out_one, part))))
        except Failure as failure:
            if lease is not None and isinstance(failure, LeaseLost | OutcomeUnknown):
                raise
            written.pop(str(part.index), None)
            answers.append(_answer(part, Reply(error_body(failure, part.path), failure.status)))
    return _reply(answers)


def _noted(part: SubRequest, reply: Reply) -> dict[str, Any]:
    """What is noted of an answer: of a large one the id and the version."""
    is_large = len(reply.body) > MAX_NOTED_BYTES
    return {**_answer(part, reply), "body": ids_and_versions(reply.value) if is_large else orjson.loads(reply.body)}


def _lock_named(unit: Unit, parts: Sequence[SubRequest]) -> None:
    """Lock the records that changes and removals name, always in the same order: two batches that write the same ones
    the other way round would wait for each other."""
    named: dict[type[Record], set[UUID]] = defaultdict(set)
    for part in parts:
        if part.method in ("PUT", "PATCH", "DELETE"):
            with suppress(Failure):  # which its own turn tells
                operation, access, identifier = _route(part.path, part.method)
                authorize(unit.principal, access, part.method)
                named[operation.model].add(parse_id(identifier))
    if sum(map(len, named.values())) > 1:
        for model in sorted(named, key=lambda model: model.__tablename__):
            locks.lock(model, unit.principal, unit.session, named[model], "update")


def _check_rights(parts: Sequence[SubRequest], kept: Mapping[str, Any]) -> None:
    """Refuse a kept answer to a caller whose credential would not reach as far today as what it tells of: the batch
    itself is open to all who may read. Raises Forbidden."""
    for part, told in zip(parts, kept["data"], strict=True):
        if told["status"] < HTTPStatus.BAD_REQUEST:
            _, access, _ = _route(part.path.partition("?")[0], part.method)
            authorize(caller(), access, part.method)


def _route(path: str, method: str) -> tuple[verbs.RecordOperation, Access, str]:
    """The operation that a part asks for, who may do it, and the id in its path; raises NotFound, MethodNotAllowed and
    Invalid."""
    adapter = current_app.url_map.bind("")
    try:
        endpoint, values = adapter.match(path, method=method)
    except WrongMethod as refusal:
        raise MethodNotAllowed(headers={"Allow": ", ".join(refusal.valid_methods or ())}) from None
    except HTTPException:
        raise NotFound() from None
    view: Any = current_app.view_functions[endpoint]
    operation: verbs.RecordOperation | None = getattr(view, "operation", None)
    if operation is None or BINDINGS[operation.verb].in_batch is None:
        raise Invalid({"path": ["Is no route that a batch takes."]})
    return operation, view.access, values.get("id", "")


def _note_parts(response: Response) -> Response:
    """Write down what an impersonating session has asked for: the batch, and the routes of its requests."""
    principal = g.get("principal")
    if principal is not None and principal.impersonator_id is not None:
        routes = [f"{part.method} {_rule(part)}" for part in g.get("parts", ())]
        outcome = "success" if response.status_code < HTTPStatus.BAD_REQUEST else "denied"
        run_unit(principal, impersonation.note_request, outcome, routes)
    return response


def _rule(part: SubRequest) -> str:
    """The route of a part, as it is written down: without the ids in its path."""
    try:
        rule, _ = current_app.url_map.bind("").match(part.path.partition("?")[0], part.method, return_rule=True)
    except HTTPException:
        return "unmatched"
    return rule.rule


def _failed(part: SubRequest, failure: Failure) -> Failure:
    """The failure of the whole. What says nothing of the part itself stays what it is."""
    if isinstance(failure, Unavailable | OutcomeUnknown):
        return failure
    details = {"index": part.index, "status": failure.status, "body": error_body(failure, part.path)}
    whole = BatchFailed(details={**details, "ref": part.ref}, headers=failure.headers)
    whole.status = failure.status
    return whole


def _answer(part: SubRequest, reply: Reply) -> dict[str, Any]:
    return {"ref": part.ref, "status": reply.status, "etag": reply.tag, "body": reply.value}


def _reply(answers: Sequence[Mapping[str, Any]]) -> Reply:
    return Reply({"data": answers, "meta": {"count": len(answers)}})
