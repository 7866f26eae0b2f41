"""Secrets: making, recognising, digesting and masking tokens, and encryption at rest."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import string
import zlib
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import orjson
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from flask import current_app

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
KEY, ANONYMOUS_KEY, SESSION = "rg_key_", "rg_anon_", "rg_sess_"
# Of connected clients: what opens /mcp, what renews it, and what both are first given for.
ACCESS, REFRESH, CODE = "rg_mcp_", "rg_renew_", "rg_code_"
PREFIXES = (KEY, ANONYMOUS_KEY, SESSION, ACCESS, REFRESH, CODE)
BODY, END, CHECK = 43, 6, 6
# What browsers take of a cookie (RFC 6265, section 6.1).
MAX_SEALED_LENGTH = 4096


def make(prefix: str, end: datetime | None = None) -> str:
    """Make a secret: ``prefix``, 32 random bytes in 43 base62 characters, its ``end`` in 6 where it has one, CRC32 of
    all that in 6. The digest is of the whole, so that nobody moves the end."""
    body = _base62(int.from_bytes(secrets.token_bytes(32), "big"), BODY)
    if end is not None:
        body += _base62(int(end.timestamp()), END)
    return f"{prefix}{body}{_checksum(prefix + body)}"


def link_secret() -> str:
    """A secret for a link in a mail: 32 random bytes in 43 base62 characters."""
    return _base62(int.from_bytes(secrets.token_bytes(32), "big"), BODY)


def kind(token: str) -> str | None:
    """Tell the kind of a token by its prefix, or None when its form or checksum is wrong; no database is asked."""
    prefix = next((each for each in PREFIXES if token.startswith(each)), None)
    lengths = (BODY + CHECK, BODY + END + CHECK) if prefix == SESSION else (BODY + CHECK,)
    if prefix is None or len(token) - len(prefix) not in lengths or not token.isascii():
        return None
    if not token[len(prefix) :].isalnum():
        return None
    return prefix if hmac.compare_digest(_checksum(token[:-CHECK]), token[-CHECK:]) else None


def end_of(token: str) -> datetime | None:
    """When a token ends by itself; None for one that says nothing of it, and for what is no token."""
    if len(token) != len(SESSION) + BODY + END + CHECK or kind(token) is None:
        return None
    seconds = 0
    for digit in token[-END - CHECK : -CHECK]:
        seconds = seconds * 62 + ALPHABET.index(digit)
    return datetime.fromtimestamp(seconds, UTC)


def start(token: str) -> str:
    """The part of a token that may be shown again: its prefix and four characters."""
    return token[: len(kind(token) or "") + 4]


def _checksum(text: str) -> str:
    return _base62(zlib.crc32(text.encode()), CHECK)


def _base62(value: int, width: int) -> str:
    digits = []
    for _ in range(width):
        value, remainder = divmod(value, 62)
        digits.append(ALPHABET[remainder])
    return "".join(reversed(digits))


@dataclass(frozen=True)
class Vault:
    """Keys derived from the service's SECRET_KEY: one peppers digests, one encrypts."""

    secret_key: str

    def digest(self, token: str) -> str:
        """HMAC-SHA-256 of ``token`` in hexadecimal: what is stored of a token."""
        return hmac.digest(self._pepper, token.encode(), hashlib.sha256).hex()

    def encrypt(self, plain: str) -> str:
        return self._fernet.encrypt(plain.encode()).decode()

    def decrypt(self, sealed: str) -> str:
        """Open what ``encrypt`` sealed; raises ValueError when it was sealed with another key or changed."""
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise ValueError("not sealed with this SECRET_KEY") from None

    def seal(self, content: bytes) -> str:
        """Encrypt bytes that come back soon, with the time of now."""
        return self._fernet.encrypt(content).decode()

    def open(self, sealed: str, max_age: int | None) -> bytes:
        """Open what ``seal`` made at most ``max_age`` seconds ago; raises ValueError otherwise."""
        try:
            return self._fernet.decrypt(sealed.encode(), ttl=max_age)
        except InvalidToken:
            raise ValueError("not sealed with this SECRET_KEY, or too long ago") from None

    def seal_for(self, purpose: str, content: Any) -> str:
        """Seal what JSON can hold, for one purpose: what was sealed for another is none."""
        return self.seal(orjson.dumps([purpose, content]))

    def open_for(self, purpose: str, sealed: str, age: timedelta) -> Any | None:
        """What ``seal_for`` sealed for the same purpose no longer ago than ``age``; None otherwise."""
        try:
            found = orjson.loads(self.open(sealed[:MAX_SEALED_LENGTH], int(age.total_seconds())))
        except ValueError:
            return None
        return found[1] if isinstance(found, list) and found[0] == purpose else None

    @cached_property
    def signing_key(self) -> bytes:
        """Signs the cookie of a sign-in at a provider."""
        return self._derive(b"rowgate signed cookie")

    @cached_property
    def cursor_key(self) -> bytes:
        """Authenticates the cursors of lists."""
        return self._derive(b"rowgate list cursor")

    @cached_property
    def _pepper(self) -> bytes:
        return self._derive(b"rowgate digest pepper")

    @cached_property
    def _fernet(self) -> Fernet:
        return Fernet(urlsafe_b64encode(self._derive(b"rowgate encryption at rest")))

    def _derive(self, purpose: bytes) -> bytes:
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(self.secret_key.encode())


def vault() -> Vault:
    """The vault of the running application."""
    return current_app.extensions["vault"]
