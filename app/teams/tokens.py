"""Microsoft's signed tokens: cached key sets, and the checks of each token."""

from __future__ import annotations

import binascii
import json
import logging
import time
from base64 import urlsafe_b64decode
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import requests
from flask import current_app
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey
from joserfc.jws import JWSRegistry

log = logging.getLogger(__name__)

ALGORITHM = "RS256"
LEEWAY = 300
MAX_LENGTH = 16 * 1024
# A set is fetched again after a day; for a key it does not have, at most once in so many seconds.
FRESH, FORCED = 24 * 3600, 60
AGAIN = 5
# Whoever waits for the check of a token has three seconds.
TIMEOUT = (1, 1)
# A token names many more header fields than the registry knows.
REGISTRY = JWSRegistry(algorithms=[ALGORITHM], strict_check_header=False)


class TokenRefused(Exception):
    """A token that is not good; the reason is for the log, callers learn none."""


class UnknownKey(TokenRefused):
    """A token signed with a key that the set does not have, or not yet."""


class KeysAway(TokenRefused):
    """The keys cannot be fetched, and none are kept from earlier."""


@dataclass
class KeySet:
    """The keys at an address: a JWKS document, or an OpenID metadata document that names one."""

    url: str
    keys: dict[str, dict[str, Any]] = field(default_factory=dict)
    fetched: float = float("-inf")
    tried: float = float("-inf")
    forced: float = float("-inf")
    _fetching: Lock = field(default_factory=Lock)

    def find(self, kid: str) -> dict[str, Any]:
        """The key with this id; raises TokenRefused. While the set cannot be fetched the old one goes on."""
        with self._fetching:
            if time.monotonic() - self.fetched > FRESH and time.monotonic() - self.tried > AGAIN:
                self._fetch()
            elif kid not in self.keys and time.monotonic() - self.forced > FORCED:
                self.forced = time.monotonic()
                self._fetch()
        if kid not in self.keys:
            raise KeysAway("no keys") if not self.keys else UnknownKey("unknown key")
        return self.keys[kid]

    def _fetch(self) -> None:
        self.tried = time.monotonic()
        try:
            document = _read(self.url)
            found = document if "keys" in document else _read(document["jwks_uri"])
            self.keys = {key["kid"]: key for key in found["keys"] if key.get("kid") and key.get("kty") == "RSA"}
            self.fetched = time.monotonic()
        except (requests.RequestException, ValueError, LookupError, TypeError) as error:
            log.warning("The keys at %s cannot be fetched: %s", self.url, type(error).__name__)


def key_set(url: str) -> KeySet:
    """The key set at ``url``, kept by the running application."""
    kept: dict[str, KeySet] = current_app.extensions.setdefault("teams_keys", {})
    return kept.setdefault(url, KeySet(url))


def bearer_of(header: str) -> str:
    """The token of an Authorization header, whose scheme is exactly Bearer; raises TokenRefused."""
    scheme, _, token = header.partition(" ")
    if scheme != "Bearer" or not token or " " in token or len(token) > MAX_LENGTH:
        raise TokenRefused("no bearer token")
    return token


def peek(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and claims of a token that is not proved yet, to find the key by; raises TokenRefused."""
    try:
        header, claims = (json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in token.split(".")[:2])
    except (ValueError, binascii.Error, RecursionError):
        raise TokenRefused("malformed") from None
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise TokenRefused("malformed")
    if header.get("alg") != ALGORITHM or not isinstance(header.get("kid"), str):
        raise TokenRefused("algorithm or key id")
    return header, claims


def proved(token: str, key: Mapping[str, Any], audiences: Collection[str]) -> dict[str, Any]:
    """The claims of a token that ``key`` has signed, that is of now, and meant for one of ``audiences``; raises
    TokenRefused."""
    try:
        public = RSAKey.import_key({name: key[name] for name in ("kty", "n", "e")})
        claims: dict[str, Any] = jwt.decode(token, public, algorithms=[ALGORITHM], registry=REGISTRY).claims
    except (JoseError, ValueError, LookupError, TypeError) as error:
        raise TokenRefused(f"signature: {type(error).__name__}") from None
    _check_time(claims)
    audience = claims.get("aud")
    if not isinstance(audience, str) or audience not in audiences:
        raise TokenRefused("audience")
    return claims


def _check_time(claims: Mapping[str, Any]) -> None:
    ends, begins = claims.get("exp"), claims.get("nbf", 0)
    if not isinstance(ends, int | float) or not isinstance(begins, int | float):
        raise TokenRefused("no times")
    if time.time() >= ends + LEEWAY or time.time() < begins - LEEWAY:
        raise TokenRefused("not of now")


def _read(url: str) -> dict[str, Any]:
    answer = requests.get(url, timeout=TIMEOUT, allow_redirects=False)
    answer.raise_for_status()
    document = answer.json()
    return document if isinstance(document, dict) else {}
