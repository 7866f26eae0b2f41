"""The base of all routes: strict bodies, errors as failures, and a description that is built on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from threading import Lock
from typing import Any, NoReturn, ParamSpec, TypeVar

import flask
import flask_smorest
import orjson
from flask import Response, g, request
from flask_smorest.utils import deepupdate
from marshmallow import Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from app.engine.read.encoding import dumps
from app.foundation.deprecation import Renamed, renamed
from app.foundation.errors import Invalid, InvalidJson, NotFound, PayloadTooLarge, UnsupportedMediaType
from app.foundation.identifiers import uuid_of
from app.runtime.turns import give_way
from blueprints.parts import part
from schemas import strict_json
from schemas.errors import Error, flat

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., Any])

JSON = "application/json"
EVENTS = "text/event-stream"
# On streams: no cache and no proxy may hold back what comes.
UNHELD = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}


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
        loaded: dict[str, Any] = schema.load(json_object(body))
    except ValidationError as error:
        raise invalid(error.messages_dict) from error
    return loaded


def json_object(body: Any) -> dict[str, Any]:
    """The body, when it is an object; raises InvalidJson."""
    if not isinstance(body, dict):
        raise InvalidJson("The body must be a JSON object")
    return body


def invalid(messages: dict[str, Any]) -> Invalid:
    """The failure that stands for marshmallow's messages."""
    return Invalid({name: flat(found) for name, found in messages.items()})


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
    body: bytes = g.body
    return body


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


def parse_id(identifier: str) -> Any:
    """The id in a path; what is no UUID is the id of nothing."""
    found = uuid_of(identifier)
    if found is None:
        raise NotFound()
    return found


class Blueprint(flask_smorest.Blueprint):
    """A group of routes of one API version, which are described once somebody asks for the description."""

    ARGUMENTS_PARSER = Parser()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._prepare_doc_cbks.append(_in_turns)
        self._undescribed: list[Callable[[], None]] = []

    @staticmethod
    def described(describe: Callable[P, dict[str, Any]], *args: P.args, **kwargs: P.kwargs) -> Callable[[F], F]:
        """Describe a view by what ``describe`` returns, as ``doc`` does by what it is given."""

        def mark(view: F) -> F:
            view.describe = partial(describe, *args, **kwargs)  # type: ignore[attr-defined]
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
            give_way()
        self._undescribed.clear()  # only now: whoever is broken off begins anew
        super().register_views_in_doc(*args, **kwargs)

    def add_query_rule(self, rule: str, endpoint: str, view: Callable[..., Any]) -> None:
        """Serve the method QUERY (RFC 10008), which OpenAPI 3.1 knows no word for: its POST twin is described."""
        flask.Blueprint.add_url_rule(self, rule, endpoint, view, methods=["QUERY"])


def _in_turns(doc: dict[str, Any], _: dict[str, Any], **__: Any) -> dict[str, Any]:
    """Let others run between two operations that are described: all of them take a second."""
    give_way()
    return doc


class Api(flask_smorest.Api):
    """One version of the API. Its description costs a second to build, so that waits until somebody asks."""

    ERROR_SCHEMA = Error

    def __init__(self, *args: Any, finish: Callable[[dict[str, Any]], dict[str, Any]], **kwargs: Any) -> None:
        self._undescribed: list[tuple[Blueprint, str, str]] = []
        self._describing = Lock()
        self._domain_of: dict[str, str] = {}
        self._parts: dict[str, bytes] = {}
        # The tags of each domain, in the order of the description.
        self.domains: dict[str, list[str]] = {}
        self._finish = finish
        super().__init__(*args, **kwargs)
        self._app.extensions["flask-smorest"]["apis"][""]["ext_obj"] = Described(self)

    def register_blueprint(self, blp: Blueprint, *, domain: str, **options: Any) -> None:
        """Serve ``blp``; its paths are in the part of ``domain``."""
        name: str = options.get("name") or blp.name
        self._app.extensions["flask-smorest"]["blp_name_to_api"][name] = self
        self._app.register_blueprint(blp, **options)
        self._undescribed.append((blp, name, domain))
        self.domains.setdefault(domain, []).append(name)

    def _register_error_handlers(self) -> None:
        """Leave errors to the application: it shapes them by route family, unknown paths included."""

    def _register_doc_blueprint(self) -> None:
        """Leave the description to the operations routes."""

    @cached_property
    def description(self) -> bytes:
        """The OpenAPI document, as JSON."""
        with self._describing:
            of_tag: dict[str, str] = {}
            for blp, name, domain in self._undescribed:
                blp.register_views_in_doc(self, self._app, self.spec, name=name, parameters=None)
                self.spec.tag({"name": name, "description": blp.description})
                of_tag[name] = domain
            self._undescribed.clear()
            give_way()
            document = self.spec.to_dict()
            for path, operations in document["paths"].items():
                self._domain_of[path] = next(of_tag[each["tags"][0]] for each in operations.values() if "tags" in each)
            give_way()
            return orjson.dumps(self._finish(document), option=orjson.OPT_NON_STR_KEYS)

    def part(self, domain: str) -> bytes:
        """The part of the document whose paths belong to ``domain``, as JSON; raises NotFound."""
        if domain not in self.domains:
            raise NotFound()
        whole = self.description
        with self._describing:
            if domain not in self._parts:
                paths = {path for path, each in self._domain_of.items() if each == domain}
                self._parts[domain] = orjson.dumps(part(orjson.loads(whole), paths, self.domains[domain]))
            return self._parts[domain]


class Described:
    """The API as the commands ``flask openapi`` know it: they print what is served, which is built when they ask."""

    def __init__(self, api: Api) -> None:
        self._api = api

    @property
    def spec(self) -> Described:
        return self

    def to_dict(self) -> Any:
        return orjson.loads(self._api.description)


__getattr__ = renamed(__name__, {"wanted": Renamed("rowgate.http.parse_id", since="0.4", until="0.5")})
