"""Invitations: the link in a mail, and what the invited person answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.auth.accounts import mails, users
from app.auth.accounts.proofs import MAX_SECRET_LENGTH
from app.auth.credentials import sessions
from app.auth.credentials.sessions import SignedIn
from app.auth.errors import InvalidToken
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthInvitation, AuthMember, AuthOrganization, AuthTeamMember
from app.auth.sign_in import sign_in
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation import crypto
from app.foundation.clock import now
from app.foundation.errors import Forbidden
from app.mail import outbox
from app.mail.delivery import wanted
from app.runtime import rate_limits

KIND = "invitation"
# An account is new for so long.
NEW = timedelta(days=1)


@dataclass(frozen=True)
class Invited:
    """An invitation as the holder of its mail sees it."""

    invitation: AuthInvitation
    organization: AuthOrganization
    inviter: AuthUser | None


def count_for_sender(unit: Unit, amount: int = 1) -> None:
    """Count mails to addresses that the caller names against what the caller may send; raises RateLimited. New
    accounts, and those without a verified address, may send fewer, as they are easily made."""
    with unit.session.no_autoflush:
        sender = unit.get(AuthUser, unit.principal.user_id)
    is_known = sender.email_verified and sender.created_at <= now() - NEW
    for name in ("invitation",) if is_known else ("invitation", "new-account-invitation"):
        rate_limits.consume(rate_limits.by_setting(name), f"user:{sender.id}", amount)


def send(unit: Unit, invitation: AuthInvitation) -> None:
    """Give a new invitation its secret, and send that to its address, in the language of whoever has that. An
    address that got an invitation a moment ago, or several today, gets no mail: the invitation is there, without a
    link."""
    if not outbox.may_send(unit, KIND, invitation.email):
        return
    secret = crypto.link_secret()
    invitation.secret_hash = crypto.vault().digest(secret)
    with unit.session.no_autoflush:
        organization = unit.session.get_one(AuthOrganization, invitation.organization_id)
        reader = unit.session.scalar(select(AuthUser).where(AuthUser.email == invitation.email))
        inviter = unit.session.get(AuthUser, invitation.inviter_id) if invitation.inviter_id else None
        language = (reader.locale if reader else None) or mails.language_of_request()
        values = {
            "name": reader.name if reader else users.name_of(invitation.email), "organization": organization.name,
            "inviter": inviter.name if inviter else organization.name, "role": invitation.role,
            "until": mails.format_time(invitation.expires_at, language),
            "link": outbox.link(mails.secret_path("invitation", secret)),
        }  # fmt: skip
        outbox.send(unit, KIND, invitation.email, values, cause=invitation.secret_hash, language=language)


@wanted(KIND)
def _is_wanted(session: Session, secret_hash: str) -> bool:
    """Whether the link in a mail that waits would be good for anything."""
    return session.scalar(_open(secret_hash)) is not None


def show(token: str) -> Invited:
    """The invitation of a link, for the holder of the mail; raises InvalidToken."""
    return run_unit(SYSTEM, _shown, token)


def _shown(unit: Unit, token: str) -> Invited:
    invitation = _held(unit, token)
    organization = unit.session.get_one(AuthOrganization, invitation.organization_id)
    inviter = unit.session.get(AuthUser, invitation.inviter_id) if invitation.inviter_id else None
    return Invited(invitation, organization, inviter)


def accept(principal: Principal, token: str) -> UUID:
    """Let the caller join, whose address it was sent to; the mail proves the address. Returns the organization. Raises
    InvalidToken and Forbidden."""
    return run_unit(principal, _accept, token)


def _accept(unit: Unit, token: str) -> UUID:
    invitation, user = _held(unit, token), sessions.own_user(unit)
    if user.email != invitation.email:
        raise Forbidden("The invitation is for another address: sign in with that account")
    if not user.email_verified:
        users.verify(unit, user)
    return _answer(unit, invitation, "accepted", user)


def accept_as_new(token: str, name: str, password: str) -> tuple[AuthUser, SignedIn, UUID]:
    """Make an account for the address that an invitation was sent to, which the link proves, and join. Raises
    InvalidToken, PasswordRefused, UserAlreadyExists and RateLimitExceeded."""
    address = show(token).invitation.email
    hashed = sign_in.hash_for_sign_up(password, address, name)
    return run_unit(SYSTEM, _accept_as_new, token, name, hashed)


def _accept_as_new(unit: Unit, token: str, name: str, hashed: str) -> tuple[AuthUser, SignedIn, UUID]:
    invitation = _held(unit, token)
    user = sign_in.add_account(unit, {"email": invitation.email, "name": name, "email_verified": True}, hashed)
    organization_id = _answer(unit, invitation, "accepted", user)
    return user, sessions.open_session(unit, user), organization_id


def reject(token: str) -> None:
    """Decline, as the holder of the mail; raises InvalidToken."""
    run_unit(SYSTEM, _reject, token)


def _reject(unit: Unit, token: str) -> None:
    invitation = _held(unit, token)
    user = unit.session.scalar(select(AuthUser).where(AuthUser.email == invitation.email))
    _answer(unit, invitation, "rejected", user)


def admit(unit: Unit, invitation: AuthInvitation, user_id: UUID) -> None:
    """Make a user a member as an invitation says; one who is a member already stays as they are."""
    given = {"role": invitation.role, "access": invitation.access}
    _join(unit, AuthMember, "organization_id", invitation.organization_id, user_id, **given)
    if invitation.team_id is not None:
        _join(unit, AuthTeamMember, "team_id", invitation.team_id, user_id)


def _answer(unit: Unit, invitation: AuthInvitation, status: str, user: AuthUser | None) -> UUID:
    if status == "accepted" and user is not None:
        admit(unit, invitation, user.id)
    invitation.status, invitation.responded_at = status, now()
    audit.record_write(unit, "update", invitation, {"status": "pending"}, actor=user)
    return invitation.organization_id


def _join(
    unit: Unit, model: type[AuthMember | AuthTeamMember], group: str, group_id: UUID, user_id: UUID, **values: Any
) -> None:
    own = (getattr(model, group) == group_id, model.user_id == user_id)
    with unit.session.no_autoflush:
        joined = unit.session.scalar(select(func.count()).select_from(model).where(*own))
    if not joined:
        membership = model(**{group: group_id}, user_id=user_id, **values)
        unit.store(membership)
        audit.record_write(unit, "create", membership)


def _held(unit: Unit, token: str) -> AuthInvitation:
    """The invitation of a link that can still be answered, locked; raises InvalidToken."""
    digest = crypto.vault().digest(token if len(token) <= MAX_SECRET_LENGTH else "")
    found: AuthInvitation | None = unit.session.scalar(_open(digest).with_for_update())
    if found is None:
        raise InvalidToken()
    return found


def _open(secret_hash: str) -> Select[AuthInvitation]:
    """The invitation with this digest, if it can still be answered."""
    waiting = (AuthInvitation.secret_hash == secret_hash, AuthInvitation.status == "pending")
    return select(AuthInvitation).where(*waiting, AuthInvitation.expires_at > now())
