"""The preferences of one user, which the routes of Teams and the account pages read and write."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import UUID

from app.engine.declare.principal import Principal
from app.engine.read.pages import list_page
from app.engine.read.query import Query, equals
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Forbidden, UniqueViolation, require_found
from app.notification.models import NotificationPreference


def own(principal: Principal) -> dict[str, Any]:
    """The preferences of ``principal``; whoever deleted them gets the defaults again."""
    require_found(principal.user_id, Forbidden)
    found = _listed(principal)
    if found:
        return found[0]
    with suppress(UniqueViolation):  # two requests at once make one
        return run_unit(principal, Unit.create, NotificationPreference, {})
    return _listed(principal)[0]


def change(principal: Principal, given: dict[str, Any]) -> dict[str, Any]:
    """Lay ``given`` over the preferences of ``principal``; raises Invalid."""
    return run_unit(principal, Unit.update, NotificationPreference, UUID(str(own(principal)["id"])), given)


def _listed(principal: Principal) -> list[dict[str, Any]]:
    query = Query(where=equals(NotificationPreference, user_id=principal.user_id), take=1)
    return list_page(NotificationPreference, principal, query).records
