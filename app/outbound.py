"""Calls to addresses that people configure: none of them reaches into a private network unless the settings allow it.

A name is resolved here and the connection goes to the address that was looked at, so that a second answer of the name
server changes nothing. Answers are bounded in size and time.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from functools import cache

import httpx2

from app.hosts import is_private, is_private_address

LARGEST_ANSWER = 32 * 1024 * 1024
CONNECT_TIMEOUT = 5.0


class PrivateAddress(httpx2.ConnectError):
    """The host lies in a private network."""


class Outbound(httpx2.BaseTransport):
    """Carries requests of one call until ``deadline``, a point of the monotonic clock. Connections are shared by the
    process."""

    def __init__(self, deadline: float, *, private: bool) -> None:
        self._deadline = deadline
        self._private = private

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if not self._private:
            _pin(request)
        response = _connections().handle_request(request)
        response.stream = _Bounded(response.stream, self._deadline)  # type: ignore[arg-type]
        return response

    def client(self) -> httpx2.Client:
        """A client that follows no redirects and heeds no proxy of the environment."""
        return httpx2.Client(transport=self, follow_redirects=False, trust_env=False)


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._stream:
            size += len(piece)
            if size > LARGEST_ANSWER:
                raise httpx2.ReadError("The answer is too large")
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("The answer took too long")
            yield piece

    def close(self) -> None:
        self._stream.close()


@cache
def _connections() -> httpx2.HTTPTransport:
    # How many are open at once is for the callers to bound; idle ones are kept for a while.
    return httpx2.HTTPTransport(limits=httpx2.Limits(max_keepalive_connections=50, keepalive_expiry=30))


def _pin(request: httpx2.Request) -> None:
    """Send the request to an address that its host resolves to; raises PrivateAddress when any of them is private."""
    host = request.url.host
    if is_private(host):
        raise PrivateAddress("The address is private", request=request)
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpx2.ConnectError("The name does not resolve", request=request) from error
    addresses = [str(each[4][0]) for each in found]
    if any(is_private_address(address) for address in addresses):
        raise PrivateAddress("The name resolves to a private address", request=request)
    request.extensions = {**request.extensions, "sni_hostname": host}
    request.url = request.url.copy_with(host=addresses[0])
