"""With whom a record may be shared: people and teams of an organization, and addresses where that lets records out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import func, or_, select

from app.auth.models.organizations import AuthMember, AuthOrganization, AuthTeam
from app.auth.models.sharing import AuthShare
from app.auth.organizations import invitations
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import Conflict, Forbidden, Invalid

if TYPE_CHECKING:
    from app.auth.sharing.shares import Share

# By one organization, as every list of a recipient counts what is shared with them.
MOST_WITH_ONE = 10_000
OUTSIDE = "The organization shares records with its members alone"


def organizations_of(
    unit: Unit, organization_id: UUID | None, asked: Sequence[Share], added: Sequence[Share]
) -> Mapping[Share, UUID]:
    """The organization in which each of ``added`` may be shared with: that of the record, or of records that belong to
    none one of the caller's. Raises Invalid, Forbidden, Conflict and RateLimited."""
    principal = unit.principal
    if not added:
        return {}
    within = [organization_id] if organization_id is not None else _acting_first(unit)
    known = _members(unit, within, added) | _teams(unit, within, added)
    faults = {
        f"data.{place}.with.{'userId' if each.user_id else 'teamId'}": ["Must be one of the organization."]
        for place, each in enumerate(asked)
        if each in added and each.email is None and each.with_whom not in known
    }
    if faults:
        raise Invalid(faults)
    letting = organization_id or principal.organization_id
    addresses = [each for each in added if each.email is not None]
    if addresses:
        _hold_open(unit, letting)
    found = {each: known.get(each.with_whom, letting) for each in added}
    _check_numbers(unit, found)
    if addresses:
        invitations.count_for_sender(unit, len(addresses))
    return found  # type: ignore[return-value]


def _acting_first(unit: Unit) -> list[UUID]:
    """The caller's organizations, the one first that they act in."""
    principal = unit.principal
    return sorted(principal.memberships, key=lambda each: each != principal.organization_id)


def _members(unit: Unit, within: Sequence[UUID], added: Sequence[Share]) -> dict[UUID | str, UUID]:
    """The organization of each user among ``added`` who is a member of one."""
    wanted = (AuthMember.organization_id.in_(within), AuthMember.user_id.in_(_named(added, "user_id")))
    found = select(AuthMember.user_id, AuthMember.organization_id).where(*wanted)
    rows = sorted(unit.session.execute(found), key=lambda row: -within.index(row.organization_id))
    return {row.user_id: row.organization_id for row in rows}


def _teams(unit: Unit, within: Sequence[UUID], added: Sequence[Share]) -> dict[UUID | str, UUID]:
    """The organization of each team among ``added`` that is of one."""
    wanted = (AuthTeam.organization_id.in_(within), AuthTeam.id.in_(_named(added, "team_id")))
    found = unit.session.execute(select(AuthTeam.id, AuthTeam.organization_id).where(*wanted))
    return {row.id: row.organization_id for row in found}


def _hold_open(unit: Unit, organization_id: UUID | None) -> None:
    """Refuse addresses where an organization keeps its records. It is held as it is, and so is the caller's membership:
    whoever changes one at this moment comes after what is shared, and ends that as well. Raises Forbidden."""
    principal = unit.principal
    held = select(AuthOrganization.outside_shares).where(AuthOrganization.id == organization_id)
    if not unit.session.scalar(held.with_for_update(read=True)):
        raise Forbidden(OUTSIDE)
    own = (AuthMember.organization_id == organization_id, AuthMember.user_id == principal.user_id)
    is_member = unit.session.scalar(select(AuthMember.id).where(*own).with_for_update(read=True, key_share=True))
    if is_member is None and not principal.is_admin:
        raise Forbidden(OUTSIDE)


def _check_numbers(unit: Unit, added: Mapping[Share, UUID | None]) -> None:
    """Refuse that one organization shares more with somebody than their lists can take; raises Conflict. A share
    with an address counts for that address even after an account has claimed it."""
    names = [str(each.with_whom) for each in added]
    with_them = or_(AuthShare.recipient.in_(names), AuthShare.email.in_(names))
    lives = or_(AuthShare.until.is_(None), AuthShare.until > now())
    given = func.coalesce(AuthShare.email, AuthShare.recipient)
    counted = select(given, AuthShare.organization_id, func.count()).where(with_them, lives)
    found = unit.session.execute(counted.group_by(given, AuthShare.organization_id))
    held: dict[tuple[str, UUID | None], int] = {
        (name, organization_id): count for name, organization_id, count in found
    }
    if any(held.get((str(each.with_whom), within), 0) >= MOST_WITH_ONE for each, within in added.items()):
        raise Conflict(f"An organization shares at most {MOST_WITH_ONE} records with one recipient")


def _named(shares: Sequence[Share], name: str) -> Collection[UUID]:
    return {found for each in shares if (found := getattr(each, name)) is not None}
