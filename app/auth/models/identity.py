"""Models of identity: users, sessions, accounts, verifications, two-factor and passkeys."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    ADMIN_READS,
    ADMIN_WRITES,
    DERIVED,
    DIGEST,
    ENCRYPTED,
    FILTERABLE,
    GENERATED,
    HIDDEN,
    IMMUTABLE,
    NOW,
    READ_ONLY,
    SORTABLE,
    FromNow,
    boolean,
    enum,
    integer,
    long_text,
    open_enum,
    reference,
    string,
    strings,
    timestamp,
)
from app.engine.declare.indexes import index, unique
from app.engine.declare.kinds import SAFE_MAX
from app.engine.declare.policy import Policy, SessionOnly
from app.engine.declare.record import Base, Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import Admin, Owner
from app.extension_points import OWN_PROVIDERS, SIGN_INS, Names


class AuthUser(Record):
    """A person with an account."""

    __tablename__ = "auth_user"
    domain, segment = "auth", "user"
    searchable = ("name",)
    audited = True
    cascades_widely = True
    # What colleagues do not see of each other, none of which the user writes; nor do they see when it was written.
    bookkeeping = (
        "email", "email_verified", "role", "banned", "ban_reason", "ban_expires", "two_factor_enabled", "last_login_at",
        "locale", "delete_after", "updated_at",
    )  # fmt: skip
    policy = Policy(Owner("id", co_members=("id", "name", "image")), create=Rule.ADMIN, session_only=SessionOnly.WRITES)
    operations_note = (
        "others register through the sign-up route; removal needs a fresh sign-in and is refused for the "
        "last admin and for the sole owner of a shared organization"
    )

    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=120)
    email: Mapped[str] = string(IMMUTABLE, FILTERABLE, SORTABLE, min=3, max=254, format="email", unique=True)
    email_verified: Mapped[bool] = boolean(READ_ONLY, FILTERABLE, default=False)
    image: Mapped[str | None] = string(max=2048, format="url")
    role: Mapped[str] = enum(
        "user", "admin", flags=(READ_ONLY, FILTERABLE, ADMIN_WRITES), default="user", note="nobody changes the own role"
    )
    banned: Mapped[bool] = boolean(
        READ_ONLY, FILTERABLE, ADMIN_WRITES, default=False, note="ends sessions and keys at the next request"
    )
    ban_reason: Mapped[str | None] = string(READ_ONLY, ADMIN_READS, ADMIN_WRITES, max=500)
    ban_expires: Mapped[datetime | None] = timestamp(READ_ONLY, ADMIN_WRITES)
    two_factor_enabled: Mapped[bool] = boolean(READ_ONLY, default=False)
    last_login_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    locale: Mapped[str | None] = string(HIDDEN, min=2, max=35, note="language of the last sign-in, for mails")
    delete_after: Mapped[datetime | None] = timestamp(HIDDEN, note="end of the grace in which a deletion is cancelled")


class AuthSession(Record):
    """A signed-in device."""

    __tablename__ = "auth_session"
    domain, segment = "auth", "session"
    logged = False
    audited = True
    bookkeeping = ("token_hash", "cookie_hash", "last_seen_at", "expires_at")
    policy = Policy(Owner("user_id"), create=Rule.NONE, update=Rule.NONE, session_only=SessionOnly.ALL)
    operations_note = "opened and renewed by the sign-in routes; deleting revokes"
    keys = (index("expires_at"),)

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=DERIVED)
    token_hash: Mapped[str] = string(
        HIDDEN, DIGEST, min=64, max=64, unique=True, default=GENERATED, note="of the bearer token"
    )
    cookie_hash: Mapped[str | None] = string(
        HIDDEN, DIGEST, min=64, max=64, unique=True, note="of the cookie secret, another one than the token"
    )
    expires_at: Mapped[datetime] = timestamp(
        READ_ONLY,
        SORTABLE,
        default=FromNow(timedelta(days=7)),
        note="slides forward with use, at most 30 days after createdAt",
    )
    authenticated_at: Mapped[datetime] = timestamp(
        READ_ONLY, default=NOW, note="last proof of a credential; sensitive acts want it recent"
    )
    ip_address: Mapped[str | None] = string(READ_ONLY, min=2, max=45)
    user_agent: Mapped[str | None] = string(READ_ONLY, max=512)
    sign_in_method: Mapped[str] = enum(
        "password", "oauth", "passkey", "teams_sso", "impersonation", flags=(READ_ONLY, FILTERABLE), default=DERIVED
    )
    active_organization_id: Mapped[UUID | None] = reference(
        "auth_organization", "set null", READ_ONLY, note="the personal organization at sign-in"
    )
    active_team_id: Mapped[UUID | None] = reference("auth_team", "set null", READ_ONLY)
    impersonated_by: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, relation="impersonator")
    last_seen_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE, note="written once a minute at most")


class AuthAccount(Record):
    """A way to sign in: the password, or an identity at an outside provider."""

    __tablename__ = "auth_account"
    domain, segment = "auth", "account"
    is_credential = True
    audited = True
    bookkeeping = (
        "issuer", "access_token", "refresh_token", "id_token", "access_token_expires_at", "refresh_token_expires_at",
        "password",
    )  # fmt: skip
    policy = Policy(Owner("user_id"), create=Rule.NONE, update=Rule.NONE, session_only=SessionOnly.ALL)
    operations_note = (
        "made by sign-up, OAuth or single sign-on; deleting unlinks, needs a fresh sign-in and is refused "
        "for the last one"
    )
    keys = (unique("issuer", "account_id"),)

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=DERIVED)
    provider_id: Mapped[str] = open_enum(Names(OWN_PROVIDERS, SIGN_INS), READ_ONLY, FILTERABLE, default=DERIVED)
    issuer: Mapped[str] = string(HIDDEN, min=1, max=255, default=DERIVED, note="namespace of accountId")
    account_id: Mapped[str] = string(READ_ONLY, FILTERABLE, min=1, max=255, default=DERIVED)
    access_token: Mapped[str | None] = long_text(HIDDEN, ENCRYPTED, max=8192)
    refresh_token: Mapped[str | None] = long_text(HIDDEN, ENCRYPTED, max=8192)
    id_token: Mapped[str | None] = long_text(HIDDEN, ENCRYPTED, max=16384)
    access_token_expires_at: Mapped[datetime | None] = timestamp(HIDDEN)
    refresh_token_expires_at: Mapped[datetime | None] = timestamp(HIDDEN)
    scope: Mapped[str | None] = string(READ_ONLY, max=2000)
    password: Mapped[str | None] = string(HIDDEN, DIGEST, max=255, note="only with providerId credential; argon2id")


class AuthVerification(Record):
    """A short-lived proof in progress: e-mail check, password reset, OAuth state, challenge, stream ticket."""

    __tablename__ = "auth_verification"
    domain, segment = "auth", "verification"
    logged = False
    audited = True
    bookkeeping = ("identifier", "value", "context", "attempts")
    policy = Policy(
        Admin(),
        create=Rule.NONE,
        update=Rule.NONE,
        delete=Rule.ADMIN,
        session_only=SessionOnly.ALL,
    )
    operations_note = "made and consumed by the sign-in flows"
    keys = (
        index("identifier"),
        index("value"),
        index("expires_at"),
    )

    purpose: Mapped[str] = enum(
        "email_verification",
        "password_reset",
        "oauth_state",
        "two_factor_challenge",
        "passkey_challenge",
        "stream_ticket",
        "change_email",
        "change_email_revert",
        flags=(READ_ONLY, FILTERABLE),
        default=DERIVED,
    )
    identifier: Mapped[str] = string(
        HIDDEN, DIGEST, min=64, max=64, default=DERIVED, note="digest of purpose and subject"
    )
    value: Mapped[str] = string(HIDDEN, DIGEST, min=64, max=64, default=GENERATED)
    user_id: Mapped[UUID | None] = reference("auth_user", "cascade", HIDDEN, note="whose proof it is")
    context: Mapped[str | None] = long_text(HIDDEN, ENCRYPTED, max=8192, note="what is proved, such as the address")
    attempts: Mapped[int] = integer(HIDDEN, min=0, max=100, default=0, note="wrong answers to a challenge")
    expires_at: Mapped[datetime] = timestamp(READ_ONLY, FILTERABLE, SORTABLE, default=FromNow(timedelta(hours=1)))


class AuthTwoFactor(Record):
    """Time-based one-time codes of a user."""

    __tablename__ = "auth_two_factor"
    domain, segment = "auth", "two-factor"
    is_credential = True
    audited = True
    bookkeeping = ("secret", "backup_codes", "last_used_step", "failed_verification_count", "locked_until")
    policy = Policy(
        Owner("user_id"), create=Rule.NONE, update=Rule.NONE, delete=Rule.NONE, session_only=SessionOnly.ALL
    )
    operations_note = "enrolment is a ceremony of its own, not a resource write"

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, unique=True, default=DERIVED)
    secret: Mapped[str] = long_text(HIDDEN, ENCRYPTED, min=16, max=512, default=GENERATED)
    backup_codes: Mapped[str] = long_text(HIDDEN, DIGEST, max=4096, default=GENERATED)
    verified: Mapped[bool] = boolean(READ_ONLY, FILTERABLE, default=False)
    last_used_step: Mapped[int | None] = integer(HIDDEN, min=0, max=SAFE_MAX, note="a code works once")
    failed_verification_count: Mapped[int] = integer(HIDDEN, min=0, max=1000, default=0)
    locked_until: Mapped[datetime | None] = timestamp(HIDDEN)


class AuthPasskey(Record):
    """A WebAuthn credential of a user."""

    __tablename__ = "auth_passkey"
    domain, segment = "auth", "passkey"
    is_credential = True
    audited = True
    bookkeeping = ("public_key", "credential_id", "counter", "last_used_at")
    policy = Policy(
        Owner("user_id"), create=Rule.NONE, update=Rule.NONE, delete=Rule.NONE, session_only=SessionOnly.ALL
    )
    operations_note = "registration is a ceremony of its own, not a resource write"

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=DERIVED)
    name: Mapped[str] = string(READ_ONLY, FILTERABLE, SORTABLE, min=1, max=100, default="Passkey")
    public_key: Mapped[str] = long_text(HIDDEN, min=1, max=4096, default=GENERATED)
    credential_id: Mapped[str] = string(HIDDEN, min=1, max=1400, unique=True, default=GENERATED, note="base64url")
    counter: Mapped[int] = integer(HIDDEN, min=0, max=4_294_967_295, default=0)
    device_type: Mapped[str] = enum("single_device", "multi_device", flags=(READ_ONLY, FILTERABLE), default=DERIVED)
    backed_up: Mapped[bool] = boolean(READ_ONLY, default=False)
    transports: Mapped[list[str]] = strings(
        READ_ONLY, items=("usb", "nfc", "ble", "internal", "hybrid", "smart-card"), default=[]
    )
    aaguid: Mapped[str | None] = string(READ_ONLY, min=36, max=36)
    last_used_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)


class AuthTrustedDevice(Base):
    """A device on which a second factor was given, and is not asked for again for a while."""

    __tablename__ = "auth_trusted_device"
    keys = (index("expires_at"),)

    user_id: Mapped[UUID] = reference("auth_user", "cascade")
    two_factor_id: Mapped[UUID] = reference("auth_two_factor", "cascade", note="another factor trusts no device yet")
    token_hash: Mapped[str] = string(DIGEST, min=64, max=64, unique=True, note="of the device's secret and the account")
    ip_address: Mapped[str | None] = string(min=2, max=45)
    user_agent: Mapped[str | None] = string(max=512)
    last_used_at: Mapped[datetime] = timestamp(default=NOW)
    expires_at: Mapped[datetime] = timestamp(default=FromNow(timedelta(days=30)))
