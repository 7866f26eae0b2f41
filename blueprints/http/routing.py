"""URL converters: an id matches no fixed name beside it and no segment of ours such as _query, so that a
missing verb is 405 and not a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any

from flask import Flask, Request, Response, request
from werkzeug.routing import Map, MapAdapter, Rule, UnicodeConverter

from app.engine.declare.catalogue import every_model
from config import SettingError


def init_app(app: Flask) -> None:
    """Add the converters to ``app``, and answer OPTIONS of the API with no body."""
    models = list(every_model())
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


def add_lazily(app: Flask, add: Callable[[], None]) -> None:
    """Have ``add`` add the routes of ``app`` at the first request, which many a process never gets."""
    plain, adding = app.create_url_adapter, Lock()

    def adapter(request: Request | None) -> MapAdapter | None:
        if request is not None:  # the context in which routes are added asks, too
            with adding:
                if "create_url_adapter" in vars(app):
                    add()
                    del app.create_url_adapter
        return plain(request)

    app.create_url_adapter = adapter  # type: ignore[method-assign]


def check_route_conflicts(app: Flask, owners: Mapping[str, str]) -> None:
    """Refuse a route of a plugin that another one has: ``owners`` has the plugins by the names of their blueprints, and
    our own without a name. Raises SettingError."""
    taken: dict[tuple[str, str], str] = {}
    for rule in app.url_map.iter_rules():
        owner = owners.get(rule.endpoint.partition(".")[0], "")
        for method in sorted((rule.methods or set()) - IMPLICIT_METHODS):
            key = re.sub(r"<[^>]*>", "<>", rule.rule), method
            other = taken.setdefault(key, owner)
            if other != owner:
                both = " and ".join(f"the plugin {each}" if each else "Rowgate" for each in sorted((other, owner)))
                raise SettingError(f"{both[0].upper()}{both[1:]} both bring the path {method} {rule.rule}")


# What every route for GET answers as well.
IMPLICIT_METHODS = {"HEAD", "OPTIONS"}


class Route(Rule):
    """A rule that compiles what builds its URL when one is first built: of a thousand rules, a few are ever asked."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        name = "_build_unknown" if append_unknown else "_build"

        def build(rule: Route, **values: Any) -> tuple[str, str]:
            builder = super()._compile_builder(append_unknown).__get__(rule, None)
            setattr(rule, name, builder)
            return builder(**values)

        return build


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
