"""The headers that every answer gets, added where it leaves the application.

A WSGI server takes headers as a list; the framework's own way to add one costs as much as all of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import unquote_plus

Header = tuple[str, str]
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

# Where the framework leaves the id of a request.
REQUEST_ID = "rowgate.request_id"
VERSION_1 = "/api/v1"
NO_STORE = ("Cache-Control", "private, no-store")
# The contract has these as they stand.
OF_VERSION_1 = (
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS"),
    ("Access-Control-Allow-Headers", "Content-Type, Authorization"),
    (
        "Access-Control-Expose-Headers",
        "ETag, Retry-After, X-Request-Id, Idempotency-Replayed, Idempotency-Truncated, RateLimit, RateLimit-Policy",
    ),
)


class CommonHeaders:
    """The application ``inner`` with these headers; ``announced`` are those of a version that is to end."""

    def __init__(self, inner: Application, announced: Sequence[Header]) -> None:
        self._inner, self._of_version_1 = inner, (*OF_VERSION_1, *announced)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, headers: list[Header], *rest: Any) -> Any:
            return start_response(status, [*headers, *self._added(environ, headers)], *rest)

        return self._inner(environ, start)

    def _added(self, environ: dict[str, Any], headers: list[Header]) -> Iterable[Header]:
        path, query = environ["PATH_INFO"], environ["QUERY_STRING"]
        yield "X-Request-Id", environ.get(REQUEST_ID, "")
        yield "X-Content-Type-Options", "nosniff"
        if path.startswith("/api/") and not any(name == "Cache-Control" for name, _ in headers):
            yield NO_STORE
        if path.startswith(VERSION_1) and path[len(VERSION_1) :][:1] in ("", "/"):
            yield from self._of_version_1
            if query and "api_key" in unquote_plus(query):
                yield "Referrer-Policy", "no-referrer"
