"""Hooks of deals: probability and closing date follow the stage."""

from __future__ import annotations

from sqlalchemy import exists, select

from app.auth.models.organizations import AuthMember
from app.crm.models import CrmContact, CrmDeal
from app.engine.hooks import Write, on_create, on_update, require
from app.foundation.clock import now

PROBABILITY = {"lead": 10, "qualified": 25, "proposal": 50, "negotiation": 75, "won": 100, "lost": 0}


@on_update(CrmContact)
def move_contact(contact: CrmContact, write: Write) -> None:
    if write.changed("company_id"):
        elsewhere = exists().where(CrmDeal.contact_id == contact.id, CrmDeal.company_id != contact.company_id)
        with write.unit.session.no_autoflush:
            kept = write.unit.session.scalar(select(elsewhere))
        require(not kept, "companyId", "Deals with the present company name this contact.")


@on_create(CrmDeal)
def open_deal(deal: CrmDeal, write: Write) -> None:
    if "owner_id" not in write.given and deal.organization_id not in write.unit.principal.memberships:
        deal.owner_id = None  # an admin at work in somebody else's organization
    if deal.probability is None:
        deal.probability = PROBABILITY[deal.stage]
    _check_people(deal, write)
    _check_reason(deal)
    _settle(deal)


@on_update(CrmDeal)
def move_deal(deal: CrmDeal, write: Write) -> None:
    if write.changed("contact_id", "company_id", "owner_id"):
        _check_people(deal, write)
    _check_reason(deal)
    if write.changed("stage"):
        deal.stage_changed_at = now()
        if "probability" not in write.given:
            deal.probability = PROBABILITY[deal.stage]
        _settle(deal)


def _settle(deal: CrmDeal) -> None:
    deal.closed_at = now() if deal.stage in ("won", "lost") else None


def _check_reason(deal: CrmDeal) -> None:
    require(deal.stage != "lost" or bool(deal.lost_reason), "lostReason", "Is required when a deal is lost.")


def _check_people(deal: CrmDeal, write: Write) -> None:
    if deal.contact_id is not None:
        contact = write.unit.get(CrmContact, deal.contact_id)
        require(contact.company_id == deal.company_id, "contactId", "Must be a contact of the company.")
    if deal.owner_id is not None:
        member = exists().where(AuthMember.organization_id == deal.organization_id, AuthMember.user_id == deal.owner_id)
        require(bool(write.unit.session.scalar(select(member))), "ownerId", "Must be a member of the organization.")
