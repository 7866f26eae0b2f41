"""Routes written by hand: one declaration says who may call one, what it takes and gives, and how it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from flask import request

from app.auth.credentials.access import Access
from blueprints.http.base import Blueprint
from blueprints.http.conditional import IF_MATCH, IF_NONE_MATCH, refuse_condition
from blueprints.http.replies import IDEMPOTENCY_KEY
from schemas.errors import KEY_PATH
from schemas.query.queries import CREDENTIAL, MAX_SKIP, refuse_unknown

F = TypeVar("F", bound=Callable[..., Any])

SAFE = ("GET", "HEAD", "OPTIONS", "QUERY")
# The handler reads the query itself.
ANY_QUERY: Sequence[dict[str, Any]] | None = None


@dataclass(frozen=True)
class Body:
    """A JSON body: ``schema`` reads it for the handler, or the handler chooses one of ``any_of``."""

    schema: Any = None
    example: Any = None
    any_of: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What comes back when all goes well."""

    schema: Any = None
    example: Any = None
    status: int = 200
    any_of: tuple[Any, ...] = ()
    content_type: str | None = None


@dataclass(frozen=True)
class Operation:
    """What callers of a route have to know. ``access`` declares who may call it. ``query`` are its parameters, as the
    description has them; any other is refused. What would take too long it ``defers`` to a job, and answers that.
    ``fails`` are the statuses that do not follow from the rest. An operation that is done ``once`` for each idempotency
    key says so, and one that is ``conditional`` on the version of its record."""

    id: str
    summary: str
    access: Callable[[Any], Any]
    takes: Body | None = None
    gives: Answer = Answer()
    defers: Answer | None = None
    query: Sequence[dict[str, Any]] | None = ()
    fails: tuple[int, ...] = ()
    once: bool = False
    conditional: bool = False
    description: str = ""


def serve(blp: Blueprint, method: str, path: str, operation: Operation) -> Callable[[F], F]:
    """Serve ``operation`` by the decorated function."""

    def add(handler: F) -> F:
        takes, gives = operation.takes, operation.gives
        access: Access = operation.access(lambda: None).access
        view: Any = strict(handler, _known(operation, access)) if operation.query is not ANY_QUERY else handler
        view = blp.response(gives.status, gives.schema, **_given(content_type=gives.content_type))(view)
        if takes is not None and takes.schema is not None:
            view = blp.arguments(takes.schema)(view)
        view = blp.described(_document, blp, method, path, operation, access)(view)
        blp.add_url_rule(path, operation.id, operation.access(view), methods=[method])
        return handler

    return add


def strict(handler: F, known: tuple[str, ...] = (CREDENTIAL,)) -> F:
    """Let ``handler`` refuse query parameters that are not ``known``, and of writes conditions that they would not
    judge."""

    @wraps(handler)
    def checked(*args: Any, **options: Any) -> Any:
        if IF_MATCH not in known and request.method not in SAFE:
            refuse_condition()
        if request.args:
            refuse_unknown(request.args, known)
        return handler(*args, **options)

    return checked  # type: ignore[return-value]


def window_parameters(most: int = 1000) -> list[dict[str, Any]]:
    """The parameters of a page of at most so many records."""
    return [
        {
            "name": "take",
            "in": "query",
            "description": "How many records to answer at most, up to the maximum that the service sets.",
            "schema": {"type": "integer", "minimum": 1, "maximum": most, "default": 20},
        },
        {
            "name": "skip",
            "in": "query",
            "description": "How many records to leave out from the start.",
            "schema": {"type": "integer", "minimum": 0, "maximum": MAX_SKIP, "default": 0},
        },
    ]


def _known(operation: Operation, access: Access) -> tuple[str, ...]:
    """The query parameters of an operation, with that of the credential where one may come so."""
    named = tuple(each["name"] for each in operation.query or ())
    credential = ("token",) if access.tickets else () if access.people or access.open else (CREDENTIAL,)
    return (*named, *credential, *_shared(operation))


def _shared(operation: Operation) -> list[str]:
    """The parameters that many operations share."""
    condition = [] if not operation.conditional else [IF_MATCH if operation.once else IF_NONE_MATCH]
    return [*([IDEMPOTENCY_KEY] if operation.once else []), *condition]


def _document(blp: Blueprint, method: str, path: str, operation: Operation, access: Access) -> dict[str, Any]:
    takes, gives = operation.takes, operation.gives
    family = "ApiKeyError" if (blp.url_prefix or "").startswith(KEY_PATH) else "Error"
    responses: dict[int, Any] = {
        status: {"$ref": f"#/components/responses/{family}{status}"}
        for status in _statuses(method, path, operation, access)
    }
    if gives.example is not None:
        responses[gives.status] = _content(gives.example, gives.any_of)
    if operation.defers is not None:
        begun = {"schema": operation.defers.schema, "example": operation.defers.example}
        responses[operation.defers.status] = {
            "description": "A job does it", "content": {"application/json": begun},
        }  # fmt: skip
    document: dict[str, Any] = {
        "operationId": operation.id, "summary": operation.summary, "responses": responses,
        "description": operation.description,
    }  # fmt: skip
    if operation.query or _shared(operation):
        document["parameters"] = [*(operation.query or ()), *_shared(operation)]
    if takes is not None and takes.example is not None:
        document["requestBody"] = {"required": True, **_content(takes.example, takes.any_of)}
    if access.open:
        document["security"] = []
    if access.optional:
        document["security"] = [{}, {"bearer": []}, {"cookie": []}]
    return document


def _statuses(method: str, path: str, operation: Operation, access: Access) -> set[int]:
    """The statuses of failures: those that follow from what is declared, and those that are said."""
    found = {429, 500, 503, *operation.fails}
    if not access.open:
        found |= {400, 403} if access.optional else {400, 401, 403}
    if method != "GET":
        found.add(400)
    if operation.takes is not None:
        found |= {413, 415}
    if operation.once:
        found |= {409, 422, 412} if operation.conditional else {409, 422}
    return found | {404} if "<" in path else found


def _content(example: Any, any_of: tuple[Any, ...]) -> dict[str, Any]:
    shown = {"example": example} | ({"schema": {"oneOf": list(any_of)}} if any_of else {})
    return {"content": {"application/json": shown}}


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
