"""Companies, the people in them, and the deals being made."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    DERIVED,
    FILTERABLE,
    IMMUTABLE,
    MONEY,
    NOW,
    PERCENT,
    READ_ONLY,
    SORTABLE,
    enum,
    integer,
    long_text,
    reference,
    string,
    timestamp,
)
from app.engine.declare.indexes import index, sorted_by, unique
from app.engine.declare.kinds import INTEGER_MAX, SAFE_MAX
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scopes import PUBLISHED, Organization


class CrmContact(Record):
    """A person at a company."""

    __tablename__ = "crm_contact"
    domain, segment = "crm", "contact"
    searchable = ("first_name", "last_name", "email", "title")
    headline = ("title", "company_id", "email", "phone")
    semantic = ("first_name", "last_name", "title")
    label = ("first_name", "last_name")
    policy = Policy(Organization("organization_id"), links=True, shares=True)
    keys = (unique("organization_id", "email"), sorted_by("organization_id", "last_name"))

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    first_name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=100)
    last_name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=100)
    email: Mapped[str] = string(
        FILTERABLE, SORTABLE, min=3, max=254, format="email", note="unique among the contacts of the organization"
    )
    phone: Mapped[str | None] = string(max=40)
    title: Mapped[str | None] = string(FILTERABLE, max=120)
    company_id: Mapped[UUID] = reference("crm_company", "restrict", FILTERABLE)


class CrmDeal(Record):
    """A possible or concluded sale."""

    __tablename__ = "crm_deal"
    domain, segment = "crm", "deal"
    searchable = ("name", "description", "next_step")
    semantic = ("name", "description", "next_step")
    headline = ("stage", "amount", "expected_close_at", "company_id")
    sections = {
        "Sale": ("contact_id", "owner_id", "priority", "probability", "source", "next_step", "description"),
        "Outcome": ("closed_at", "lost_reason", "stage_changed_at"),
    }
    policy = Policy(Organization("organization_id"), links=True, shares=True)
    keys = (
        index("organization_id", "stage", "expected_close_at"),
        sorted_by("organization_id", "name"),
        sorted_by("organization_id", "amount"),
        sorted_by("organization_id", "expected_close_at"),
        sorted_by("organization_id", "stage", "amount"),
    )
    transitions = {
        "stage": {
            "lead": ["qualified", "proposal", "negotiation", "won", "lost"],
            "qualified": ["lead", "proposal", "negotiation", "won", "lost"],
            "proposal": ["lead", "qualified", "negotiation", "won", "lost"],
            "negotiation": ["lead", "qualified", "proposal", "won", "lost"],
            "won": ["negotiation"],
            "lost": ["lead", "qualified", "proposal", "negotiation"],
        }
    }

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    company_id: Mapped[UUID] = reference("crm_company", "restrict", FILTERABLE)
    contact_id: Mapped[UUID | None] = reference("crm_contact", "set null", FILTERABLE, note="a contact of that company")
    owner_id: Mapped[UUID | None] = reference(
        "auth_user", "set null", FILTERABLE, default=CALLER_USER, note="a member of the organization"
    )
    stage: Mapped[str] = enum(
        "lead", "qualified", "proposal", "negotiation", "won", "lost", flags=(FILTERABLE, SORTABLE), default="lead"
    )
    amount: Mapped[int | None] = integer(FILTERABLE, SORTABLE, min=0, max=SAFE_MAX, note="in cents", display=MONEY)
    currency: Mapped[str] = string(FILTERABLE, min=3, max=3, pattern=r"^[A-Z]{3}$", default="USD")
    probability: Mapped[int] = integer(
        SORTABLE,
        min=0,
        max=100,
        default=DERIVED,
        note="from the stage when omitted: 10, 25, 50, 75, 100, 0",
        display=PERCENT,
    )
    priority: Mapped[str] = enum("low", "medium", "high", flags=(FILTERABLE,), default="medium")
    source: Mapped[str | None] = enum(
        "inbound", "outbound", "referral", "partner", "event", "other", flags=(FILTERABLE,)
    )
    expected_close_at: Mapped[datetime | None] = timestamp(FILTERABLE, SORTABLE)
    closed_at: Mapped[datetime | None] = timestamp(
        READ_ONLY, SORTABLE, note="set on won and lost, emptied on reopening"
    )
    lost_reason: Mapped[str | None] = string(max=500, note="required to enter lost")
    next_step: Mapped[str | None] = string(max=500)
    description: Mapped[str | None] = long_text(max=20000)
    stage_changed_at: Mapped[datetime] = timestamp(READ_ONLY, SORTABLE, default=NOW)


class CrmCompany(Record):
    """An organization one sells to or works with."""

    __tablename__ = "crm_company"
    domain, segment = "crm", "company"
    plural = "companies"
    searchable = ("name", "industry")
    headline = ("industry", "revenue", "employees")
    semantic = ("name", "industry")
    legacy_envelope = True
    policy = Policy(Organization("organization_id", public=PUBLISHED), links=True, shares=True)
    operations_note = "delete is refused while contacts or deals point here"
    keys = (index("organization_id", "industry"), sorted_by("organization_id", "name"))

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    industry: Mapped[str | None] = string(FILTERABLE, SORTABLE, max=100)
    website: Mapped[str | None] = string(max=2048, format="url")
    revenue: Mapped[int | None] = integer(FILTERABLE, SORTABLE, min=1, max=SAFE_MAX, note="in cents", display=MONEY)
    employees: Mapped[int | None] = integer(SORTABLE, min=1, max=INTEGER_MAX)
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")
