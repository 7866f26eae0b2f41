"""What flask export and flask import share: models by name, and in whose name they act."""

from __future__ import annotations

import sys
from dataclasses import replace

from app.auth.accounts import users
from app.auth.organizations.organizations import personal_organization_of
from app.engine.declare.catalogue import find_model
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.declare.record import Record
from app.engine.read.database import reading
from app.foundation.errors import NotFound, require_found


def model_by_name(name: str) -> type[Record]:
    """The model of a name such as crm/contact; raises NotFound."""
    found = find_model(name)
    return require_found(found, NotFound(f"There is no model {name}: see flask resources"))


def principal_of(email: str | None) -> Principal:
    """The user with an address, as one who has just signed in, or the operator without one; raises NotFound."""
    if email is None:
        return SYSTEM
    with reading() as session:
        identifier = users.by_email(session, email).id
        home = personal_organization_of(session, identifier)
    found = users.require_user_principal(identifier)
    return replace(found, organization_id=home if home in found.memberships else None)


def is_interactive() -> bool:
    """Whether somebody reads what goes to standard error."""
    return sys.stderr.isatty()
