"""With whom a record may be shared: people and teams of an organization, and addresses where that lets records out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, or_, select

from app.auth.models.organizations import AuthMember, AuthOrganization, AuthTeam
from app.auth.models.sharing import AuthShare
from app.auth.organizations import invitations
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import Conflict, Forbidden, Invalid

# Of one organization: each list of a recipient counts what is shared with them.
MOST_WITH_ONE = 10_000
OUTSIDE = "The organization shares records with its members alone"


@dataclass(frozen=True)
class Share:
    """With whom, by one of ``user_id``, ``team_id`` and ``email``, a record is to be shared, and for what."""

    may: str
    user_id: UUID | None = None
    team_id: UUID | None = None
    email: str | None = None
    until: datetime | None = None

    @property
    def with_whom(self) -> UUID | str:
        return self.email or self.user_id or self.team_id  # type: ignore[return-value]


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
        invitations.count_for_sender(unit, len(addresses))
    found = {each: known.get(each.with_whom, letting) for each in added}
    _check_numbers(unit, found)
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
    """Refuse that one organization shares more with somebody than their lists can take; raises Conflict."""
    lives = or_(AuthShare.until.is_(None), AuthShare.until > now())
    for share, organization_id in added.items():
        name = str(share.with_whom)
        with_them = or_(AuthShare.recipient == name, AuthShare.email == name)
        counted = select(func.count()).where(with_them, AuthShare.organization_id == organization_id, lives)
        if (unit.session.scalar(counted) or 0) >= MOST_WITH_ONE:
            raise Conflict(f"An organization shares at most {MOST_WITH_ONE} records with one recipient")


def _named(shares: Sequence[Share], name: str) -> Collection[UUID]:
    return {found for each in shares if (found := getattr(each, name)) is not None}
