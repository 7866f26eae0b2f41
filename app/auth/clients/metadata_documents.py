"""What a client says of itself at the address that is its id (draft-ietf-oauth-client-id-metadata-document).

Whoever starts an authorization names that address, so reading it is bounded: public networks, HTTPS, five seconds, a
few kilobytes, no redirects, and few at once.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from app.auth.clients.redirects import is_registrable
from app.auth.models.clients import MAX_ID_LENGTH
from app.foundation.errors import Failure, Unavailable
from app.foundation.outbound import Outbound, is_local_in_development
from app.runtime.concurrency_limit import ConcurrencyLimit

TIMEOUT, MAX_BYTES = 5.0, 16 * 1024
MAX_NAME_LENGTH, MAX_REDIRECTS = 100, 20
# How long a document is taken as it was read: as it says, within these bounds.
LEAST_AGE, USUAL_AGE, MOST_AGE = 300, 3600, 86_400
PLAIN = re.compile(r"https?://[!-~]+")

_reading = ConcurrencyLimit(each=2, wait=2.0, refusal=lambda: Unavailable("Too many clients are looked up", 5), total=8)


class UnknownClient(Failure):
    """A client that is not registered, or whose metadata document cannot be read or does not fit."""

    status, code, text = 400, "VALIDATION_ERROR", "No client has this id"


@dataclass(frozen=True)
class ClientMetadata:
    """What a document says; ``max_age`` are the seconds for which it may be kept."""

    name: str
    redirect_uris: list[str]
    max_age: int


def is_address(client_id: str) -> bool:
    """Whether an id is the address of a metadata document: HTTPS with a path, and nothing that hides where it leads.
    While developing, one on this machine may be plain HTTP."""
    if len(client_id) > MAX_ID_LENGTH or not PLAIN.fullmatch(client_id):
        return False
    parts = urlsplit(client_id)
    if parts.scheme != "https" and not is_local_in_development(client_id):
        return False
    is_plain = not (parts.username or parts.password or parts.fragment or "#" in client_id)
    return is_plain and parts.path not in ("", "/") and not {".", ".."} & set(parts.path.split("/"))


def read(client_id: str) -> ClientMetadata:
    """Read the document at the address ``client_id``. Raises UnknownClient, and Unavailable while too many are read."""
    host = urlsplit(client_id).hostname or ""
    with _reading.of(host):
        try:
            body, headers = _fetch(client_id)
        except httpx2.HTTPError as error:
            raise UnknownClient(f"The client's metadata cannot be read: {type(error).__name__}") from error
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UnknownClient("The client's metadata is not JSON") from error
    return _checked(client_id, found, _max_age(headers.get("Cache-Control", "")))


def _fetch(url: str) -> tuple[bytes, Mapping[str, str]]:
    deadline = time.monotonic() + TIMEOUT
    with (
        Outbound(deadline, private=is_local_in_development(url)).client() as client,
        client.stream("GET", url, headers={"Accept": "application/json"}, timeout=TIMEOUT) as response,
    ):
        if response.status_code != 200:
            raise UnknownClient(f"The client's metadata cannot be read: status {response.status_code}")
        body = b""
        for piece in response.iter_bytes():
            body += piece
            if len(body) > MAX_BYTES:
                raise UnknownClient(f"The client's metadata is larger than {MAX_BYTES} bytes")
        return body, response.headers


def _checked(client_id: str, found: Any, max_age: int) -> ClientMetadata:
    if not isinstance(found, dict) or found.get("client_id") != client_id:
        raise UnknownClient("The client's metadata names another client")
    name, redirects = found.get("client_name"), found.get("redirect_uris")
    if not isinstance(name, str) or not name.strip() or "\x00" in name:
        raise UnknownClient("The client's metadata has no client_name")
    if not isinstance(redirects, list) or not 0 < len(redirects) <= MAX_REDIRECTS:
        raise UnknownClient(f"The client's metadata needs 1 to {MAX_REDIRECTS} redirect_uris")
    if not all(isinstance(each, str) and is_registrable(each) for each in redirects):
        raise UnknownClient("The client's redirect_uris must be HTTPS, or HTTP on this machine")
    if found.get("token_endpoint_auth_method", "none") != "none" or "client_secret" in found:
        raise UnknownClient("Clients are public here: token_endpoint_auth_method must be none")
    return ClientMetadata(" ".join(name.split())[:MAX_NAME_LENGTH], redirects, max_age)


def _max_age(cache_control: str) -> int:
    named = re.search(r"max-age=(\d{1,9})", cache_control)
    seconds = int(named[1]) if named else USUAL_AGE
    return max(LEAST_AGE, min(seconds, MOST_AGE))
