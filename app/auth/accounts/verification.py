"""Addresses: proving one, changing it, and taking a change back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from marshmallow import ValidationError
from sqlalchemy import select

from app.auth.accounts import addresses, mails, passwords, proofs, recovery, users
from app.auth.accounts.events import address_changed
from app.auth.accounts.mail_requests import address_of, ask_for_mail
from app.auth.credentials.reauthentication import require_correct_password, require_recent_authentication
from app.auth.errors import InvalidEmail, InvalidToken
from app.auth.models.identity import AuthUser
from app.auth.organizations.organizations import end_sessions
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.addresses import normalized
from app.mail import outbox

SEND_VERIFICATION, SEND_CHANGE = "send_verification", "send_change_of_address"
KIND_VERIFY, KIND_CHANGE = "verify-address", "change-address"


def send(unit: Unit, user: AuthUser) -> None:
    """Send the link by which a user proves the address; an earlier one ceases to work."""
    proofs.void(unit, user.id, proofs.VERIFY)
    proof, secret = proofs.issue(unit, proofs.VERIFY, user.id, email=user.email)
    mails.send_account_mail(unit, user, KIND_VERIFY, mails.secret_path("verify", secret), cause=proof.id)


def resend(email: str) -> None:
    """Send the link again to an address whose account is not verified; nobody learns whether there is one."""
    ask_for_mail(SEND_VERIFICATION, email)


def send_verification_link(_: UUID, *, sealed: str) -> None:
    """Do what ``resend`` was asked for, as a job."""
    run_unit(SYSTEM, _send_again, address_of(sealed))


def _send_again(unit: Unit, address: str) -> None:
    user = unit.session.scalar(select(AuthUser).where(AuthUser.email == address))
    if user is not None and not user.email_verified and outbox.may_send(unit, KIND_VERIFY, address):
        send(unit, user)


def verify(token: str, password: str | None, principal: Principal | None) -> AuthUser:
    """Take the address of a link as proved, or as the new one of its account. Whoever has the mail shows that the
    account is theirs as well, by its session or its password.

    Raises InvalidToken, InvalidEmailOrPassword, and UniqueViolation where the address went to somebody else.
    """
    proof, user, stored = run_unit(SYSTEM, _asked, token)
    if principal is None or principal.user_id != user.id:
        require_correct_password(user, stored, password or "")
    return run_unit(SYSTEM, _verify, token, proof.purpose)


def _asked(unit: Unit, token: str) -> tuple[proofs.Proof, AuthUser, str | None]:
    proof = proofs.peek(unit, token, proofs.VERIFY, proofs.CHANGE)
    user = unit.session.get_one(AuthUser, proof.user_id)
    if users.is_banned(user.banned, user.ban_expires):
        raise InvalidToken()
    return proof, user, passwords.stored_hash_of(unit.session, user.id)


def _verify(unit: Unit, token: str, purpose: str) -> AuthUser:
    proof = proofs.redeem(unit, token, purpose)
    user = unit.session.get_one(AuthUser, proof.user_id, with_for_update=True)
    if purpose == proofs.CHANGE:
        change_address(unit, user, proof.context["email"])
    elif user.email != proof.context["email"]:
        raise InvalidToken()
    elif not user.email_verified:
        users.verify(unit, user, actor=user)
    return user


def ask_to_change(principal: Principal, email: str) -> None:
    """Send a link to a new address of the caller; it is theirs once the link was used. Raises InvalidEmail and
    ReauthenticationRequired."""
    require_recent_authentication(principal)
    try:
        address = normalized(email)
    except ValidationError:
        raise InvalidEmail() from None
    ask_for_mail(SEND_CHANGE, address, user_id=principal.user_id)


def send_change(user_id: UUID, *, sealed: str) -> None:
    """Do what ``ask_to_change`` was asked for, as a job. An address that is somebody's gets no link."""
    run_unit(SYSTEM, _send_change, user_id, address_of(sealed))


def _send_change(unit: Unit, user_id: UUID, address: str) -> None:
    user = unit.session.get(AuthUser, user_id)
    if (
        user is None
        or user.email == address
        or addresses.is_taken(unit, address, user.id)
        or not outbox.may_send(unit, KIND_CHANGE, address)
    ):
        return
    proofs.void(unit, user.id, proofs.CHANGE)
    proof, secret = proofs.issue(unit, proofs.CHANGE, user.id, email=address)
    mails.send_account_mail(unit, user, KIND_CHANGE, mails.secret_path("verify", secret), to=address, cause=proof.id)


def change_address(unit: Unit, user: AuthUser, address: str, *, verified: bool = True) -> None:
    """Give an account another address, which is known to be its person's where it is ``verified``; the old one, if it
    was proved, gets a link that takes this back. Raises UniqueViolation where it is another account's."""
    address = normalized(address)
    if user.email == address and (user.email_verified or not verified):
        return
    addresses.claim(unit, address, user_id=user.id)
    before = {"email": user.email, "email_verified": user.email_verified}
    # An address that was never proved may be anybody's: nobody is told there, and it is free at once.
    if user.email_verified:
        _, secret = proofs.issue(unit, proofs.REVERT, user.id, subject=user.email, email=user.email)
        path = mails.secret_path("revert", secret)
        mails.send_account_mail(unit, user, "address-changed", path, to=user.email, address=address)
    former, user.email, user.email_verified = user.email, address, verified
    proofs.void(unit, user.id, proofs.VERIFY, proofs.RESET, proofs.CHANGE)
    audit.record_write(unit, "update", user, before, actor=user)
    address_changed.emit(unit, user, former)
    unit.session.flush()


def revert(token: str) -> None:
    """Give an account its old address back, with the ways in that it had then but for the password, which whoever
    changed the address may know; end its sessions, and send the address a link to choose a new one. Raises
    InvalidToken."""
    run_unit(SYSTEM, _revert, token)


def _revert(unit: Unit, token: str) -> None:
    proof = proofs.redeem(unit, token, proofs.REVERT)
    user = unit.session.get_one(AuthUser, proof.user_id, with_for_update=True)
    former = user.email
    before: dict[str, Any] = {"email": former}
    user.email, user.email_verified = proof.context["email"], True
    proofs.void(unit, user.id, proofs.CHANGE, proofs.RESET, proofs.CHALLENGE)
    # Whoever had the address before goes on to be able to take it back.
    proofs.void(unit, user.id, proofs.REVERT, since=proof.id)
    recovery.remove_credentials_since(unit, user, proof.created_at)
    recovery.remove_password(unit, user)
    end_sessions(unit, user.id)
    audit.record_write(unit, "update", user, before, actor=user)
    address_changed.emit(unit, user, former)
    unit.session.flush()
    reset, secret = proofs.issue(unit, proofs.RESET, user.id, email=user.email)
    mails.send_account_mail(unit, user, "reset-password", mails.secret_path("reset", secret), cause=reset.id)
