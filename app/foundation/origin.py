"""The address and the user agent of the running request, in the form in which they are recorded."""

from __future__ import annotations

from ipaddress import ip_address

from flask import request

MAX_USER_AGENT_LENGTH = 512


def address() -> str | None:
    """The client's address, an IPv4 address within IPv6 as the IPv4 address it is, or None where a proxy says something
    that is none."""
    try:
        parsed = ip_address((request.remote_addr or "").partition("%")[0])
    except ValueError:
        return None
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def user_agent() -> str | None:
    return request.user_agent.string[:MAX_USER_AGENT_LENGTH].replace("\x00", "") or None
