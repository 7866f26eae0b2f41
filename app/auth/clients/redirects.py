"""Where clients may have browsers sent: exactly what they have registered, on any port where it is this machine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from app.auth.models.clients import MAX_URI_LENGTH

# No quote, backslash or blank: it stands in headers, and in errors of OAuth, which have none of these.
ADDRESS = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?(?:[/?][!#-\[\]-~]*)?")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_registrable(uri: str) -> bool:
    """Whether a client may have browsers sent to ``uri``: HTTPS, or HTTP on the person's own machine (RFC 8252,
    section 7.3), without a fragment."""
    parts = _parts(uri)
    return parts is not None and (parts.scheme == "https" or parts.hostname in LOOPBACK)


def is_registered(uri: str, registered: Iterable[str]) -> bool:
    """Whether ``uri`` is one of those that are registered. A program on the person's machine takes the port that is
    free, so that any is right there."""
    parts = _parts(uri)
    if parts is None:
        return False
    return any(uri == each or _differ_in_port_alone(parts, each) for each in registered)


def is_local(uri: str) -> bool:
    """Whether ``uri`` is on the person's own machine, where any program may listen."""
    parts = _parts(uri)
    return parts is not None and parts.hostname in LOOPBACK


def _differ_in_port_alone(parts: SplitResult, registered: str) -> bool:
    other = urlsplit(registered)
    if parts.hostname not in LOOPBACK or parts.scheme != "http":
        return False
    told = (parts.scheme, parts.hostname, parts.path, parts.query)
    return told == (other.scheme, other.hostname, other.path, other.query)


def _parts(uri: str) -> SplitResult | None:
    if len(uri) > MAX_URI_LENGTH or not ADDRESS.fullmatch(uri) or "#" in uri:
        return None
    try:
        parts = urlsplit(uri)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_whole else None
