"""Outbound HTTP to addresses that users configure: private networks are refused unless the settings allow them.

A name is resolved here and the connection goes to the address that was looked at, so that a second answer of the name
server changes nothing. Answers are bounded in size and time.
"""

from __future__ import annotations

import asyncio
import math
import re
import socket
import ssl
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator
from concurrent.futures import Executor
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache
from urllib.parse import urlsplit

import httpx2

from app.foundation.clock import now
from app.foundation.networks import is_loopback, is_private, is_private_address
from app.foundation.settings import settings

# Seconds for which a server may ask to be left alone.
MAX_WAIT = 24 * 3600

MAX_ANSWER_BYTES = 32 * 1024 * 1024
CONNECT_TIMEOUT = 5.0
MAX_ADDRESSES = 3
# Idle connections of each host are kept for a while, and those of so many hosts.
LIMITS = httpx2.Limits(max_keepalive_connections=50, keepalive_expiry=30)
MAX_HOSTS = 256
# A base address names a version of the protocol already: .../v1, .../v1beta/openai.
VERSIONED = re.compile(r"/v\d[^/]*(/|$)")


def base_url_of(url: str) -> str:
    """Return the address below which the paths of the OpenAI-compatible protocol lie: a configured one may leave the
    version out."""
    url = url.rstrip("/")
    return url if VERSIONED.search(url) else f"{url}/v1"


def is_local_in_development(url: str) -> bool:
    """Whether an address is on this machine, which is no private network to its developer."""
    return not settings.production and is_loopback(urlsplit(url).hostname or "")


class PrivateAddress(httpx2.ConnectError):
    """The host lies in a private network."""


class Outbound(httpx2.BaseTransport):
    """Carries requests of one call until ``deadline``, a point of the monotonic clock. Connections are shared by the
    process."""

    def __init__(self, deadline: float, *, private: bool) -> None:
        self._deadline = deadline
        self._private = private

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = _sent(request, private=self._private)
        response.stream = _Bounded(response.stream, self._deadline)  # type: ignore[arg-type]
        return response

    def client(self) -> httpx2.Client:
        """A client that follows no redirects and heeds no proxy of the environment."""
        return httpx2.Client(transport=self, follow_redirects=False, trust_env=False)


class AsyncOutbound(httpx2.AsyncBaseTransport):
    """Carries many requests at once, on an event loop. Names are resolved by ``resolver``; the hosts in ``refused`` are
    taken for private, and so are the addresses. How long a request takes, and how much of its answer is read, is for
    whoever sends it to bound."""

    def __init__(self, resolver: Executor, refused: Collection[str]) -> None:
        self._resolver, self._refused = resolver, refused
        self._kept: OrderedDict[str, httpx2.AsyncHTTPTransport] = OrderedDict()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host = request.url.host
        if request.extensions.get("private"):
            return await self._connections(host).handle_async_request(request)
        request.extensions = {**request.extensions, "sni_hostname": host}
        resolving = asyncio.get_running_loop().run_in_executor(
            self._resolver, _public_addresses, request, host, self._refused
        )
        failure: httpx2.ConnectError | httpx2.ConnectTimeout | None = None
        for address in await resolving:
            request.url = request.url.copy_with(host=address)
            try:
                return await self._connections(host).handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = error
        raise failure or httpx2.ConnectError("The name has no address", request=request)

    def _connections(self, host: str) -> httpx2.AsyncHTTPTransport:
        found = self._kept.pop(host, None)
        kept = self._kept[host] = found or httpx2.AsyncHTTPTransport(verify=_trusted(), limits=LIMITS)
        if len(self._kept) > MAX_HOSTS:
            self._kept.popitem(last=False)  # what still goes over it comes to its end
        return kept

    async def aclose(self) -> None:
        for kept in self._kept.values():
            await kept.aclose()


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._stream:
            size += len(piece)
            if size > MAX_ANSWER_BYTES:
                raise httpx2.ReadError("The answer is too large")
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("The answer took too long")
            yield piece

    def close(self) -> None:
        self._stream.close()


@lru_cache(maxsize=MAX_HOSTS)
def _connections(host: str) -> httpx2.HTTPTransport:
    """The connections to one host: those to another one, at the same address, were proved under another name."""
    # How many are open at once is for the callers to bound.
    return httpx2.HTTPTransport(verify=_trusted(), limits=LIMITS)


@cache
def _trusted() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def _sent(request: httpx2.Request, *, private: bool) -> httpx2.Response:
    """Send the request to the first address of its host that can be reached."""
    host = request.url.host
    if private:
        return _connections(host).handle_request(request)
    request.extensions = {**request.extensions, "sni_hostname": host}
    failure: httpx2.ConnectError | httpx2.ConnectTimeout | None = None
    for address in _public_addresses(request, host):
        request.url = request.url.copy_with(host=address)
        try:
            return _connections(host).handle_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            failure = error
    raise failure or httpx2.ConnectError("The name has no address", request=request)


def _public_addresses(request: httpx2.Request, host: str, refused: Collection[str] = ()) -> list[str]:
    """The addresses of ``host``, a few of them; raises PrivateAddress when any is private, or ``refused``."""
    if is_private(host) or host.rstrip(".").lower() in refused:
        raise PrivateAddress("The address is private", request=request)
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpx2.ConnectError("The name does not resolve", request=request) from error
    addresses = [str(each[4][0]) for each in found]
    if any(is_private_address(address) or address in refused for address in addresses):
        raise PrivateAddress("The name resolves to a private address", request=request)
    return list(dict.fromkeys(addresses))[:MAX_ADDRESSES]


def seconds_to_wait(asked: str) -> int:
    """Return the seconds of ``Retry-After`` (RFC 9110, 10.2.3), which is a number or a date: one where it says nothing,
    and a day at most."""
    try:
        seconds = int(asked) if asked.isdecimal() else math.ceil((parsedate_to_datetime(asked) - now()).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return 1
    return min(max(seconds, 1), MAX_WAIT)
