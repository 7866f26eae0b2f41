"""Answers that caches between here and the reader may keep: those to callers without a credential (RFC 9111)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from typing import Any, TypeVar

from flask import Response, request

from app.auth.credentials.authentication import caller
from app.foundation.settings import settings
from blueprints.http.conditional import matches_if_none_match

F = TypeVar("F", bound=Callable[..., Response])


def cacheable(view: F) -> F:
    """Let shared caches keep what ``view`` answers to GET without a credential, and tell it by an entity tag. Answers
    to anybody else stay private."""

    @wraps(view)
    def answer(*args: Any, **options: Any) -> Response:
        response = view(*args, **options)
        # A redirect leads to an address of this moment.
        if caller().is_nobody and request.method in ("GET", "HEAD") and response.location is None:
            return _published(response)
        return response

    return answer  # type: ignore[return-value]


def _published(response: Response) -> Response:
    if "ETag" not in response.headers:
        tag = f'"{blake2b(response.get_data(), digest_size=16).hexdigest()}"'
        if matches_if_none_match(tag):
            response = Response(status=304)
        response.headers["ETag"] = tag
    response.headers["Cache-Control"] = f"public, max-age={settings.anonymous_max_age}"
    response.headers["Vary"] = "Authorization"
    return response
