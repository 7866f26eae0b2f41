"""What the tokens of clients are for (RFC 8707): the endpoint of MCP, and nothing else of the service."""

from __future__ import annotations

from urllib.parse import urlsplit

from app.foundation.settings import settings

PATH = "/mcp"


def address() -> str:
    """The address that clients name it by."""
    return f"{settings.public_url}{PATH}"


def is_meant(named: str) -> bool:
    """Whether ``named`` is that address, in which the case of scheme and host does not count."""
    try:
        return _canonical(named) == _canonical(address())
    except ValueError:
        return False


def _canonical(url: str) -> tuple[str, str, int | None, str, str, str]:
    """An address without what does not make it another one; raises ValueError."""
    parts = urlsplit(url)
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    path = parts.path.rstrip("/")
    return parts.scheme, parts.hostname or "", parts.port or usual, path, parts.query, parts.fragment
