"""The standing of a caller, kept beside work that a job does later: the rights of the user by then, and none that the
credential did not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.auth.accounts.users import user_principal
from app.engine.declare.principal import Principal


def standing_of(principal: Principal) -> dict[str, Any]:
    """Return the standing of ``principal``, as JSON."""
    return {
        "admin": principal.is_admin,
        "organizations": [str(each) for each in principal.memberships],
        "organization": str(principal.organization_id) if principal.organization_id else None,
    }


def principal_with(session: Session, user_id: UUID, standing: Mapping[str, Any]) -> Principal | None:
    """Return the user as the database knows them now, within ``standing``; None for one who may act no more."""
    found = user_principal(session, user_id)
    if found is None:
        return None
    memberships = {each: role for each, role in found.memberships.items() if str(each) in standing["organizations"]}
    home = UUID(standing["organization"]) if standing["organization"] else None
    able = found.within(memberships, home if home in memberships else None)
    return replace(able, is_admin=found.is_admin and standing["admin"])
