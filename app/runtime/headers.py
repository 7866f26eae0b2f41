"""The headers that every answer gets, added where it leaves the application.

A WSGI server takes headers as a list; the framework's own way to add one costs as much as all of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import unquote_plus

from app.runtime import change_context

Header = tuple[str, str]
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

# Where the framework leaves the id of a request.
REQUEST_ID = "rowgate.request_id"
TRANSACTION_ID = "Transaction-Id"
READING = ("GET", "HEAD", "OPTIONS", "QUERY")
VERSION_1 = "/api/v1"
# Whose answers to writes name their transaction. On others, that something was written may tell of an account.
NAMING = (VERSION_1, "/api/upload", "/api/documents")
NO_STORE = ("Cache-Control", "private, no-store")
# Fixed by version 1 of the API.
OF_VERSION_1 = (
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS"),
    ("Access-Control-Allow-Headers", "Content-Type, Authorization"),
    (
        "Access-Control-Expose-Headers",
        "ETag, Retry-After, X-Request-Id, Idempotency-Replayed, Idempotency-Truncated, RateLimit, RateLimit-Policy, "
        "Transaction-Id",
    ),
)


class CommonHeaders:
    """The application ``inner`` with these headers; ``announced`` are Deprecation and Sunset of a version. Requests
    that have written call ``written`` when they are over."""

    def __init__(self, inner: Application, announced: Sequence[Header], written: Callable[[], None]) -> None:
        self._inner, self._of_version_1 = inner, (*OF_VERSION_1, *announced)
        self._written = written

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, headers: list[Header], *rest: Any) -> Any:
            is_write = environ["REQUEST_METHOD"] not in READING and environ["PATH_INFO"].startswith(NAMING)
            if is_write and status.startswith("2"):
                headers = _with_transaction(headers)
            return start_response(status, [*headers, *self._added(environ, headers)], *rest)

        try:
            return self._inner(environ, start)
        finally:
            if environ["REQUEST_METHOD"] not in READING and change_context.written_transaction() is not None:
                self._written()
            change_context.origin.set(None)

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


def _with_transaction(headers: list[Header]) -> list[Header]:
    """The headers with the transaction that the answer to a write is of; a kept answer names its own."""
    transaction = change_context.written_transaction()
    if transaction is None or TRANSACTION_ID in [name for name, _ in headers]:
        return headers
    return [*headers, (TRANSACTION_ID, transaction)]
