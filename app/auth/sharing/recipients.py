"""The recipients of shares that a user is: the user by name, the address that they have proved, and their teams."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, String, and_, case, cast, exists, func, literal_column, null, select, update
from sqlalchemy.dialects.postgresql import JSONB

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthTeam, AuthTeamMember
from app.auth.models.sharing import AuthShare
from app.engine.declare.principal import Recipients, recipients_within
from app.engine.write.unit_of_work import Unit

NONE: ColumnElement[Any] = literal_column("'{}'::jsonb", JSONB)


def of(user_id: Any) -> Any:
    """The recipients that the user in ``user_id`` is, whose row the statement has, as one JSON object: each to the
    organization of the team that it is, or null. Only those with which anything is shared; NULL where nothing is."""
    myself, team = cast(user_id, String), cast(AuthTeam.id, String)
    teams = (
        select(func.jsonb_object_agg(team, AuthTeam.organization_id))
        .join(AuthTeamMember, AuthTeamMember.team_id == AuthTeam.id)
        .where(AuthTeamMember.user_id == user_id, _has_shares(team))
    )
    is_mine = and_(AuthUser.email_verified, _has_shares(AuthUser.email))
    parts = (
        case((_has_shares(myself), func.jsonb_build_object(myself, null()))),
        case((is_mine, func.jsonb_build_object(AuthUser.email, null()))),
        teams.scalar_subquery(),
    )
    first, second, third = (func.coalesce(each, NONE) for each in parts)
    return func.nullif(first.op("||")(second).op("||")(third), NONE).label("recipients")


def _has_shares(recipient: Any) -> ColumnElement[bool]:
    return exists().where(AuthShare.recipient == recipient)


def effective(found: Mapping[str, str | None] | None, organizations: Collection[UUID]) -> dict[str, UUID | None]:
    """The recipients that count for a member of ``organizations``, out of what ``of`` has found."""
    if not found:
        return {}
    return recipients_within({name: UUID(each) if each else None for name, each in found.items()}, organizations)


def address_in(recipients: Recipients) -> str | None:
    """The address with which something is shared that its user has not come for before."""
    return next((each for each in recipients if "@" in each), None)


def claim(unit: Unit, address: str, user_id: UUID) -> None:
    """Make what is shared with an address the user's, to stay so wherever the address goes."""
    mine = {"user_id": user_id, "recipient": str(user_id)}
    unit.bookkeep(update(AuthShare).where(AuthShare.recipient == address).values(**mine))
