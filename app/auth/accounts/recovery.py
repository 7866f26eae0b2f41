"""Passwords: choosing a new one by a link in a mail, and changing the one that is known."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, select

from app.auth.accounts import mails, passwords, proofs, users
from app.auth.accounts.mail_requests import address_of, ask_for_mail
from app.auth.credentials import sessions, throttling
from app.auth.credentials.reauthentication import check_password_if_any
from app.auth.errors import InvalidToken, PasswordRefused
from app.auth.models.identity import AuthAccount, AuthPasskey, AuthTwoFactor, AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthInvitation, AuthMember
from app.auth.organizations.organizations import cancel_invitations, end_sessions, personal_organization_of
from app.auth.sign_in import devices
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Conflict
from app.mail import outbox

SEND_RESET = "send_password_reset"
KIND = "reset-password"
WELCOME_LASTS = timedelta(days=7)


def forget(email: str) -> None:
    """Send a link to choose a new password; nobody learns whether the address has an account."""
    ask_for_mail(SEND_RESET, email)


def send_reset_link(_: UUID, *, sealed: str) -> None:
    """Do what ``forget`` was asked for, as a job."""
    run_unit(SYSTEM, _send_link, address_of(sealed))


def _send_link(unit: Unit, address: str) -> None:
    user = unit.session.scalar(select(AuthUser).where(AuthUser.email == address))
    if user is None or users.is_banned(user.banned, user.ban_expires):
        return
    if not outbox.may_send(unit, KIND, address, by_day=not user.email_verified):
        return
    proof, secret = proofs.issue(unit, proofs.RESET, user.id, email=address)
    mails.send_account_mail(unit, user, KIND, mails.secret_path("reset", secret), cause=proof.id)


def welcome(unit: Unit, user: AuthUser) -> None:
    """Send the link by which a person whose account an admin has made chooses a password."""
    proof, secret = proofs.issue(unit, proofs.RESET, user.id, lasts=WELCOME_LASTS, email=user.email)
    mails.send_account_mail(unit, user, "welcome", mails.secret_path("reset", secret), cause=proof.id)


def reset(token: str, password: str, *, revoke_keys: bool = False) -> None:
    """Set a new password by a link, and end every session. The first proof of an address removes whatever was there
    before it: it may be somebody else's. Factors stay in force otherwise.

    Raises InvalidToken and PasswordRefused; a password that is refused leaves the link good.
    """
    user = run_unit(SYSTEM, _asked, token)
    passwords.check(password, about=users.words_about(user))
    run_unit(SYSTEM, _reset, token, passwords.hash_password(password), revoke_keys)
    throttling.forget(user.email)


def _asked(unit: Unit, token: str) -> AuthUser:
    return unit.session.get_one(AuthUser, proofs.peek(unit, token, proofs.RESET).user_id)


def _reset(unit: Unit, token: str, hashed: str, revoke_keys: bool) -> None:
    proof = proofs.redeem(unit, token, proofs.RESET)
    user = unit.session.get_one(AuthUser, proof.user_id, with_for_update=True)
    if user.email != proof.context["email"] or users.is_banned(user.banned, user.ban_expires):
        raise InvalidToken()
    if not user.email_verified:
        remove_unverified_access(unit, user)
        users.verify(unit, user)
    elif revoke_keys:
        _revoke_keys(unit, user)
    users.replace_password(unit, user, hashed)
    proofs.void(unit, user.id, proofs.RESET, proofs.VERIFY, proofs.CHANGE, proofs.CHALLENGE)
    devices.distrust_all(unit, user.id)
    end_sessions(unit, user.id)
    mails.send_account_mail(unit, user, "password-changed", mails.FORGOT)


def remove_unverified_access(unit: Unit, user: AuthUser) -> None:
    """Take away every way in that was there before the address was proved, and whoever was let into the personal
    organization: whoever did so may be somebody else."""
    remove_credentials_since(unit, user, user.created_at)
    _empty_home(unit, user)


def _empty_home(unit: Unit, user: AuthUser) -> None:
    home = personal_organization_of(unit.session, user.id)
    # These first: whoever accepts one at this moment is among the members then.
    cancel_invitations(unit, AuthInvitation.organization_id == home, actor=user)
    others = (AuthMember.organization_id == home, AuthMember.user_id != user.id)
    for member_id in unit.session.scalars(select(AuthMember.id).where(*others).with_for_update()).all():
        unit.delete(AuthMember, member_id)


def remove_password(unit: Unit, user: AuthUser) -> None:
    """Let nobody in by the password of an account, or on a device that it trusts, until a new one is chosen."""
    unit.bookkeep(delete(AuthAccount).where(AuthAccount.user_id == user.id, AuthAccount.provider_id == "credential"))
    devices.distrust_all(unit, user.id)


def remove_credentials_since(unit: Unit, user: AuthUser, moment: datetime) -> None:
    """Take away the ways in that were added since ``moment``, keys among them."""
    for model in (AuthAccount, AuthTwoFactor, AuthPasskey):
        later = (model.user_id == user.id, model.created_at >= moment)
        for row in unit.session.scalars(select(model).where(*later)).all():
            audit.record_write(unit, "delete", row, actor=user)
            user.two_factor_enabled = user.two_factor_enabled and model is not AuthTwoFactor
        unit.bookkeep(delete(model).where(*later))
    _revoke_keys(unit, user, since=moment)


def change(principal: Principal, current: str | None, new: str, *, elsewhere: bool) -> str:
    """Change the caller's password, end the other sessions where ``elsewhere`` says so, and return a fresh bearer of
    this one. An account without a password gets its first one after recent authentication.

    Raises InvalidEmailOrPassword, ReauthenticationRequired and PasswordRefused.
    """
    user, stored = check_password_if_any(principal, current)
    try:
        passwords.check(new, about=users.words_about(user))
    except PasswordRefused as refused:
        raise refused.on("newPassword") from None
    return run_unit(principal, _change, passwords.hash_password(new), stored, elsewhere)


def _change(unit: Unit, hashed: str, stored: str | None, elsewhere: bool) -> str:
    user = sessions.own_user(unit)
    if passwords.stored_hash_of(unit.session, user.id) != stored:
        raise Conflict("The password was changed meanwhile")
    users.replace_password(unit, user, hashed)
    proofs.void(unit, user.id, proofs.RESET, proofs.CHALLENGE)
    if elsewhere:
        sessions.sign_out_elsewhere(unit)
        devices.distrust_all(unit, user.id)
    mails.send_account_mail(unit, user, "password-changed", mails.FORGOT)
    token, _ = sessions.renew_token(unit)
    return token


def _revoke_keys(unit: Unit, user: AuthUser, *, since: datetime | None = None) -> None:
    made = AuthApiKey.created_at >= (since or user.created_at)
    live = (AuthApiKey.user_id == user.id, AuthApiKey.revoked_at.is_(None), made)
    for key in unit.session.scalars(select(AuthApiKey).where(*live)).all():
        key.revoked_at = now()
        audit.note(unit, "auth.api_key.revoke", key, actor=user)
