"""Models of feature flags and the audit log."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    ADMIN_READS,
    DERIVED,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    SORTABLE,
    boolean,
    enum,
    integer,
    json,
    reference,
    string,
)
from app.engine.declare.indexes import index
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import Organization, Public


class PlatformFeatureFlag(Record):
    """A switch for a feature, optionally for a share of users."""

    __tablename__ = "platform_feature_flag"
    domain, segment = "platform", "feature-flag"
    searchable = ("key", "name", "description")
    audited = True
    policy = Policy(
        Public(public={"is_client_visible": [True]}), create=Rule.ADMIN, update=Rule.ADMIN, delete=Rule.ADMIN
    )
    operations_note = "flags change the behaviour of the service"

    key: Mapped[str] = string(
        IMMUTABLE, FILTERABLE, SORTABLE, min=2, max=100, pattern=r"^[a-z0-9][a-z0-9-]*$", unique=True
    )
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=120)
    description: Mapped[str | None] = string(max=1000)
    enabled: Mapped[bool] = boolean(FILTERABLE, default=False)
    rollout_percentage: Mapped[int] = integer(
        min=0, max=100, default=100, note="share of users, by a stable hash of key and user id"
    )
    conditions: Mapped[list[Any]] = json(
        ADMIN_READS,
        shape="array",
        max_bytes=16384,
        default=[],
        note="any one has to hold: userIds, organizationIds, roles, environments",
    )
    payload: Mapped[Any | None] = json(max_bytes=8192, note="value handed to the client with an enabled flag")
    is_client_visible: Mapped[bool] = boolean(FILTERABLE, default=False)


class PlatformAuditLog(Record):
    """A security-relevant action, kept as evidence."""

    __tablename__ = "platform_audit_log"
    domain, segment = "platform", "audit-log"
    logged = False
    bookkeeping = ("ip_address", "user_agent")
    policy = Policy(
        Organization("organization_id", read=Rule.MANAGERS),
        create=Rule.NONE,
        update=Rule.NONE,
        delete=Rule.NONE,
    )
    operations_note = (
        "written by the service in the same transaction as the change; rows without organization are for "
        "platform admins"
    )
    keys = (
        index("organization_id", "-created_at"),
        index("target_type", "target_id", "-created_at"),
        index("actor_id", "-created_at"),
    )

    organization_id: Mapped[UUID | None] = reference("auth_organization", "set null", READ_ONLY, FILTERABLE)
    actor_type: Mapped[str] = enum(
        "user", "api_key", "anonymous", "system", flags=(READ_ONLY, FILTERABLE), default=DERIVED
    )
    actor_id: Mapped[str | None] = string(
        READ_ONLY, FILTERABLE, min=1, max=64, note="no foreign key: it outlives the actor"
    )
    actor_name: Mapped[str | None] = string(READ_ONLY, max=254)
    action: Mapped[str] = string(
        READ_ONLY,
        FILTERABLE,
        SORTABLE,
        min=3,
        max=100,
        default=DERIVED,
        note="domain.model.verb, e.g. crm.deal.update, or auth.sign_in.failed",
    )
    target_type: Mapped[str | None] = string(READ_ONLY, FILTERABLE, min=1, max=100, note="e.g. crm/deal")
    target_id: Mapped[str | None] = string(READ_ONLY, FILTERABLE, min=1, max=64)
    outcome: Mapped[str] = enum("success", "denied", "failure", flags=(READ_ONLY, FILTERABLE), default="success")
    changes: Mapped[dict[str, Any]] = json(
        READ_ONLY,
        shape="object",
        max_bytes=65536,
        default={},
        note="field to before and after; secrets and long texts left out",
    )
    ip_address: Mapped[str | None] = string(READ_ONLY, ADMIN_READS, min=2, max=45)
    user_agent: Mapped[str | None] = string(READ_ONLY, ADMIN_READS, max=512)
    request_id: Mapped[str | None] = string(READ_ONLY, FILTERABLE, min=1, max=128)
