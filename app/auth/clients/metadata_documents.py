"""What a client says of itself at the address that is its id (draft-ietf-oauth-client-id-metadata-document).

Whoever starts an authorization names that address, so reading it is bounded: public networks, HTTPS, five seconds, a
few kilobytes, no redirects, and few at once.
"""

from __future__ import annotations

import logging
import re
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson
from flask import request
from gevent import Timeout

from app.auth.clients.redirects import ADDRESS, is_registrable
from app.auth.models.clients import MAX_ID_LENGTH
from app.foundation.errors import Failure, Unavailable
from app.foundation.outbound import Outbound, is_local_in_development
from app.runtime import rate_limits
from app.runtime.concurrency_limit import ConcurrencyLimit
from app.runtime.rate_limits import Limit

TIMEOUT, MAX_BYTES = 5.0, 16 * 1024
MAX_NAME_LENGTH, MAX_REDIRECTS = 100, 20
LOOKUPS = Limit("client-lookup", 60, 3600)
log = logging.getLogger(__name__)
# How long a document is taken as it was read: as it says, within these bounds.
LEAST_AGE, USUAL_AGE, MOST_AGE = 300, 3600, 86_400

_reading = ConcurrencyLimit(each=2, wait=2.0, refusal=lambda: Unavailable("Too many clients are looked up", 5), total=8)


class UnknownClient(Failure):
    """A client that is not registered, or whose metadata document cannot be read or does not fit."""

    status, code, text = 400, "VALIDATION_ERROR", "No client has this id"


class Unreadable(UnknownClient):
    """A document that cannot be read now."""

    text = "The client's metadata cannot be read"


@dataclass(frozen=True)
class ClientMetadata:
    """What a document says; ``max_age`` are the seconds for which it may be kept."""

    name: str
    redirect_uris: list[str]
    max_age: int


def is_address(client_id: str) -> bool:
    """Whether an id is the address of a metadata document: HTTPS with a path, and nothing that hides where it leads.
    While developing, one on this machine may be plain HTTP."""
    if len(client_id) > MAX_ID_LENGTH or not ADDRESS.fullmatch(client_id):
        return False
    try:
        parts = urlsplit(client_id)
        is_plain = parts.port != 0 and bool(parts.hostname)
    except ValueError:
        return False
    if parts.scheme != "https" and not is_local_in_development(client_id):
        return False
    is_plain = is_plain and not (parts.username or parts.password or "#" in client_id)
    return is_plain and parts.path not in ("", "/") and not {".", ".."} & set(parts.path.split("/"))


def read(client_id: str) -> ClientMetadata:
    """Read the document at the address ``client_id``, in the name of the running request. Raises UnknownClient,
    RateLimited, and Unavailable while too many are read or where it cannot be read."""
    rate_limits.consume_for_network(LOOKUPS, request.remote_addr)
    with _reading.of(rate_limits.network_of(request.remote_addr)):
        try:
            # The headers of an answer may come one by one for as long as its server likes.
            with Timeout(TIMEOUT, TimeoutError):
                body, headers = _fetch(client_id)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            # What it was would tell of networks that whoever asks does not see.
            log.info("The metadata of %s cannot be read: %s", client_id, type(error).__name__)
            raise Unreadable() from error
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
            raise ValueError(response.status_code)
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
    if not isinstance(name, str) or not readable(name):
        raise UnknownClient("The client's metadata has no client_name")
    if not isinstance(redirects, list) or not 0 < len(redirects) <= MAX_REDIRECTS:
        raise UnknownClient(f"The client's metadata needs 1 to {MAX_REDIRECTS} redirect_uris")
    if not all(isinstance(each, str) and is_registrable(each) for each in redirects):
        raise UnknownClient("The client's redirect_uris must be HTTPS, or HTTP on this machine")
    if found.get("token_endpoint_auth_method", "none") != "none" or "client_secret" in found:
        raise UnknownClient("Clients are public here: token_endpoint_auth_method must be none")
    return ClientMetadata(readable(name), redirects, max_age)


def readable(name: str) -> str:
    """The name of a client as people may be shown it: in one line, without what turns or hides text."""
    shown = "".join(each if unicodedata.category(each)[0] != "C" else " " for each in name)
    return " ".join(shown.split())[:MAX_NAME_LENGTH]


def _max_age(cache_control: str) -> int:
    named = re.search(r"max-age=(\d{1,9})", cache_control)
    seconds = int(named[1]) if named else USUAL_AGE
    return max(LEAST_AGE, min(seconds, MOST_AGE))
