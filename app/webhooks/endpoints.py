"""Endpoints as their users see them: made, changed, switched on and off, and removed.

Managers of an organization see the endpoints there, and may switch them off and remove them. All else is for whoever
made one, as it hears what they may see.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, select
from uuid_utils.compat import uuid7

from app.auth.credentials.members import member_principals
from app.engine.changes import sequencer
from app.engine.changes.history import days_kept
from app.engine.declare.principal import MANAGERS, Principal
from app.engine.write.audit import note
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import Conflict, Failure, Forbidden, Invalid, require_found
from app.webhooks import listeners
from app.webhooks.event_types import means_nothing
from app.webhooks.models import IntegrationWebhookEndpoint as Endpoint

MAX_ENDPOINTS = 50
# How long a secret signs beside the one that has taken its place.
ROTATION = timedelta(hours=24)
SECRET_BYTES, PREFIX = 32, "whsec_"
Values = dict[str, Any]


def listed(unit: Unit, take: int, skip: int) -> tuple[list[Endpoint], int]:
    """Return a page of the endpoints that the principal sees, the newest first, and how many there are."""
    seen = _visible(unit.principal)
    count = unit.session.scalar(select(func.count()).select_from(Endpoint).where(seen)) or 0
    found = select(Endpoint).where(seen).order_by(Endpoint.created_at.desc(), Endpoint.id.desc())
    return list(unit.session.scalars(found.limit(take).offset(skip))), count


def find(unit: Unit, identifier: UUID) -> Endpoint:
    """Return an endpoint that the principal sees; raises NotFound."""
    return _seen(unit, identifier, hold=False)


def own(unit: Unit, identifier: UUID, *, hold: bool = False) -> Endpoint:
    """Return one that the principal has made, and ``hold`` it until the end; raises NotFound and Forbidden."""
    endpoint = _seen(unit, identifier, hold=hold)
    if endpoint.user_id != unit.principal.user_id:
        raise Forbidden("Only who made an endpoint may do this")
    return endpoint


def create(unit: Unit, given: Values) -> tuple[Endpoint, str]:
    """Make an endpoint, and return it with its secret; raises Invalid, Forbidden, Conflict past the most that one user
    has, and NotFound where changes are not kept."""
    days_kept()
    principal = unit.principal
    user_id = require_found(principal.user_id, Forbidden("Webhooks are for users"))
    organization_id = given.pop("organization_id", None) or principal.organization_id
    if organization_id not in principal.memberships:
        raise Invalid({"organizationId": ["Is no organization of yours."]})
    unit.lock(f"webhooks of {user_id}")
    made_before = select(func.count()).where(Endpoint.user_id == user_id)
    if (unit.session.scalar(made_before) or 0) >= MAX_ENDPOINTS:
        raise Conflict(f"A user has at most {MAX_ENDPOINTS} webhooks")
    made = Endpoint(id=uuid7(), user_id=user_id, organization_id=organization_id, begins_at=_position(), enabled=True)
    secret = _renew_secret(made)
    _set(made, given)
    if not made.enabled:
        made.disabled_at = now()
    unit.store(made)
    note(unit, "platform.webhook.create", made, changes=_noted(given))
    return made, secret


def change(unit: Unit, identifier: UUID, given: Values) -> Endpoint:
    """Change an endpoint; raises NotFound, Forbidden and Invalid. Switched on again, it hears of what follows."""
    endpoint = _seen(unit, identifier)
    if endpoint.user_id != unit.principal.user_id and (given.keys() - {"enabled"} or given.get("enabled")):
        raise Forbidden("Only who made an endpoint changes it; managers switch it off")
    was_enabled = endpoint.enabled
    _set(endpoint, given)
    if endpoint.enabled and not was_enabled:
        endpoint.begins_at, endpoint.failure_count = _position(), 0
        endpoint.failing_since = endpoint.paused_until = endpoint.disabled_at = endpoint.disabled_reason = None
    elif was_enabled and not endpoint.enabled:
        endpoint.disabled_at = now()
    unit.session.flush()
    note(unit, "platform.webhook.update", endpoint, changes=_noted(given))
    return endpoint


def delete(unit: Unit, identifier: UUID) -> None:
    """Remove an endpoint with its deliveries; raises NotFound."""
    endpoint = _seen(unit, identifier)
    note(unit, "platform.webhook.delete", endpoint)
    unit.session.delete(endpoint)


def rotate(unit: Unit, identifier: UUID) -> tuple[Endpoint, str]:
    """Give an endpoint another secret, and return it. The one before signs as well for a day. Raises NotFound and
    Forbidden."""
    endpoint = own(unit, identifier, hold=True)
    endpoint.previous_secret, endpoint.previous_secret_until = endpoint.secret, now() + ROTATION
    secret = _renew_secret(endpoint)
    unit.session.flush()
    note(unit, "platform.webhook.rotate", endpoint)
    return endpoint, secret


def check_wanted(principal: Principal, event_types: Sequence[str], where: Values | None) -> None:
    """Refuse event types that mean nothing to a caller, and conditions that they may not ask; raises Invalid and
    InvalidFilter."""
    for pattern in event_types:
        if means_nothing(pattern, principal):
            raise Invalid({"eventTypes": [f"{pattern} is no event that you may hear of."]})
    listeners.followed_by(principal, event_types, where)


def _set(endpoint: Endpoint, given: Values) -> None:
    for name, value in given.items():
        setattr(endpoint, name, value)
    if given.keys() & {"event_types", "where"}:
        member = (endpoint.user_id, endpoint.organization_id)
        principal = require_found(member_principals([member]).get(member), Forbidden())
        check_wanted(principal, endpoint.event_types, endpoint.where)


def _renew_secret(endpoint: Endpoint) -> str:
    secret = PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
    endpoint.secret = vault().encrypt(secret)
    return secret


def _position() -> int:
    """Return the position behind which news are: what was committed before is numbered first."""
    with suppress(Failure):  # some of it may be heard of where that takes long
        sequencer.number_changes()
    return sequencer.positions().last


def _noted(given: Values) -> Values:
    return {name: {"after": value} for name, value in given.items() if name in ("url", "event_types", "enabled")}


def _seen(unit: Unit, identifier: UUID, *, hold: bool = True) -> Endpoint:
    seen = select(Endpoint).where(_visible(unit.principal), Endpoint.id == identifier)
    return require_found(unit.session.scalar(seen.with_for_update() if hold else seen))


def _visible(principal: Principal) -> ColumnElement[bool]:
    """The condition of one's own endpoints where one is a member now, and of all where one is a manager."""
    mine = (Endpoint.user_id == principal.user_id) & Endpoint.organization_id.in_(principal.organizations())
    return or_(mine, Endpoint.organization_id.in_(principal.organizations(*MANAGERS)))
