"""Gadgets and what they are made of."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Mapped

from rowgate import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    Organization,
    Parent,
    Policy,
    Record,
    enum,
    integer,
    reference,
    string,
)


class Gadget(Record):
    """A thing that does something."""

    __tablename__ = "gadgets_gadget"
    domain, segment = "gadgets", "gadget"
    policy = Policy(Organization("organization_id"))
    transitions = {"state": {"new": ["tested"], "tested": []}}

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    name: Mapped[str] = string(FILTERABLE, min=1, max=100)
    state: Mapped[str] = enum("new", "tested", flags=(READ_ONLY, FILTERABLE), default="new")
    part_count: Mapped[int] = integer(READ_ONLY, min=0, max=1000, default=0)


class GadgetPart(Record):
    """A part of a gadget."""

    __tablename__ = "gadgets_part"
    domain, segment = "gadgets", "part"
    policy = Policy(Parent("gadget_id"))

    gadget_id: Mapped[UUID] = reference("gadgets_gadget", "cascade", IMMUTABLE, FILTERABLE)
    name: Mapped[str] = string(FILTERABLE, min=1, max=100)
