"""URL converters: an id matches no fixed name beside it and no segment of ours such as _query, so that a
missing verb is 405 and not a record."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Flask, Response, request
from werkzeug.routing import Map, UnicodeConverter

from app.engine.catalogue import DOMAINS


def init_app(app: Flask) -> None:
    """Add the converters to ``app``, and answer OPTIONS of the API with no body."""
    models = [model for domain in DOMAINS for model in domain.models]
    for model in models:
        if model.path:
            beside = [each.segment for each in models if each.domain == model.domain and each is not model]
            app.url_map.converters[converter_of(model.path)] = _other_than(beside)
    # Under its usual name: the rules of routes are labels of metrics and of log lines. Other names may begin with two
    # underscores, and get their own answer.
    app.url_map.converters["string"] = _other_than([])
    app.url_map.converters["key"] = _other_than(["self"])
    app.url_map.converters["chat"] = _other_than(["history"])
    app.after_request(_without_type)


def converter_of(path: str) -> str:
    """The name of the converter for ids below a collection whose path is shorter than those of its siblings."""
    return path.rpartition("/")[2]


def _other_than(names: Iterable[str]) -> type[UnicodeConverter]:
    class Other(UnicodeConverter):
        def __init__(self, map: Map) -> None:
            super().__init__(map)
            self.regex = rf"(?!_[a-z]|(?:{'|'.join(names)})\Z){self.regex}"

    return Other


def _without_type(response: Response) -> Response:
    if request.method == "OPTIONS" and not response.data and request.path.startswith("/api/"):
        response.headers.pop("Content-Type", None)
    return response
