"""Models of organizations: members, invitations, teams and team members."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Mapped

from app.auth.models.identity import AuthUser
from app.engine.declare.fields import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    DERIVED,
    DIGEST,
    FILTERABLE,
    HIDDEN,
    IMMUTABLE,
    READ_ONLY,
    SORTABLE,
    FromNow,
    boolean,
    enum,
    grants,
    json,
    reference,
    string,
    timestamp,
    virtual,
)
from app.engine.declare.indexes import unique
from app.engine.declare.kinds import Boolean
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import Organization, Parent
from app.engine.declare.structures import Embedded


class AuthOrganization(Record):
    """A tenant. Every user has a personal one from sign-up."""

    __tablename__ = "auth_organization"
    domain, segment = "auth", "organization"
    searchable = ("name", "slug")
    audited = True
    cascades_widely = True
    policy = Policy(Organization("id", write=Rule.MANAGERS), update=Rule.MANAGERS, delete=Rule.OWNERS)
    operations_note = "any signed-in user may create one and becomes its owner; a personal one goes with its user"

    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=120)
    slug: Mapped[str] = string(
        FILTERABLE,
        SORTABLE,
        min=3,
        max=48,
        pattern=r"^[a-z0-9](?:[a-z0-9-]*[a-z0-9])$",
        unique=True,
        default=DERIVED,
        note="from the name when omitted",
    )
    logo: Mapped[str | None] = string(max=2048, format="url")
    is_personal: Mapped[bool] = boolean(READ_ONLY, FILTERABLE, default=False)
    require_two_factor: Mapped[bool] = boolean(
        FILTERABLE, default=False, note="members without a second factor or passkey act as if they were none"
    )
    public_links: Mapped[bool] = boolean(
        default=True, note="records of the organization can be shown by links to whoever has them"
    )
    outside_shares: Mapped[bool] = boolean(
        default=False, note="records of the organization can be shared with people outside of it"
    )
    metadata_: Mapped[dict[str, Any]] = json(name="metadata", shape="object", max_bytes=16384, default={})


def _person(model: Any) -> Any:
    """What colleagues see of the user of a membership."""
    person = func.jsonb_build_object("id", AuthUser.id, "name", AuthUser.name, "image", AuthUser.image)
    return select(person).where(AuthUser.id == model.user_id).scalar_subquery()


class AuthMember(Record):
    """Membership of a user in an organization."""

    __tablename__ = "auth_member"
    domain, segment = "auth", "member"
    audited = True
    policy = Policy(
        Organization("organization_id", write=Rule.MANAGERS),
        create=Rule.ADMIN,
        update=Rule.MANAGERS,
        delete=Rule.MANAGERS,
        leaves="user_id",
    )
    operations_note = "people join by invitation; members may remove themselves; the last owner stays"
    keys = (unique("organization_id", "user_id"),)
    bookkeeping = ("access", "team_access")

    organization_id: Mapped[UUID] = reference("auth_organization", "cascade", IMMUTABLE, FILTERABLE)
    user_id: Mapped[UUID] = reference("auth_user", "cascade", IMMUTABLE, FILTERABLE, relation="userRecord")
    role: Mapped[str] = enum(
        "owner",
        "admin",
        "member",
        flags=(FILTERABLE,),
        default="member",
        note="only an owner gives or takes the role owner",
    )
    access: Mapped[list[Any] | None] = grants(
        HIDDEN, note="narrows the member in rows of the organization; set by _access", deferred=True
    )
    team_access: Mapped[list[Any] | None] = grants(
        HIDDEN, note="those of all teams of the member that have some", deferred=True
    )
    user = virtual(Embedded(), READ_ONLY, expression=_person, note="id, name and image of the person")


class AuthInvitation(Record):
    """An offer of membership sent to an address."""

    __tablename__ = "auth_invitation"
    domain, segment = "auth", "invitation"
    is_credential = True
    searchable = ("email",)
    audited = True
    bookkeeping = ("secret_hash",)
    policy = Policy(
        Organization("organization_id", read=Rule.MANAGERS, write=Rule.MANAGERS, addressee="email"),
        create=Rule.MANAGERS,
        update=Rule.MANAGERS,
        delete=Rule.MANAGERS,
    )
    operations_note = (
        "the invited person, known by verified e-mail and a session token, may also read it and set status "
        "to accepted or rejected; acceptance makes the membership in the same transaction, once; managers "
        "may only set canceled"
    )
    keys = (unique("organization_id", "email", where="status = 'pending'"),)
    transitions = {
        "status": {"pending": ["accepted", "rejected", "canceled"], "accepted": [], "rejected": [], "canceled": []}
    }

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    email: Mapped[str] = string(IMMUTABLE, FILTERABLE, SORTABLE, min=3, max=254, format="email")
    role: Mapped[str] = enum(
        "owner",
        "admin",
        "member",
        flags=(IMMUTABLE, FILTERABLE),
        default="member",
        note="only an owner offers the role owner",
    )
    team_id: Mapped[UUID | None] = reference("auth_team", "set null", IMMUTABLE, FILTERABLE)
    inviter_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, FILTERABLE, default=CALLER_USER)
    status: Mapped[str] = enum("pending", "accepted", "rejected", "canceled", flags=(FILTERABLE,), default="pending")
    access: Mapped[list[Any] | None] = grants(IMMUTABLE, note="what narrows whoever accepts")
    expires_at: Mapped[datetime] = timestamp(IMMUTABLE, FILTERABLE, SORTABLE, default=FromNow(timedelta(days=7)))
    secret_hash: Mapped[str | None] = string(
        HIDDEN, DIGEST, min=64, max=64, unique=True, note="of the secret in the link that is sent"
    )
    responded_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    mailed = virtual(
        Boolean(),
        READ_ONLY,
        expression=lambda model: model.secret_hash.is_not(None),
        note="whether its link was sent: not to an address that had one a moment ago, or several that day",
    )


class AuthTeam(Record):
    """A group inside an organization."""

    __tablename__ = "auth_team"
    domain, segment = "auth", "team"
    searchable = ("name", "description")
    audited = True
    policy = Policy(
        Organization("organization_id", write=Rule.MANAGERS),
        create=Rule.MANAGERS,
        update=Rule.MANAGERS,
        delete=Rule.MANAGERS,
    )
    keys = (unique("organization_id", "name"),)
    bookkeeping = ("access",)

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=100)
    description: Mapped[str | None] = string(max=1000)
    access: Mapped[list[Any] | None] = grants(
        HIDDEN, note="narrows its members in rows of the organization; set by _access", deferred=True
    )


class AuthTeamMember(Record):
    """Membership of a user in a team."""

    __tablename__ = "auth_team_member"
    domain, segment = "auth", "team-member"
    audited = True
    policy = Policy(Parent("team_id"), update=Rule.NONE, leaves="user_id")
    operations_note = "nothing in it can change; members may remove themselves"
    keys = (unique("team_id", "user_id"),)

    team_id: Mapped[UUID] = reference("auth_team", "cascade", IMMUTABLE, FILTERABLE)
    user_id: Mapped[UUID] = reference(
        "auth_user", "cascade", IMMUTABLE, FILTERABLE, relation="userRecord",
        note="a member of the organization of the team",
    )  # fmt: skip
    user = virtual(Embedded(), READ_ONLY, expression=_person, note="id, name and image of the person")
