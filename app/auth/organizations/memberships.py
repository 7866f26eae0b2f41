"""Memberships that count: where an organization asks for a second factor, those of members without one do not."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Text, and_, case, cast, exists, func, or_, select
from sqlalchemy.orm import Session

from app.auth.models.identity import AuthPasskey
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.auth.sign_in.two_factor import factors
from app.engine.read.database import reading

# In front of a role that only counts with a second factor, and between a role and the lists of grants that narrow it.
FACTOR_REQUIRED, NARROWED = "?", "\n"


def of(user_id: Any) -> Any:
    """The memberships of a user as one JSON object, organization to role, as ``effective`` reads it."""
    role = case((AuthOrganization.require_two_factor, FACTOR_REQUIRED + AuthMember.role), else_=AuthMember.role)
    roles = select(func.jsonb_object_agg(AuthMember.organization_id, role + _lists()))
    joined = roles.join(AuthOrganization, AuthOrganization.id == AuthMember.organization_id)
    return joined.where(AuthMember.user_id == user_id).scalar_subquery().label("memberships")


def _lists() -> ColumnElement[str]:
    """The lists of grants that narrow a member, behind the role; owners and admins are never narrowed."""
    narrowed = or_(AuthMember.access.is_not(None), AuthMember.team_access.is_not(None))
    lists = cast(func.jsonb_build_array(AuthMember.access, AuthMember.team_access), Text)
    return case((and_(AuthMember.role == "member", narrowed), NARROWED + lists), else_="")


@dataclass(frozen=True)
class Memberships:
    """The ``roles`` of a user that count, the organizations where one counts only with a second factor, and the lists
    of grants by which roles are ``narrowed``, as JSON."""

    roles: dict[UUID, str]
    organizations_requiring_second_factor: list[UUID] = field(default_factory=list)
    narrowed: dict[UUID, str] = field(default_factory=dict)


def effective(user_id: UUID | None, found: dict[str, str] | None, session: Session | None = None) -> Memberships:
    """The memberships that count. Whether the user has a second factor is looked up where it is asked for, with
    ``session`` or one that is lent for it."""
    roles = {UUID(organization): role for organization, role in (found or {}).items()}
    said = "".join(roles.values())
    narrowed: dict[UUID, str] = {}
    if NARROWED in said:
        parts = {each: role.partition(NARROWED) for each, role in roles.items()}
        narrowed = {each: lists for each, (_, _, lists) in parts.items() if lists}
        roles = {each: role for each, (role, _, _) in parts.items()}
    if FACTOR_REQUIRED not in said:
        return Memberships(roles, narrowed=narrowed)
    asked = [each for each, role in roles.items() if role.startswith(FACTOR_REQUIRED)]
    with nullcontext(session) if session else reading() as lent:
        proven = has_factor(lent, user_id)
    live = {each: role.removeprefix(FACTOR_REQUIRED) for each, role in roles.items() if proven or each not in asked}
    return Memberships(live, [] if proven else sorted(asked), narrowed)


def load_effective(session: Session, user_id: UUID) -> Memberships:
    """The same for a user whose memberships no credential has brought along."""
    return effective(user_id, session.scalar(select(of(user_id))), session)


def has_factor(session: Session, user_id: UUID | None) -> bool:
    """Whether a user has a second factor, or a passkey."""
    return bool(user_id and session.scalar(select(factor_of(user_id))))


def factor_of(user_id: Any) -> ColumnElement[bool]:
    """The condition that a user has a second factor, or a passkey."""
    return or_(exists().where(factors.is_on(user_id)), exists().where(AuthPasskey.user_id == user_id))
