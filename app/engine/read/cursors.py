"""Cursors of keyset paging: where a page ended, authenticated with the service's key and bound to who asked what.

A cursor is the sort values of the last row and an HMAC (RFC 2104) over them and their context, in base64
for URLs (RFC 4648, section 5). It tells its holder nothing that the row did not.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.encoding import dumps
from app.engine.read.query import Query
from app.foundation.crypto import vault
from app.foundation.errors import InvalidPagination

VERSION = 1
MAC_SIZE = 16
MAX_LENGTH = 16_384
READ: dict[str, Callable[[str], Any]] = {"uuid": UUID, "timestamptz": datetime.fromisoformat}


def cursor_context(model: type[Record], principal: Principal, query: Query) -> bytes:
    """What the HMAC of a cursor covers beside its values: the caller with the acting organization and grants, the
    model, the conditions and the order."""
    holder = principal.user_id or principal.credential_id
    narrowed = [principal.grants_hash] if principal.narrowing is not None else []
    asked = [list(query.where.values()), query.where.key, query.search, [key.key for key in query.sort]]
    return dumps([VERSION, holder, principal.organization_id, model.qualified_name(), asked, *narrowed])


def holder_context(principal: Principal, **of: Any) -> bytes:
    """What the HMAC of a cursor covers beside its values where it is no list: the caller with the acting organization
    and grants, and what it is a cursor ``of``."""
    holder = principal.user_id or principal.credential_id
    return dumps({**of, "holder": holder, "organization": principal.organization_id, "grants": principal.grants_hash})


def write(context: bytes, values: Sequence[Any]) -> str:
    """The cursor of a row with the sort ``values``."""
    content = dumps([value.isoformat() if isinstance(value, datetime) else value for value in values])
    return urlsafe_b64encode(_mac(context, content) + content).rstrip(b"=").decode()


def read(context: bytes, cursor: str, types: Sequence[str]) -> list[Any]:
    """The sort values in ``cursor``, of the SQL ``types``; raises InvalidPagination unless ``write`` made it for the
    same context."""
    if len(cursor) > MAX_LENGTH or not cursor.isascii():
        raise refused()
    try:
        raw = urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
    except ValueError:
        raise refused() from None
    mac, content = raw[:MAC_SIZE], raw[MAC_SIZE:]
    if not hmac.compare_digest(mac, _mac(context, content)):
        raise refused()
    values = orjson.loads(content)
    if len(values) != len(types):
        raise refused()
    return [_value(value, kind) for value, kind in zip(values, types, strict=True)]


def refused() -> InvalidPagination:
    message = "Is not a cursor of this list, of these conditions and this order, for you."
    return InvalidPagination(f"Invalid cursor: {message}", details={"fields": {"cursor": [message]}})


def _value(value: Any, kind: str) -> Any:
    read = READ.get(kind)
    return value if value is None or read is None else read(value)


def _mac(context: bytes, content: bytes) -> bytes:
    return hmac.digest(vault().cursor_key, len(context).to_bytes(4) + context + content, hashlib.sha256)[:MAC_SIZE]
