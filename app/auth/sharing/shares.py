"""With whom a record is shared: people, teams and addresses, who may read it, or write it as well.

People and teams are those of the organization. Addresses may be anybody's, where the organization lets its records out;
such a share counts for the account that proves the address, and is that account's from then on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, exists, select
from sqlalchemy.orm import Session

from app.auth.accounts import mails, users
from app.auth.models.identity import AuthUser
from app.auth.models.sharing import AuthShare
from app.auth.sharing import recipient_checks
from app.auth.sharing.shareable import Model, belonging, organization_of, require_shareable
from app.engine.declare.catalogue import every_model, find_model
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.declare.record import Record
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now, wire
from app.foundation.errors import Forbidden
from app.foundation.events import Event
from app.mail import outbox
from app.mail.delivery import wanted

MOST_OF_A_RECORD = 100
FORGOTTEN_AT_ONCE = 10_000
KIND, PAGE = "record-shared", "/console/shared-with-me"
# The type of the notification.
RECORD_SHARED = "RECORD_SHARED"

# A record was just shared with a user by name.
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
    """Share a record with those in ``asked``, and with nobody else. Raises NotFound, Forbidden, Invalid, Conflict and
    RateLimited."""
    record = require_shareable(unit, model, identifier)
    organization_id = organization_of(record)
    _check_sight(unit.principal, model, organization_id)
    unit.lock(f"shares of {identifier}")
    before = {_given(each): each for each in _living(unit, model, identifier)}
    noted = list(map(_noted, before.values()))
    added = [each for each in asked if each.with_whom not in before]
    through = recipient_checks.organizations_of(unit, organization_id, asked, added)
    _change(unit, before, {each.with_whom: each for each in asked})
    made = [_made(record, through[each], each, unit.principal) for each in added]
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


def forget() -> None:
    """Delete shares whose time is over, and those of records that are gone, some at a time."""
    shared = [model for model in every_model() if model.policy.shares]
    gone = [
        and_(AuthShare.model == model.qualified_name(), ~exists().where(model.id == AuthShare.record_id))
        for model in shared
    ]
    for which in (AuthShare.until <= now(), *gone):
        while run_unit(SYSTEM, _forget, which) == FORGOTTEN_AT_ONCE:
            pass


def _forget(unit: Unit, which: ColumnElement[bool]) -> int:
    some = select(AuthShare.id).where(which).limit(FORGOTTEN_AT_ONCE)
    return unit.bookkeep(delete(AuthShare).where(AuthShare.id.in_(some)))


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


def _change(unit: Unit, before: Mapping[UUID | str, AuthShare], wanted: Mapping[UUID | str, Share]) -> None:
    """End the shares that are not ``wanted`` any more, and make the others as they are."""
    gone = [each.id for name, each in before.items() if name not in wanted]
    unit.bookkeep(delete(AuthShare).where(AuthShare.id.in_(gone)))
    for name, each in before.items():
        if name in wanted:
            each.may, each.until = wanted[name].may, wanted[name].until
    unit.session.flush()


def _made(record: Record, organization_id: UUID, given: Share, principal: Principal) -> AuthShare:
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
        known = (AuthUser.email == share.email, AuthUser.email_verified)
        reader = unit.session.scalar(select(AuthUser).where(*known))
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
