"""Account linking: an identity at a provider signs in its user, is linked to one, or makes one."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

from marshmallow import ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.auth.accounts import identities, users
from app.auth.credentials.reauthentication import FRESH
from app.auth.credentials.sessions import SignedIn
from app.auth.models.identity import AuthAccount, AuthSession, AuthUser
from app.auth.organizations import organizations
from app.auth.sign_in.oauth.providers import Identity, ProviderSignInFailed
from app.auth.sign_in.sign_in import complete_sign_in, must_verify
from app.auth.sign_in.two_factor.challenges import Challenged
from app.engine.declare.principal import SYSTEM
from app.engine.write import audit
from app.engine.write.unit_of_work import TRIES, Unit, run_unit
from app.foundation import crypto
from app.foundation.addresses import normalized
from app.foundation.clock import now
from app.foundation.errors import UniqueViolation

MAX_TOKEN_LENGTHS = {"access_token": 8192, "refresh_token": 8192, "id_token": 16384}
MAX_NAME_LENGTH, MAX_IMAGE_LENGTH = 120, 2048
A_YEAR = 366 * 24 * 3600


def sign_in(identity: Identity, session_id: UUID | None, *, method: str = "oauth") -> SignedIn | Challenged:
    """Let in the user that ``identity`` stands for; raises ProviderSignInFailed.

    An identity that is known signs in its user, whatever its address is by now. One that is not is linked to the user
    whose session asked for it, or to the user with the same address when both sides have verified that, and makes a
    new user otherwise. An address that either side has not verified links nothing: whoever wrote it down first would
    get into the account of its owner.
    """
    for _ in range(TRIES):
        with suppress(UniqueViolation):  # the same person came through two tabs at once
            return run_unit(SYSTEM, _sign_in, identity, session_id, method)
    raise ProviderSignInFailed("sign_in_failed")


def _sign_in(unit: Unit, identity: Identity, session_id: UUID | None, method: str) -> SignedIn | Challenged:
    account = identities.find(unit, identity.issuer, identity.subject)
    asking = _asking(unit.session, session_id)
    link = identities.IdentityLink(identity.provider, identity.issuer, identity.subject)
    if account is not None:
        if asking is not None and asking.user_id != account.user_id:
            raise ProviderSignInFailed("account_linked_elsewhere")
        user = unit.session.get_one(AuthUser, account.user_id)
    else:
        found = _user_to_link(unit, identity, asking)
        user = found or _new_user(unit, identity)
        account = None if found else identities.add(unit, user, link)
    if users.is_banned(user.banned, user.ban_expires):
        raise ProviderSignInFailed("account_not_available")
    if must_verify(user):
        raise ProviderSignInFailed("account_not_verified")
    outcome = complete_sign_in(unit, user, method=method, link=None if account else link)
    # An identity that waits for a second factor brings its tokens when it comes again.
    account = account or identities.find(unit, identity.issuer, identity.subject)
    if account is not None and identity.token:
        _keep_tokens(account, identity)
    return outcome


def _asking(session: Session, session_id: UUID | None) -> AuthSession | None:
    """The session that began the sign-in; it has to live still."""
    if session_id is None:
        return None
    asking = session.get(AuthSession, session_id)
    if asking is None or asking.expires_at <= now():
        raise ProviderSignInFailed("session_ended")
    return asking


def _user_to_link(unit: Unit, identity: Identity, asking: AuthSession | None) -> AuthUser | None:
    """The user that an unknown identity is of; none where it makes a new one."""
    if asking is not None:
        if now() - asking.authenticated_at > FRESH:
            raise ProviderSignInFailed("reauthentication_required")
        own = unit.session.get_one(AuthUser, asking.user_id)
        if not own.email_verified:
            # Whoever merely wrote the address down would keep this way in when its holder comes.
            raise ProviderSignInFailed("account_not_verified")
        return own
    user = unit.session.scalar(select(AuthUser).where(AuthUser.email == _address(identity)).with_for_update())
    if user is not None and not (identity.email_verified and user.email_verified):
        raise ProviderSignInFailed("account_not_linked")
    return user


def _address(identity: Identity) -> str:
    try:
        return normalized(identity.email or "")
    except ValidationError:
        raise ProviderSignInFailed("email_missing") from None


def _new_user(unit: Unit, identity: Identity) -> AuthUser:
    address = _address(identity)
    name = "".join(filter(str.isprintable, identity.name or "")).strip()[:MAX_NAME_LENGTH] or users.name_of(address)
    user = AuthUser(email=address, name=name, image=_image(identity), email_verified=identity.email_verified)
    organizations.provision_user(unit, user)
    audit.record_write(unit, "create", user, actor=user)
    return user


def _image(identity: Identity) -> str | None:
    image = identity.image or ""
    return image if image.startswith("https://") and len(image) <= MAX_IMAGE_LENGTH and image.isprintable() else None


def _keep_tokens(account: AuthAccount, identity: Identity) -> None:
    """Keep the provider's tokens, encrypted; what is too long to keep is left out."""
    for name, longest in MAX_TOKEN_LENGTHS.items():
        value = identity.token.get(name)
        sealed = crypto.vault().encrypt(value) if isinstance(value, str) else None
        setattr(account, name, sealed if sealed is None or len(sealed) <= longest else None)
    ends, scope = identity.token.get("expires_at"), identity.token.get("scope")
    # What lasts longer than a year is as good as lasting for ever.
    fits = isinstance(ends, int | float) and 0 < ends < time.time() + A_YEAR
    account.access_token_expires_at = datetime.fromtimestamp(ends, UTC) if ends is not None and fits else None
    account.scope = scope[:2000].replace("\x00", "") if isinstance(scope, str) else None
