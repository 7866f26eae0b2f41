"""Paths and queries are UTF-8 (RFC 3986, section 2.5). What is not would be read as characters that nobody sent."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from app.foundation.errors import Invalid


def check(path: str, query: str) -> None:
    """Refuse a path, decoded as WSGI hands it out, or a query, as it was sent, that is not UTF-8; raises Invalid."""
    if not path.isascii():
        _check(path.encode("latin-1"), "path")
    if "%" in query or not query.isascii():
        _check(unquote_to_bytes(query.encode("latin-1")), "query")


def _check(sent: bytes, part: str) -> None:
    try:
        sent.decode()
    except UnicodeDecodeError:
        raise Invalid(f"The {part} is not UTF-8") from None
