"""With whom a record is shared: people, teams and addresses, who may read it, or write it as well.

People and teams are those of the organization. Addresses may be anybody's, where the organization lets its records out;
such a share counts for the account that proves the address, and is that account's from then on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, select
from sqlalchemy.orm import Session

from app.auth.accounts import mails, users
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember, AuthOrganization, AuthTeam
from app.auth.models.sharing import AuthShare
from app.auth.organizations import invitations
from app.auth.sharing.shareable import Model, belonging, organization_of, require_shareable
from app.engine.declare.catalogue import every_model, find_model
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now, wire
from app.foundation.errors import Forbidden, Invalid
from app.foundation.events import Event
from app.mail import outbox
from app.mail.delivery import wanted

MOST_OF_A_RECORD = 100
KIND, PAGE = "record-shared", "/console/shared-with-me"
# The type of the notification.
RECORD_SHARED = "RECORD_SHARED"

# A record was just shared with a user of the organization.
record_shared: Event[[Unit, Record, AuthShare]] = Event()


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


def model_of(name: str) -> Model | None:
    """The model called ``name``, where its policy takes shares."""
    found = find_model(name)
    return found if found is not None and found.policy.shares else None


def of_record(unit: Unit, model: Model, identifier: UUID) -> Sequence[AuthShare]:
    """With whom a record is shared, the oldest share first. Raises NotFound and Forbidden."""
    require_shareable(unit, model, identifier)
    return _living(unit, model, identifier)


def share(unit: Unit, model: Model, identifier: UUID, asked: Sequence[Share]) -> Sequence[AuthShare]:
    """Share a record with those in ``asked``, and with nobody else. Raises NotFound, Forbidden, Invalid and
    RateLimited."""
    record = require_shareable(unit, model, identifier)
    organization_id = organization_of(record)
    _check_sight(unit.principal, model, organization_id)
    unit.lock(f"shares of {identifier}")
    before = {_given(each): each for each in _living(unit, model, identifier)}
    noted = list(map(_noted, before.values()))
    added = [each for each in asked if each.with_whom not in before]
    _check_recipients(unit, organization_id, asked, added)
    _change(unit, before, {each.with_whom: each for each in asked})
    made = [_made(record, organization_id, each, unit.principal) for each in added]
    for new in made:
        unit.store(new)
    _tell(unit, record, made)
    found = _living(unit, model, identifier)
    audit.note(unit, "auth.share.set", record, changes={"before": noted, "after": list(map(_noted, found))})
    return found


def end_outside(unit: Unit, *which: ColumnElement[bool]) -> None:
    """End the shares with addresses that meet ``which``: of an organization that lets nothing out any more, or by
    somebody who has left it."""
    unit.bookkeep(delete(AuthShare).where(AuthShare.outside, *which))


def forget(unit: Unit) -> None:
    """Delete shares whose time is over, and those of records that are gone."""
    unit.bookkeep(delete(AuthShare).where(AuthShare.until <= now()))
    for model in every_model():
        if model.policy.shares:
            is_there = exists().where(model.id == AuthShare.record_id)
            unit.bookkeep(delete(AuthShare).where(AuthShare.model == model.qualified_name(), ~is_there))


def _living(unit: Unit, model: Model, identifier: UUID) -> Sequence[AuthShare]:
    of_it = (AuthShare.record_id == identifier, AuthShare.model == model.qualified_name())
    lives = AuthShare.until.is_(None) | (AuthShare.until > now())
    return unit.session.scalars(select(AuthShare).where(*of_it, lives).order_by(AuthShare.id)).all()


def _check_sight(principal: Principal, model: Model, organization_id: UUID | None) -> None:
    """Refuse to share for somebody who sees a record in part only, as others would see all of it; raises Forbidden."""
    seeing = principal
    if organization_id is not None and organization_id in principal.memberships:
        seeing = principal.within({organization_id: principal.memberships[organization_id]}, organization_id)
    if not all(seeing.reader.admits_wholly(each, "list", "read", "update") for each in belonging(model)):
        raise Forbidden("Whoever is narrowed by grants shares no records: others would see more of them")


def _check_recipients(unit: Unit, organization_id: UUID | None, asked: Sequence[Share], added: Sequence[Share]) -> None:
    """Refuse those who are none of the organization's, or, of records that belong to none, of the caller's
    organizations; and addresses where records stay inside. Raises Invalid and Forbidden."""
    principal = unit.principal
    within = list(principal.memberships) if organization_id is None else [organization_id]
    members = (AuthMember.organization_id.in_(within), AuthMember.user_id.in_(_named(added, "user_id")))
    people = set(unit.session.scalars(select(AuthMember.user_id).where(*members)))
    known = (AuthTeam.organization_id.in_(within), AuthTeam.id.in_(_named(added, "team_id")))
    teams = set(unit.session.scalars(select(AuthTeam.id).where(*known)))
    faults = {
        f"data.{place}.with.{name}": ["Must be one of the organization."]
        for place, each in enumerate(asked)
        if each in added
        for name, wanted, found in (("userId", each.user_id, people), ("teamId", each.team_id, teams))
        if wanted is not None and wanted not in found
    }
    if faults:
        raise Invalid(faults)
    if addresses := sum(each.email is not None for each in added):
        letting = organization_id or principal.organization_id
        if letting is None or not unit.get(AuthOrganization, letting).outside_shares:
            raise Forbidden("The organization shares records with its members alone")
        invitations.count_for_sender(unit, addresses)


def _named(shares: Sequence[Share], name: str) -> Collection[UUID]:
    return {found for each in shares if (found := getattr(each, name)) is not None}


def _change(unit: Unit, before: Mapping[UUID | str, AuthShare], wanted: Mapping[UUID | str, Share]) -> None:
    """End the shares that are not ``wanted`` any more, and make the others as they are."""
    gone = [each.id for name, each in before.items() if name not in wanted]
    unit.bookkeep(delete(AuthShare).where(AuthShare.id.in_(gone)))
    for name, each in before.items():
        if name in wanted:
            each.may, each.until = wanted[name].may, wanted[name].until
    unit.session.flush()


def _made(record: Record, organization_id: UUID | None, given: Share, principal: Principal) -> AuthShare:
    return AuthShare(
        model=type(record).qualified_name(), record_id=record.id, record_created_at=record.created_at,
        recipient=str(given.with_whom), user_id=given.user_id, team_id=given.team_id, email=given.email, may=given.may,
        until=given.until, organization_id=organization_id, outside=given.email is not None,
        created_by_id=principal.user_id,
    )  # fmt: skip


def _tell(unit: Unit, record: Record, made: Sequence[AuthShare]) -> None:
    """Tell those with whom a record has just been shared, addresses no oftener than any mail to strangers."""
    sharer = unit.session.get(AuthUser, unit.principal.user_id) if unit.principal.user_id else None
    for share in sorted(made, key=lambda each: each.recipient):  # two who tell several do so in one order
        if share.user_id is not None:
            record_shared.emit(unit, record, share)
        if share.email is None or not outbox.may_send(unit, KIND, share.email):
            continue
        # Whether an address has an account changes the greeting alone, which nobody but its holder reads.
        reader = unit.session.scalar(select(AuthUser).where(AuthUser.email == share.email))
        values = {
            "name": reader.name if reader else users.name_of(share.email), "address": share.email,
            "sharer": sharer.name if sharer else "?", "link": outbox.link(PAGE),
        }  # fmt: skip
        language = (reader.locale if reader else None) or mails.language_of_request()
        outbox.send(unit, KIND, share.email, values, cause=share.id, language=language)


@wanted(KIND)
def _is_wanted(session: Session, share_id: str) -> bool:
    """Whether what a mail tells of is still shared."""
    return session.get(AuthShare, UUID(share_id)) is not None


def _given(share: AuthShare) -> UUID | str:
    """With whom a record was shared, as the caller named them."""
    return share.email or share.user_id or share.team_id  # type: ignore[return-value]


def _noted(share: AuthShare) -> dict[str, Any]:
    return {"with": str(_given(share)), "may": share.may, "until": share.until and wire(share.until)}
