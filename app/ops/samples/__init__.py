"""The sample data: a coherent set over all domains, for a first look and for demonstrations."""

from __future__ import annotations

from random import Random

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from app.auth.models.organizations import AuthOrganization
from app.crm.models import CrmCompany
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.ops.samples import (
    agents,
    canvases,
    companies,
    conversations,
    figures,
    key_use,
    knowledge,
    notices,
    people,
    product_use,
    research,
)
from app.ops.samples.context import Context
from app.ops.seed import seed

RANDOM_SEED = 7


def load(unit: Unit) -> list[tuple[str, str]] | None:
    """Add the set and return the address and password of each person made, or None when records are there already."""
    if _holds_records(unit.session):
        return None
    seed(unit)
    context = Context(unit, now(), Random(RANDOM_SEED))  # noqa: S311 - has to come out alike, not hard to guess
    team, passwords = people.make(context)
    deals = companies.make(context, team)
    handbook = knowledge.make(context, team)
    canvas = canvases.make(context, team, conversations.make(context, team, handbook))
    deliverable = agents.make(context, team, handbook, deals)
    research.make(context, team, handbook)
    key_use.make(context, team)
    insight = figures.make(context, team, deals, product_use.make(context, team, canvas))
    notices.make(context, team, notices.Subjects(deliverable, insight, canvas))
    return passwords


def _holds_records(session: Session) -> bool:
    known = exists().where(AuthOrganization.slug == people.SLUG)
    return bool(session.scalar(select(or_(exists().where(CrmCompany.id.is_not(None)), known))))
