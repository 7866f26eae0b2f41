"""The users behind Teams accounts, found by tenant and object id, never by e-mail address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.auth.models.identity import AuthAccount
from app.foundation.settings import settings


def issuer_of(tenant_id: str) -> str:
    """The namespace of the object ids of a tenant, as sign-in with Microsoft stores it."""
    before, after = around_tenant()
    return before + tenant_id + after


def around_tenant() -> tuple[str, str]:
    """What stands before and after the tenant in the name of such a namespace."""
    return f"{settings.microsoft_authority}/", "/v2.0"


def users_of(session: Session, tenant_id: str, object_ids: Iterable[str]) -> dict[str, UUID]:
    """The users behind object ids of a tenant, those that are known."""
    wanted = [each for each in object_ids if each]
    account = select(AuthAccount.account_id, AuthAccount.user_id)
    known = (AuthAccount.issuer == issuer_of(tenant_id), AuthAccount.account_id.in_(wanted))
    return {row.account_id: row.user_id for row in session.execute(account.where(*known))} if wanted else {}


def user_of(session: Session, tenant_id: str, account: Any) -> UUID | None:
    """The user behind the ``from`` of an activity, if it is known here."""
    object_id = account.get("aadObjectId") if isinstance(account, Mapping) else None
    return users_of(session, tenant_id, [object_id]).get(object_id) if isinstance(object_id, str) else None


def tenants_of(session: Session, user_id: UUID) -> set[str]:
    """The tenants in which a user has an identity."""
    issuers = select(AuthAccount.issuer).where(AuthAccount.user_id == user_id, AuthAccount.provider_id == "microsoft")
    before, after = around_tenant()
    return {issuer[len(before) : -len(after)] for issuer in session.scalars(issuers) if issuer.startswith(before)}
