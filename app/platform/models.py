"""Models of feature flags, the audit log, and the vectors of records."""

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
    column,
    enum,
    integer,
    json,
    reference,
    string,
    vector,
)
from app.engine.declare.indexes import index, unique
from app.engine.declare.kind import Identifier
from app.engine.declare.kinds import SAFE_MAX
from app.engine.declare.policy import Policy
from app.engine.declare.record import Base, Record
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


class PlatformRecordVector(Base):
    """The vector of what a record means, by which lists rank it."""

    __tablename__ = "platform_record_vector"
    keys = (unique("model", "record_id"),)

    model: Mapped[str] = string(min=1, max=80, note="its qualified name")
    record_id: Mapped[UUID] = column(Identifier(), note="no foreign key: it may be of any model")
    embedder: Mapped[str] = string(min=1, max=120, note="the model that made it")
    digest: Mapped[str] = string(min=64, max=64, note="of the text that it was made of")
    vector: Mapped[Any | None] = vector(note="none of a text that the embedder refuses")


class PlatformVectorProgress(Base):
    """How far the vectors of the records of a model are true: as of a position of the log, or while all records are
    walked through, those up to an id."""

    __tablename__ = "platform_vector_progress"
    keys = (unique("model"),)

    model: Mapped[str] = string(min=1, max=80)
    embedder: Mapped[str] = string(min=1, max=120)
    epoch: Mapped[UUID] = column(Identifier(), note="of the positions")
    position: Mapped[int] = integer(min=0, max=SAFE_MAX, note="what is behind it is to be looked at")
    walked_to: Mapped[UUID | None] = column(Identifier(), note="none once all records were walked through")
