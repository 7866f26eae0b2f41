"""The base of all routes: strict bodies, errors as failures, and a description that is built on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NoReturn, ParamSpec, TypeVar

import flask
import flask_smorest
from flask import Response, g, request
from flask_smorest.utils import deepupdate
from marshmallow import Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from app.engine.operations.verbs import RecordOperation
from app.engine.read.encoding import dumps
from app.foundation import strict_json
from app.foundation.errors import Invalid, InvalidJson, NotFound, PayloadTooLarge, UnsupportedMediaType
from app.foundation.identifiers import uuid_of
from app.runtime.turns import yield_if_overdue
from schemas.errors import by_field

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., Any])

JSON = "application/json"
EVENTS = "text/event-stream"
# On streams: no cache and no proxy may hold back what comes.
NO_BUFFERING = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}


class Parser(FlaskParser):
    """Reads bodies strictly and turns validation messages into one failure."""

    DEFAULT_VALIDATION_STATUS = 400
    DEFAULT_UNKNOWN_BY_LOCATION = {"json": None}

    def load_json(self, req: Any, schema: Schema) -> Any:
        return json_object(json_body())

    def handle_error(self, error: ValidationError, *args: Any, **kwargs: Any) -> NoReturn:
        messages = error.messages_dict
        raise invalid(messages.get("json", messages)) from error


def load(schema: Schema, body: Any) -> dict[str, Any]:
    """Check ``body`` against ``schema``, where the route decides which schema it is; raises Invalid."""
    try:
        return schema.load(json_object(body))
    except ValidationError as error:
        raise invalid(error.messages_dict) from error


def json_object(body: Any) -> dict[str, Any]:
    """The body, when it is an object; raises InvalidJson."""
    if not isinstance(body, dict):
        raise InvalidJson("The body must be a JSON object")
    return body


def invalid(messages: dict[str, Any]) -> Invalid:
    """The failure that stands for marshmallow's messages."""
    return Invalid(by_field(messages))


def json_body() -> Any:
    """The JSON document of the request; raises for another type, for too much of it, and for bad JSON."""
    if request.mimetype != JSON and (request.mimetype or request.content_length):
        raise UnsupportedMediaType()
    g.body = _body()
    return strict_json.loads(g.body)


def body_bytes() -> bytes:
    """The bytes of the body, also of one that nothing has read; raises PayloadTooLarge."""
    if "body" not in g:
        # A server may wait for what a request without either does not announce.
        g.body = _body() if request.content_length or "Transfer-Encoding" in request.headers else b""
    return g.body


def _body() -> bytes:
    """The bytes of the body. One that comes in chunks, without its length, is read to just past the limit: the
    framework would cut it there and take the rest for nothing."""
    try:
        if request.content_length is not None:
            return request.get_data(cache=False)
    except RequestEntityTooLarge:
        raise PayloadTooLarge() from None
    most = request.max_content_length or 0
    data: bytes = request.environ["wsgi.input"].read(most + 1)
    if len(data) > most:
        raise PayloadTooLarge()
    return data


def answer(value: Any, status: int = 200) -> Response:
    """A JSON response of ``value``."""
    return Response(dumps(value), status, content_type=JSON)


def paged(data: list[Any], count: int, take: int, skip: int) -> dict[str, Any]:
    """The body of a page of ``count`` records that match."""
    return {"data": data, "meta": {"count": count, "take": take, "skip": skip}}


def parse_id(identifier: str) -> Any:
    """The id in a path; what is no UUID is the id of nothing."""
    found = uuid_of(identifier)
    if found is None:
        raise NotFound()
    return found


class Blueprint(flask_smorest.Blueprint):
    """A group of routes of one API version, which are described once somebody asks for the description."""

    ARGUMENTS_PARSER = Parser()
    # Describes the operations of records; the description of the API sets it.
    describe_operation: ClassVar[Callable[[RecordOperation, str], dict[str, Any]]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._prepare_doc_cbks.append(_in_turns)
        self._undescribed: list[Callable[[], None]] = []
        # Schemas that the description has beside those of requests and answers, by name.
        self.schemas: dict[str, type[Schema]] = {}

    @staticmethod
    def described(describe: Callable[P, dict[str, Any]], *args: P.args, **kwargs: P.kwargs) -> Callable[[F], F]:
        """Describe a view by what ``describe`` returns, as ``doc`` does by what it is given."""

        def mark(view: F) -> F:
            view.describe = partial(describe, *args, **kwargs)  # type: ignore[attr-defined]
            return view

        return mark

    @staticmethod
    def of_operation(operation: RecordOperation, name: str) -> Callable[[F], F]:
        """Say which operation of records a view carries out, and what it is called in the description."""

        def mark(view: F) -> F:
            view.operation = operation  # type: ignore[attr-defined]
            view.describe = lambda: Blueprint.describe_operation(operation, name)  # type: ignore[attr-defined]
            return view

        return mark

    def _store_endpoint_docs(self, endpoint: str, view: Any, parameters: Any, tags: Any, **options: Any) -> None:
        self._undescribed.append(partial(self._describe, endpoint, view, parameters, tags, **options))

    def _describe(self, endpoint: str, view: Any, parameters: Any, tags: Any, **options: Any) -> None:
        if hasattr(view, "describe"):
            known = getattr(view, "_apidoc", {})
            view._apidoc = {**known, "manual_doc": deepupdate(known.get("manual_doc", {}), view.describe())}
        super()._store_endpoint_docs(endpoint, view, parameters, tags, **options)

    def register_views_in_doc(self, *args: Any, **kwargs: Any) -> None:
        """Describe the routes of this blueprint in ``spec``."""
        for describe in self._undescribed:
            describe()
            yield_if_overdue()
        self._undescribed.clear()  # only now: whoever is broken off begins anew
        super().register_views_in_doc(*args, **kwargs)

    def add_query_rule(self, rule: str, endpoint: str, view: Callable[..., Any]) -> None:
        """Serve the method QUERY (RFC 10008), which OpenAPI 3.1 knows no word for: its POST twin is described."""
        flask.Blueprint.add_url_rule(self, rule, endpoint, view, methods=["QUERY"])


def _in_turns(doc: dict[str, Any], _: dict[str, Any], **__: Any) -> dict[str, Any]:
    """Let others run between two operations that are described: all of them take a second."""
    yield_if_overdue()
    return doc
