"""The address and the user agent of the running request, in the form in which they are recorded."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address

from flask import request

MAX_USER_AGENT_LENGTH = 512


def address() -> str | None:
    """The client's address, an IPv4 address within IPv6 as the IPv4 address it is, or None where a proxy says something
    that is none."""
    return _plain(request.remote_addr or "")


def user_agent() -> str | None:
    sent: str = request.environ.get("HTTP_USER_AGENT", "")
    return sent[:MAX_USER_AGENT_LENGTH].replace("\x00", "") or None


@lru_cache(maxsize=1024)
def _plain(address: str) -> str | None:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)
