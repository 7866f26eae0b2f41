"""One version of the API, whose description is built when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from threading import Lock
from typing import Any

import flask_smorest
import orjson

from app.foundation.errors import NotFound
from app.runtime.turns import kept_for_good, yield_if_overdue
from blueprints.http.base import Blueprint
from blueprints.openapi.parts import part
from schemas.errors import Error


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
        self._app.extensions["flask-smorest"]["apis"][""]["ext_obj"] = LazySpec(self)

    def register_blueprint(self, blp: Blueprint, *, domain: str, **options: Any) -> None:
        """Serve ``blp``; its paths are in the part of ``domain``."""
        name: str = options.get("name") or blp.name
        self._app.extensions["flask-smorest"]["blp_name_to_api"][name] = self
        self._app.register_blueprint(blp, **options)
        self._undescribed.append((blp, name, domain))
        for called, schema in blp.schemas.items():
            self.spec.components.schema(called, schema=schema)
        self.domains.setdefault(domain, []).append(name)

    def _register_error_handlers(self) -> None:
        """Leave errors to the application: it shapes them by route family, unknown paths included."""

    def _register_doc_blueprint(self) -> None:
        """Leave the description to the operations routes."""

    @cached_property
    def description(self) -> bytes:
        """The OpenAPI document, as JSON."""
        with self._describing, kept_for_good():
            of_tag: dict[str, str] = {}
            for blp, name, domain in self._undescribed:
                blp.register_views_in_doc(self, self._app, self.spec, name=name, parameters=None)
                self.spec.tag({"name": name, "description": blp.description})
                of_tag[name] = domain
            self._undescribed.clear()
            yield_if_overdue()
            document = self.spec.to_dict()
            for path, operations in document["paths"].items():
                self._domain_of[path] = next(of_tag[each["tags"][0]] for each in operations.values() if "tags" in each)
            yield_if_overdue()
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


class LazySpec:
    """The API as the commands ``flask openapi`` know it: they print what is served, which is built when they ask."""

    def __init__(self, api: Api) -> None:
        self._api = api

    @property
    def spec(self) -> LazySpec:
        return self

    def to_dict(self) -> Any:
        return orjson.loads(self._api.description)
