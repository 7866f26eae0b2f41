"""Grants that name a field or model which is gone: they open nothing, which nobody notices by itself."""

from __future__ import annotations

from sqlalchemy import select

from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthMember, AuthTeam
from app.engine.read.database import reading
from app.engine.read.grant_parser import unfit

# As many lists of each model are looked at.
MAX_CHECKED = 10_000


def unfit_grants() -> list[str]:
    """What is wrong with the grants of keys, members and teams, in words."""
    found: list[str] = []
    with reading() as session:
        for model in (AuthApiKey, AuthMember, AuthTeam):
            lists = select(model.id, model.access).where(model.access.is_not(None)).limit(MAX_CHECKED)
            for identifier, given in session.execute(lists):
                found += [f"{model.qualified_name()} {identifier}: {text}" for text in unfit(given)]
    return found
