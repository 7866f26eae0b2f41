"""API keys and the record of their use."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import case, func
from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    DERIVED,
    DIGEST,
    FILTERABLE,
    GENERATED,
    HIDDEN,
    IMMUTABLE,
    NOW,
    READ_ONLY,
    RETURNED_ONCE,
    SORTABLE,
    UNLISTED,
    WRITE_ONLY,
    FromNow,
    boolean,
    enum,
    grants,
    integer,
    json,
    reference,
    string,
    strings,
    timestamp,
    virtual,
)
from app.engine.declare.indexes import index
from app.engine.declare.kinds import INTEGER_MAX, SAFE_MAX, Enum, Integer, String
from app.engine.declare.policy import Policy, SessionOnly
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import Owner


def _status(model: Any) -> Any:
    return case(
        (model.revoked_at.is_not(None), "revoked"),
        (func.least(model.expires_at, model.grace_expires_at) <= func.now(), "expired"),
        (model.enabled, "active"),
        else_="disabled",
    )


class AuthApiKey(Record):
    """A secret for programmatic access, owned by a user or made anonymously."""

    __tablename__ = "auth_api_key"
    domain, segment = "auth", "api-key"
    is_credential = True
    audited = True
    has_custom_routes = True
    bookkeeping = (
        "key_hash", "last_used_at", "rate_limit_enabled", "rate_limit_time_window", "rate_limit_max", "request_count",
    )  # fmt: skip
    policy = Policy(Owner("user_id", until="revoked_at"), session_only=SessionOnly.ALL)
    operations_note = (
        "served by the API-key routes alone; anonymous create needs no credential while feature flag "
        "auth-anonymous-api-key is on; delete revokes: the row stays for the record but is gone for its user"
    )
    keys = (index("user_id", "-created_at"),)

    user_id: Mapped[UUID | None] = reference(
        "auth_user", "cascade", HIDDEN, default=CALLER_USER, note="null for an anonymous key"
    )
    organization_id: Mapped[UUID | None] = reference(
        "auth_organization", "cascade", HIDDEN, default=CALLER_ORGANIZATION, note="organization the key acts in"
    )
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=100, default=GENERATED)
    key_hash: Mapped[str] = string(HIDDEN, DIGEST, min=64, max=64, unique=True, default=GENERATED)
    key = virtual(
        String(), READ_ONLY, RETURNED_ONCE, note="the secret, in the answer to an authenticated create or a rotation"
    )
    api_key = virtual(String(), READ_ONLY, RETURNED_ONCE, note="the secret, in the answer to an anonymous create")
    start: Mapped[str] = string(
        READ_ONLY, min=1, max=24, default=DERIVED, note="kind prefix and first characters of the secret"
    )
    scopes: Mapped[list[str]] = strings(
        items=("read", "write", "admin"),
        min_items=1,
        default=["read"],
        note="admin needs an admin user; an anonymous key has exactly read",
    )
    enabled: Mapped[bool] = boolean(FILTERABLE, default=True)
    status = virtual(
        Enum(("active", "disabled", "expired", "revoked")),
        READ_ONLY,
        expression=_status,
        note="from enabled, expiresAt, revokedAt",
    )
    expires_at: Mapped[datetime] = timestamp(
        IMMUTABLE, FILTERABLE, SORTABLE, default=FromNow(timedelta(days=90)), note="the longest life is a setting"
    )
    expires_in_days = virtual(Integer(1, 365), WRITE_ONLY, note="anonymous create only; 30 when omitted")
    anonymous: Mapped[bool] = boolean(WRITE_ONLY, default=False, note="true asks for an anonymous key")
    email: Mapped[str | None] = string(
        WRITE_ONLY, min=3, max=254, format="email", note="left by the maker of an anonymous key; proves nothing"
    )
    last_used_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE, note="written once a minute at most")
    ip_allow_list: Mapped[list[str]] = strings(
        max_items=50, item_max=43, default=[], note="addresses or CIDR blocks; empty allows any"
    )
    metadata_: Mapped[dict[str, Any]] = json(name="metadata", shape="object", max_bytes=4096, default={})
    access: Mapped[list[Any] | None] = grants(UNLISTED, note="what narrows the key; null for nothing")
    revoked_at: Mapped[datetime | None] = timestamp(HIDDEN)
    rotated_to_id: Mapped[UUID | None] = reference("auth_api_key", "set null", HIDDEN)
    grace_expires_at: Mapped[datetime | None] = timestamp(HIDDEN, note="end of the overlap after a rotation")
    rate_limit_enabled: Mapped[bool] = boolean(HIDDEN, default=True)
    rate_limit_time_window: Mapped[int] = integer(HIDDEN, min=1000, max=86_400_000, default=60000, note="milliseconds")
    rate_limit_max: Mapped[int] = integer(HIDDEN, min=1, max=100_000, default=100)
    request_count: Mapped[int] = integer(HIDDEN, min=0, max=SAFE_MAX, default=0)


class AuthApiKeyAnalytics(Record):
    """One request that presented a key, with its outcome."""

    __tablename__ = "auth_api_key_analytics"
    domain, segment = "auth", "api-key-analytics"
    logged = False
    plural = "apiKeyAnalytics"
    policy = Policy(Owner("user_id"), create=Rule.NONE, update=Rule.NONE, delete=Rule.NONE)
    operations_note = (
        "written by the key check, off the request path; kept 90 days, hourly sums stay in an internal table"
    )
    keys = (
        index("key_id", "-time"),
        index("user_id", "-time"),
        index("time"),
    )

    key_id: Mapped[UUID | None] = reference(
        "auth_api_key", "set null", READ_ONLY, FILTERABLE, note="null when the key is unknown"
    )
    user_id: Mapped[UUID | None] = reference(
        "auth_user", "cascade", READ_ONLY, FILTERABLE, note="owner of the key; null leaves the row to admins"
    )
    organization_id: Mapped[UUID | None] = reference("auth_organization", "set null", READ_ONLY, FILTERABLE)
    request_id: Mapped[str] = string(READ_ONLY, FILTERABLE, min=1, max=128, default=DERIVED)
    time: Mapped[datetime] = timestamp(READ_ONLY, FILTERABLE, SORTABLE, default=NOW)
    outcome: Mapped[str] = enum(
        "VALID",
        "NOT_FOUND",
        "DISABLED",
        "EXPIRED",
        "REVOKED",
        "FORBIDDEN",
        "INSUFFICIENT_PERMISSIONS",
        "RATE_LIMITED",
        "USAGE_EXCEEDED",
        flags=(READ_ONLY, FILTERABLE),
        default="VALID",
    )
    method: Mapped[str] = string(READ_ONLY, FILTERABLE, min=3, max=10, default=DERIVED)
    route: Mapped[str | None] = string(
        READ_ONLY, FILTERABLE, min=1, max=255, note="path template, never the address as sent"
    )
    status_code: Mapped[int] = integer(READ_ONLY, FILTERABLE, min=100, max=599, default=DERIVED)
    required_scope: Mapped[str | None] = enum("read", "write", "admin", flags=(READ_ONLY, FILTERABLE))
    credential_source: Mapped[str] = enum("header", "query", flags=(READ_ONLY, FILTERABLE), default="header")
    spent_credits: Mapped[int] = integer(READ_ONLY, min=0, max=1_000_000, default=0)
    latency_ms: Mapped[int] = integer(READ_ONLY, SORTABLE, min=0, max=INTEGER_MAX, default=DERIVED)
    ip_address: Mapped[str | None] = string(READ_ONLY, min=2, max=45)
    user_agent: Mapped[str | None] = string(READ_ONLY, max=512)
    tags: Mapped[list[str]] = strings(READ_ONLY, FILTERABLE, max_items=20, item_max=64, default=[])
