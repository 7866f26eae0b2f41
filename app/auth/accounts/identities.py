"""Identities at providers: linked once every factor of the account was given, and told of by mail."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sqlalchemy import select

from app.auth.accounts import mails
from app.auth.models.identity import AuthAccount, AuthUser
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit

PATH = "/account/linked"
LINKED, UNLINKED = "sign-in-linked", "sign-in-unlinked"


@dataclass(frozen=True)
class IdentityLink:
    """An identity that is to become a way to sign in."""

    provider: str
    issuer: str
    subject: str

    @property
    def values(self) -> dict[str, str]:
        """The link as plain JSON, for a challenge to keep."""
        return asdict(self)


def find(unit: Unit, issuer: str, subject: str) -> AuthAccount | None:
    """The account row of an identity."""
    known = (AuthAccount.issuer == issuer, AuthAccount.account_id == subject)
    return unit.session.scalar(select(AuthAccount).where(*known))


def add(unit: Unit, user: AuthUser, link: IdentityLink) -> AuthAccount:
    """Let an identity sign a user in; raises UniqueViolation where it is somebody's already."""
    account = AuthAccount(user_id=user.id, provider_id=link.provider, issuer=link.issuer, account_id=link.subject)
    unit.store(account)
    audit.record_write(unit, "create", account, actor=user)
    return account


def link(unit: Unit, user: AuthUser, link: IdentityLink) -> AuthAccount:
    """The same for a user who was there before, and is told by mail."""
    account = add(unit, user, link)
    mails.send_account_mail(unit, user, LINKED, PATH, cause=account.id, way=link.provider)
    return account


def tell_unlinked(unit: Unit, account: AuthAccount) -> None:
    """Tell a user by mail of a way to sign in that is removed."""
    user = unit.session.get_one(AuthUser, account.user_id)
    mails.send_account_mail(unit, user, UNLINKED, PATH, cause=account.id, way=account.provider_id)
