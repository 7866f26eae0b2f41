"""Impersonation: an admin looks at the service with the eyes of a user, for half an hour, and every request is written
down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from flask import request

from app.auth.accounts import mails, users
from app.auth.credentials import sessions
from app.auth.credentials.reauthentication import require_recent_authentication
from app.auth.credentials.sessions import SignedIn
from app.auth.models.identity import AuthSession, AuthUser
from app.engine.declare.principal import Principal
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Forbidden, NotFound


def impersonate(principal: Principal, user_id: UUID) -> SignedIn:
    """Open a session in which the caller, a platform admin, reads what a user may read. The user is told by mail.
    Raises Forbidden, ReauthenticationRequired and NotFound."""
    if not principal.is_admin or principal.impersonator_id is not None:
        raise Forbidden("Platform admins impersonate")
    require_recent_authentication(principal)
    return run_unit(principal, _impersonate, user_id)


def _impersonate(unit: Unit, user_id: UUID) -> SignedIn:
    user = unit.session.get(AuthUser, user_id)
    if user is None or users.is_banned(user.banned, user.ban_expires):
        raise NotFound()
    if user.role == "admin":
        raise Forbidden("Nobody impersonates an admin")
    opened = sessions.impersonate(unit, user)
    admin = unit.session.get_one(AuthUser, unit.principal.user_id)
    mails.send_account_mail(
        unit, user, "impersonated", cause=opened.session.id, by=admin.name, until=opened.session.expires_at
    )
    return opened


def note_request(unit: Unit, outcome: str, parts: Sequence[str] = ()) -> None:
    """Write down what an impersonating session asks for, with the routes of the ``parts`` that make it up, and whether
    it was refused that."""
    own = unit.session.get(AuthSession, unit.principal.credential_id)
    if own is not None:
        route = request.url_rule.rule if request.url_rule else "unmatched"
        changes: dict[str, Any] = {"route": f"{request.method} {route}", "by": str(own.impersonated_by)}
        if parts:
            changes["parts"] = list(parts)
        audit.note(unit, "auth.session.impersonated_request", own, changes=changes, outcome=outcome)
