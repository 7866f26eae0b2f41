"""User accounts: creating, finding, promoting and banning them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.auth.accounts import mails, passwords, proofs
from app.auth.credentials.narrowing import narrowed
from app.auth.errors import LastSignInMethod
from app.auth.models.identity import AuthAccount, AuthPasskey, AuthUser
from app.auth.models.organizations import AuthInvitation
from app.auth.organizations import memberships, organizations
from app.auth.sharing import recipients
from app.auth.sign_in import devices
from app.engine.declare.principal import Credential, Principal, expand_scopes
from app.engine.read.database import reading
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit
from app.foundation.addresses import normalized
from app.foundation.clock import now
from app.foundation.errors import NotFound, Unauthenticated, require_found

LOCAL_ISSUER = "local"


def register(unit: Unit, *, email: str, password: str, name: str | None = None, admin: bool = False) -> AuthUser:
    """Make a user on the word of whoever runs the service: with a verified address, a password and a personal
    organization.

    Raises UniqueViolation for a known address and PasswordRefused for a password that is not accepted.
    """
    address = normalized(email)
    passwords.check(password, about=(address, address.partition("@")[0], name or ""))
    hashed = passwords.hash_password(password)
    return make_account(unit, email=address, name=name, password_hash=hashed, verified=True, admin=admin)


def make_account(
    unit: Unit, *, email: str, name: str | None = None, image: str | None = None, password_hash: str | None = None,
    verified: bool = False, admin: bool = False,
) -> AuthUser:  # fmt: skip
    """Make an account, with a personal organization and whatever every account gets; without a password its person
    chooses one by the link of "Forgot your password?". ``verified`` says that the address is known to be theirs.
    Raises UniqueViolation for the address of another account, and marshmallow's ValidationError for what is none."""
    address, role = normalized(email), "admin" if admin else "user"
    user = AuthUser(email=address, name=name or name_of(address), image=image, email_verified=verified, role=role)
    organizations.provision_user(unit, user)
    audit.record_write(unit, "create", user)
    if password_hash is not None:
        audit.record_write(unit, "create", add_password(unit, user, password_hash))
    return user


def add_password(unit: Unit, user: AuthUser, hashed: str) -> AuthAccount:
    """Let the user sign in with the password that ``hashed`` is made of."""
    account = AuthAccount(user_id=user.id, provider_id="credential", issuer=LOCAL_ISSUER, account_id=str(user.id))
    account.password = hashed
    unit.store(account)
    return account


def is_banned(banned: bool, until: datetime | None) -> bool:
    """Whether a ban stands now; one without an end stands until it is taken back."""
    return banned and (until is None or until > now())


def name_of(address: str) -> str:
    """What a user without a name is called: the part of the address before the at sign."""
    return address.partition("@")[0][:120]


def by_email(session: Session, email: str) -> AuthUser:
    """The user with this address; raises NotFound."""
    user = session.scalar(select(AuthUser).where(AuthUser.email == normalized(email)))
    return require_found(user, NotFound(f"No user has the address {email}"))


def promote(unit: Unit, user: AuthUser) -> None:
    """Make the user a platform admin, as of the next sign-in; keys that carry it act as one at once."""
    before, user.role = user.role, "admin"
    audit.record_write(unit, "update", user, {"role": before})
    organizations.end_sessions(unit, user.id)


def ban(unit: Unit, user: AuthUser, reason: str | None = None) -> None:
    """Refuse every credential of the user, as of the next request, and take the user's open invitations back."""
    before = {"banned": user.banned, "ban_reason": user.ban_reason}
    user.banned, user.ban_reason = True, reason
    audit.record_write(unit, "update", user, before)
    organizations.end_sessions(unit, user.id)
    organizations.cancel_invitations(unit, AuthInvitation.inviter_id == user.id)


def verify(unit: Unit, user: AuthUser, *, actor: AuthUser | None = None) -> None:
    """Take the address as proved to be the user's, by ``actor`` where the principal of the unit is nobody."""
    before, user.email_verified = user.email_verified, True
    audit.record_write(unit, "update", user, {"email_verified": before}, actor=actor)


def require_other_sign_in_method(unit: Unit, user_id: UUID) -> None:
    """Refuse to take the last way to sign in from a user, whom the caller holds; raises LastSignInMethod."""
    models = (AuthAccount, AuthPasskey)
    ways = (select(func.count()).select_from(model).where(model.user_id == user_id) for model in models)
    if sum(unit.session.scalar(each) or 0 for each in ways) == 1:
        raise LastSignInMethod()


def words_about(user: AuthUser) -> tuple[str, ...]:
    """What a guess at the password of a user would begin with."""
    return (user.email, name_of(user.email), user.name)


def set_password(unit: Unit, user: AuthUser, password: str) -> None:
    """Replace the password of the user, or give the first one, and end all sessions, sign-ins under way and trust in
    devices. Raises PasswordRefused."""
    passwords.check(password, about=words_about(user))
    use_password(unit, user, passwords.hash_password(password))


def use_password(unit: Unit, user: AuthUser, hashed: str) -> None:
    """Do so with the password that ``hashed`` is made of."""
    replace_password(unit, user, hashed)
    proofs.void(unit, user.id, proofs.RESET, proofs.CHALLENGE)
    devices.distrust_all(unit, user.id)
    organizations.end_sessions(unit, user.id)
    mails.send_account_mail(unit, user, "password-changed", mails.FORGOT)


def replace_password(unit: Unit, user: AuthUser, hashed: str) -> None:
    """Let the user sign in with the password that ``hashed`` is made of, and no other."""
    mine = (AuthAccount.user_id == user.id, AuthAccount.provider_id == "credential")
    account = unit.session.scalar(select(AuthAccount).where(*mine).with_for_update())
    if account is None:
        audit.record_write(unit, "create", add_password(unit, user, hashed))
    else:
        account.password = hashed
        audit.record_write(unit, "update", account)


def member_principal(session: Session, user_id: UUID | None, organization_id: UUID) -> Principal | None:
    """A user as the caller of work that goes on in an organization without a request; never as an admin. None for one
    who is gone, banned, or no member any more."""
    found = user_principal(session, user_id)
    if found is None or organization_id not in found.memberships:
        return None
    held = {organization_id: found.memberships[organization_id]}
    return replace(found.within(held, organization_id), is_admin=False)


def require_user_principal(user_id: UUID) -> Principal:
    """A user who proved to be one in another way than by a credential of the service, with all memberships; never as an
    admin. Raises Unauthenticated for one who is banned."""
    with reading() as session:
        return replace(require_found(user_principal(session, user_id), Unauthenticated), is_admin=False)


def user_principal(session: Session, user_id: UUID | None) -> Principal | None:
    """A user as the caller of work that was asked for earlier, with what the user may do by now; None for one who is
    gone or banned. It asks the database each time, whatever ``session`` has read before."""
    if user_id is None:
        return None
    columns = (
        AuthUser.role,
        AuthUser.banned,
        AuthUser.ban_expires,
        memberships.of(AuthUser.id),
        recipients.of(AuthUser.id),
    )
    row = session.execute(select(*columns).where(AuthUser.id == user_id)).one_or_none()
    if row is None or is_banned(row.banned, row.ban_expires):
        return None
    held = memberships.effective(user_id, row.memberships, session)
    is_admin = row.role == "admin"
    found = Principal(
        Credential.SESSION, user_id, expand_scopes(["write"]), user_id, None, is_admin, held.roles,
        recipients=recipients.effective(row.recipients, held.roles),
    )  # fmt: skip
    return narrowed(found, held.narrowed)
