"""What operations reply, and how it becomes a response: with an entity tag, or again under an idempotency key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Concatenate, ParamSpec

from flask import Response, current_app, request

from app.auth.credentials.authentication import caller, caller_if_any
from app.engine.declare.catalogue import SEALED
from app.engine.declare.principal import Principal
from app.engine.read.database import DRIVER_ERRORS, LostRace
from app.engine.read.encoding import Representation, dumps
from app.engine.write import idempotency, kept_bytes, leases
from app.engine.write.idempotency import IdempotentRequest, StoredAnswer
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import AnswerTooLarge, Failure, Invalid
from app.runtime.change_context import written_transaction
from app.runtime.headers import TRANSACTION_ID
from blueprints.http.base import JSON, body_bytes
from blueprints.http.conditional import entity_tag, header_and_parameter, matches_if_none_match

P = ParamSpec("P")
IDEMPOTENCY_KEY = "idempotencyKey"
PRINTABLE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?")
# What does not make a request another one.
NOT_HASHED = (IDEMPOTENCY_KEY, "api_key")


@dataclass(frozen=True)
class Reply:
    """The ``value`` that goes out as JSON. ``version`` is that of a single record; ``secrets`` names members that are
    shown once, and kept nowhere."""

    value: Any
    status: int = 200
    version: int | None = None
    secrets: tuple[str, ...] = ()
    headers: Mapping[str, str] | None = None

    @classmethod
    def of(cls, record: Representation, status: int = 200) -> Reply:
        """A single record."""
        return cls(record, status, record.version)

    @cached_property
    def body(self) -> bytes:
        return dumps(self.value)

    def within_bounds(self) -> Reply:
        """The same; raises AnswerTooLarge where it is larger than an answer to a query may be."""
        most = current_app.config["SETTINGS"].max_answer_bytes
        if len(self.body) > most:
            raise AnswerTooLarge.than(most)
        return self

    @property
    def tag(self) -> str | None:
        return None if self.version is None else entity_tag(self.version, self.body)

    def response(self) -> Response:
        tag = self.tag
        if tag is not None and request.method in ("GET", "HEAD") and matches_if_none_match(tag):
            return Response(status=304, headers={"ETag": tag})
        response = Response(self.body, self.status, self.headers, content_type=JSON)
        if tag is not None:
            response.headers["ETag"] = tag
        return response

    def answer(self, unit: Unit, owner: str) -> StoredAnswer:
        """What is kept of it under the idempotency key of ``owner``."""
        value = self.value if not self.secrets else {**self.value, **dict.fromkeys(self.secrets)}
        body = self.body if not self.secrets else dumps(value)
        # What is stored encrypted is in no answer that is kept.
        if not (SEALED and any(name in body for name in SEALED)) and kept_bytes.reserve_bytes(unit, owner, len(body)):
            return StoredAnswer(self.status, body.decode(), self.tag, transaction=written_transaction())
        short = dumps(ids_and_versions(value)).decode()
        return StoredAnswer(self.status, short, self.tag, truncated=True, transaction=written_transaction())


@dataclass(frozen=True)
class Replay:
    """A kept answer that is given again."""

    kept: StoredAnswer

    def response(self) -> Response:
        headers = {"Idempotency-Replayed": "true"}
        if self.kept.truncated:
            headers["Idempotency-Truncated"] = "true"
        if self.kept.etag is not None:
            headers["ETag"] = self.kept.etag
        if self.kept.transaction is not None:
            headers[TRANSACTION_ID] = self.kept.transaction
        return Response(self.kept.body, self.kept.status, headers, content_type=JSON)


def respond(work: Callable[Concatenate[Unit, P], Reply], *arguments: P.args, **options: P.kwargs) -> Response:
    """Do ``work`` in a unit of the caller, once for each idempotency key, and answer with its reply."""
    return run_idempotent(caller(), idempotent_request(), lambda unit: work(unit, *arguments, **options))


def run_idempotent(principal: Principal, keyed: IdempotentRequest | None, work: Callable[[Unit], Reply]) -> Response:
    """The same in the name of ``principal``, and for the request as ``keyed`` knows it."""
    if keyed is None:
        return run_unit(principal, work).response()
    return run_unit(principal, _once, keyed, work).response()


def run_with_lease(keyed: IdempotentRequest | None, work: Callable[[leases.Lease | None], Reply]) -> Response:
    """Do work of several transactions, or of other services, while its key is held; ``work`` renews the lease with each
    transaction. A failure gives the key up, and what is done is not done again."""
    if keyed is None:
        return work(None).response()
    lease = leases.claim(keyed)
    if isinstance(lease, StoredAnswer):
        return Replay(lease).response()
    try:
        reply = work(lease)
    except BaseException:
        with suppress(Failure):  # the lease ends by itself
            lease.release()
        raise
    run_unit(keyed.principal, _complete, lease, reply)
    return reply.response()


def idempotent_request(content: bytes = b"") -> IdempotentRequest | None:
    """The running request with its idempotency key, if it has one; ``content`` stands for a body that is not JSON.
    Raises Invalid."""
    key = _key()
    if key is None:
        return None
    environ = request.environ
    pairs = request.args.items(multi=True) if environ["QUERY_STRING"] else ()
    query = sorted(pair for pair in pairs if pair[0] not in NOT_HASHED)
    condition = environ.get("HTTP_IF_MATCH")
    return request_of(key, request.method, request.path, content or body_bytes(), query, condition)


def request_of(
    key: str, method: str, path: str, content: bytes, query: Sequence[Any] = (), condition: str | None = None
) -> IdempotentRequest:
    """A request of the caller with an idempotency key, told from others by all the rest; raises Invalid."""
    if not PRINTABLE.fullmatch(key):
        raise Invalid({IDEMPOTENCY_KEY: ["Must be 1 to 255 printable characters of ASCII."]})
    principal = caller_if_any()
    if principal is None or principal.user_id is None:
        raise Invalid({IDEMPOTENCY_KEY: ["Is for callers who are users."]})
    digest = sha256(dumps((method, path, query, principal.organization_id, condition)) + b"\n" + content)
    return IdempotentRequest(principal, key, method, path[:2048], digest.hexdigest())


def _key() -> str | None:
    sent, asked = header_and_parameter("HTTP_IDEMPOTENCY_KEY", IDEMPOTENCY_KEY)
    if sent is None and asked is None:
        return None
    # The draft has a quoted string (RFC 8941); most clients send it bare.
    keys = {each.removeprefix('"').removesuffix('"') for each in (sent, asked) if each is not None}
    if len(keys) > 1:
        raise Invalid({IDEMPOTENCY_KEY: ["Says another thing than the header Idempotency-Key."]})
    return keys.pop()


def _once(unit: Unit, keyed: IdempotentRequest, work: Callable[[Unit], Reply]) -> Reply | Replay:
    kept = idempotency.begin(unit, keyed)
    if kept is not None:
        return Replay(kept)
    try:
        reply = work(unit)
    except (Failure, *DRIVER_ERRORS) as failure:
        # What is in the way may be the work of a request with the same key that had just ended.
        if idempotency.has_answer(keyed):
            raise LostRace() from failure
        raise
    idempotency.remember(unit, keyed, reply.answer(unit, keyed.owner))
    return reply


def _complete(unit: Unit, lease: leases.Lease, reply: Reply) -> None:
    lease.complete(unit, reply.answer(unit, lease.request.owner))


def ids_and_versions(value: Any) -> Any:
    """Return the ids and versions in an answer."""
    if isinstance(value, Representation):
        return {"id": value["id"], "version": value.version}
    if isinstance(value, Mapping) and isinstance(value.get("data"), list):
        return {**value, "data": [ids_and_versions(each) for each in value["data"]]}
    if isinstance(value, Mapping) and "body" in value:
        return {**value, "body": ids_and_versions(value["body"])}
    return {name: value[name] for name in ("id", "version") if name in value} if isinstance(value, Mapping) else None
