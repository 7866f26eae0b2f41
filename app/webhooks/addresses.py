"""Where events may be sent: to https on the public internet, and in development to http on this machine, but never to
the service itself."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from urllib.parse import SplitResult, urlsplit

import psutil

from app.foundation.errors import Invalid
from app.foundation.networks import is_loopback, is_private, is_private_address
from app.foundation.outbound import is_local_in_development
from app.foundation.settings import settings

# Seconds that a name may take to resolve where an address is set; what takes longer is looked at with each delivery.
RESOLVE_TIMEOUT = 2.0
PORTS = {"http": 80, "https": 443}


def check(url: str) -> None:
    """Refuse an address that nothing is sent to; raises Invalid."""
    parts = urlsplit(url)
    host = _host(parts)
    if parts.username or parts.password:
        raise _invalid("Must not have a user name or a password.")
    if _is_own(parts, host):
        raise _invalid("Is an address of this service.")
    if is_local_in_development(url):
        return
    if parts.scheme.lower() != "https":
        raise _invalid("Must begin with https://.")
    refused = refused_hosts()
    if (
        is_private(host)
        or host in refused
        or any(is_private_address(each) or each in refused for each in _resolved(host))
    ):
        raise _invalid("Is, or resolves to, an address of a private network.")


@cache
def own_addresses() -> frozenset[str]:
    """Return the addresses of this machine, which may be public."""
    families = (socket.AF_INET, socket.AF_INET6)
    found = (each for interface in psutil.net_if_addrs().values() for each in interface)
    return frozenset(each.address.partition("%")[0] for each in found if each.family in families)


def refused_hosts() -> frozenset[str]:
    """Return what is taken for private though it need not be: this machine, and the service by its name, and by where
    that leads."""
    host = _host(urlsplit(settings.public_url))
    return own_addresses() | {host, *_resolved(host)}


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").lower().rstrip(".")


def _is_own(parts: SplitResult, host: str) -> bool:
    own = urlsplit(settings.public_url)
    if host != _host(own):
        return False
    # On a developer's machine others listen as well.
    return not is_loopback(host) or _port(parts) == _port(own)


def _port(parts: SplitResult) -> int | None:
    return parts.port or PORTS.get(parts.scheme.lower())


def _resolved(host: str) -> list[str]:
    """The addresses of a name; none where it does not resolve (yet)."""
    resolver = ThreadPoolExecutor(1)
    try:
        found = resolver.submit(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM).result(RESOLVE_TIMEOUT)
    except (OSError, TimeoutError):
        return []
    finally:
        resolver.shutdown(wait=False)
    return [str(each[4][0]) for each in found]


def _invalid(message: str) -> Invalid:
    return Invalid({"url": [message]})
