"""Hooks of deals: probability and closing date follow the stage. Each asks the database about all records at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from app.auth.models.organizations import AuthMember
from app.crm.models import CrmContact, CrmDeal
from app.engine.write.hooks import Write, failing_at, on_create, on_update, require
from app.foundation.clock import now

PROBABILITY = {"lead": 10, "qualified": 25, "proposal": 50, "negotiation": 75, "won": 100, "lost": 0}


@on_update(CrmContact, changing=["company_id"], many=True, callers_only=True)
def move_contacts(contacts: Sequence[CrmContact], writes: Sequence[Write]) -> None:
    moved = {
        contact.id: contact for contact, write in zip(contacts, writes, strict=True) if write.changed("company_id")
    }
    named = select(CrmDeal.contact_id, CrmDeal.company_id).where(CrmDeal.contact_id.in_(moved)).distinct()
    session = writes[0].unit.session
    with session.no_autoflush:
        found = session.execute(named).all()
    elsewhere = {contact for contact, company in found if contact and company != moved[contact].company_id}
    for place, contact in enumerate(contacts):
        with failing_at(place):
            require(contact.id not in elsewhere, "companyId", "Deals with the present company name this contact.")


@on_create(CrmDeal, many=True, callers_only=True)
def open_deals(deals: Sequence[CrmDeal], writes: Sequence[Write]) -> None:
    for deal, write in zip(deals, writes, strict=True):
        if "owner_id" not in write.given and deal.organization_id not in write.unit.principal.memberships:
            deal.owner_id = None  # an admin at work in somebody else's organization
        if deal.probability is None:
            deal.probability = PROBABILITY[deal.stage]
    _check(deals, writes)
    for deal in deals:
        _settle(deal, now())


@on_update(
    CrmDeal, changing=["contact_id", "company_id", "owner_id", "stage", "lost_reason"], many=True, callers_only=True
)
def move_deals(deals: Sequence[CrmDeal], writes: Sequence[Write]) -> None:
    _check(deals, writes)
    for deal, write in zip(deals, writes, strict=True):
        if write.changed("stage"):
            deal.stage_changed_at = now()
            if "probability" not in write.given:
                deal.probability = PROBABILITY[deal.stage]
            _settle(deal, deal.stage_changed_at)


def _settle(deal: CrmDeal, moved: datetime) -> None:
    deal.closed_at = moved if deal.stage in ("won", "lost") else None


def _check(deals: Sequence[CrmDeal], writes: Sequence[Write]) -> None:
    """Check the people of new deals and of those whose people change, and why deals were lost."""
    asked = [not write.before or write.changed("contact_id", "company_id", "owner_id") for write in writes]
    named = [deal for deal, is_asked in zip(deals, asked, strict=True) if is_asked]
    companies, members = _companies(named, writes[0]), _members(named, writes[0])
    for place, (deal, is_asked) in enumerate(zip(deals, asked, strict=True)):
        with failing_at(place):
            if is_asked and deal.contact_id is not None:
                require(
                    companies.get(deal.contact_id) == deal.company_id, "contactId", "Must be a contact of the company."
                )
            if is_asked and deal.owner_id is not None:
                is_member = (deal.organization_id, deal.owner_id) in members
                require(is_member, "ownerId", "Must be a member of the organization.")
            require(deal.stage != "lost" or bool(deal.lost_reason), "lostReason", "Is required when a deal is lost.")


def _companies(deals: Sequence[CrmDeal], write: Write) -> dict[UUID, UUID]:
    """The companies of the contacts that ``deals`` name."""
    wanted = {deal.contact_id for deal in deals if deal.contact_id is not None}
    if not wanted:
        return {}
    found = select(CrmContact.id, CrmContact.company_id).where(CrmContact.id.in_(wanted))
    with write.unit.session.no_autoflush:
        return dict(write.unit.session.execute(found).all())


def _members(deals: Sequence[CrmDeal], write: Write) -> set[tuple[UUID, UUID]]:
    """Which owners of ``deals`` are members of which organizations."""
    owners = {deal.owner_id for deal in deals if deal.owner_id is not None}
    if not owners:
        return set()
    member = (AuthMember.user_id.in_(owners), AuthMember.organization_id.in_({deal.organization_id for deal in deals}))
    found = select(AuthMember.organization_id, AuthMember.user_id).where(*member)
    with write.unit.session.no_autoflush:
        return set(write.unit.session.execute(found).all())
