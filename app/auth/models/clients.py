"""Connected clients: programs of others that act for a person, with the tokens that they hold.

What a client may do is an API key whose secret nobody has: its scopes and grants narrow it, its owner's rights bound
it, and its use is recorded as that of any key. Tokens lead to that key.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import enum, grants, reference, string, strings, timestamp
from app.engine.declare.indexes import index, unique
from app.engine.declare.record import Base

MAX_ID_LENGTH, MAX_URI_LENGTH, MAX_STATE_LENGTH = 500, 500, 2000
SCOPES = ("read", "write")


class AuthClient(Base):
    """A program that people may connect. ``client_id`` is the address of its metadata document, or was given to it."""

    __tablename__ = "auth_client"
    keys = (unique("client_id"),)

    client_id: Mapped[str] = string(min=1, max=MAX_ID_LENGTH)
    name: Mapped[str] = string(min=1, max=100)
    redirect_uris: Mapped[list[str]] = strings(min_items=1, max_items=20, item_max=MAX_URI_LENGTH)
    source: Mapped[str] = enum("document", "registered", "dynamic")
    fresh_until: Mapped[datetime | None] = timestamp(note="when a metadata document is read again")


class AuthConnection(Base):
    """A client that a person has connected, with the key that says what it may do."""

    __tablename__ = "auth_connection"
    keys = (unique("key_id"), index("client_id"))

    client_id: Mapped[UUID] = reference("auth_client", "cascade")
    key_id: Mapped[UUID] = reference("auth_api_key", "cascade")


class AuthClientRequest(Base):
    """What a client asks a person for, from the request to the exchange of its code."""

    __tablename__ = "auth_client_request"
    keys = (unique("code_hash"), index("expires_at"), index("client_id"), index("user_id"), index("key_id"))

    client_id: Mapped[UUID] = reference("auth_client", "cascade")
    redirect_uri: Mapped[str] = string(min=1, max=MAX_URI_LENGTH)
    state: Mapped[str | None] = string(max=MAX_STATE_LENGTH)
    scopes: Mapped[list[str]] = strings(items=SCOPES, min_items=1)
    code_challenge: Mapped[str] = string(min=43, max=128)
    expires_at: Mapped[datetime] = timestamp()
    # Of whoever has consented, and to what.
    user_id: Mapped[UUID | None] = reference("auth_user", "cascade")
    organization_id: Mapped[UUID | None] = reference("auth_organization", "cascade")
    access: Mapped[list[Any] | None] = grants()
    code_hash: Mapped[str | None] = string(min=64, max=64)
    # The key of the connection that the code was exchanged for.
    key_id: Mapped[UUID | None] = reference("auth_api_key", "cascade")


class AuthClientToken(Base):
    """A token of a connection. A refresh token is used once: the one that comes again ends its connection."""

    __tablename__ = "auth_client_token"
    keys = (unique("token_hash"), index("key_id"), index("expires_at"))

    token_hash: Mapped[str] = string(min=64, max=64)
    key_id: Mapped[UUID] = reference("auth_api_key", "cascade")
    kind: Mapped[str] = enum("access", "refresh")
    expires_at: Mapped[datetime] = timestamp()
    used_at: Mapped[datetime | None] = timestamp()
