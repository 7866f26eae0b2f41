"""Deletion of one's own account, with a week in which it can be taken back."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import exists, select
from sqlalchemy.orm import aliased

from app.auth.accounts import mails
from app.auth.credentials import sessions
from app.auth.credentials.reauthentication import require_recent_authentication
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.engine.changes.purging import purge_account
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import reading
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Conflict, Failure

log = logging.getLogger("rowgate")

GRACE = timedelta(days=7)
BATCH_SIZE = 100


def begin(principal: Principal) -> datetime:
    """Have the caller's account deleted in a week. Raises ReauthenticationRequired, and Conflict naming organizations
    that would be left without an owner, or for the last admin."""
    require_recent_authentication(principal)
    return run_unit(principal, _begin)


def _begin(unit: Unit) -> datetime:
    user = sessions.own_user(unit)
    orphaned = _sole_ownerships(unit, user)
    if orphaned:
        named = [{"id": str(each.id), "slug": each.slug, "name": each.name} for each in orphaned]
        raise Conflict("Hand over or delete your organizations first", details={"organizations": named})
    others = (AuthUser.role == "admin", AuthUser.banned.is_(False), AuthUser.id != user.id)
    if user.role == "admin" and not unit.session.scalar(select(exists().where(*others))):
        raise Conflict("The last admin stays")
    if user.delete_after is None:
        user.delete_after = now() + GRACE
        audit.note(unit, "auth.user.begin_deletion", user)
        mails.send_account_mail(unit, user, "deletion", "/account/delete", until=user.delete_after)
    return user.delete_after


def cancel(unit: Unit) -> None:
    """Keep the account of the principal."""
    user = sessions.own_user(unit)
    if user.delete_after is not None:
        user.delete_after = None
        audit.note(unit, "auth.user.cancel_deletion", user)


def carry_out() -> None:
    """Delete the accounts whose week is over. One that cannot be deleted now is tried again."""
    last = None
    while True:
        with reading() as session:
            due = select(AuthUser.id).where(AuthUser.delete_after <= now(), *([AuthUser.id > last] if last else []))
            found = list(session.scalars(due.order_by(AuthUser.id).limit(BATCH_SIZE)))
        for user_id in found:
            try:
                run_unit(SYSTEM, _carry_out, user_id)
            except Failure as failure:
                log.warning("The account %s cannot be deleted now: %s", user_id, failure.text)
        if len(found) < BATCH_SIZE:
            return
        last = found[-1]


def _carry_out(unit: Unit, user_id: UUID) -> None:
    user = unit.session.get(AuthUser, user_id, with_for_update={"key_share": True})
    if user is not None and user.delete_after is not None and user.delete_after <= now():
        unit.delete(AuthUser, user_id)
        purge_account(unit, user_id)


def _sole_ownerships(unit: Unit, user: AuthUser) -> list[Any]:
    other = aliased(AuthMember)
    others = exists().where(
        other.organization_id == AuthMember.organization_id, other.role == "owner", other.user_id != user.id
    )
    owned = select(AuthOrganization).join(AuthMember, AuthMember.organization_id == AuthOrganization.id)
    mine = (AuthMember.user_id == user.id, AuthMember.role == "owner", AuthOrganization.is_personal.is_(False))
    return list(unit.session.scalars(owned.where(*mine, ~others).order_by(AuthOrganization.id)))
