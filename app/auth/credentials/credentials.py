"""Credentials: the callers that sessions and keys make, and whether they are good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from uuid import UUID

from flask import request
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.auth.accounts.users import is_banned
from app.auth.credentials import lookup
from app.auth.credentials.narrowing import narrowed
from app.auth.keys import key_usage
from app.auth.models.identity import AuthSession, AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.sharing import recipients
from app.engine.declare.principal import SYSTEM, Credential, Principal, expand_scopes, recipients_within
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation import crypto, origin
from app.foundation.clock import now
from app.foundation.errors import NotFound, RateLimited, Unauthenticated
from app.runtime import rate_limits

IDLE, ABSOLUTE = timedelta(days=7), timedelta(days=30)
IMPERSONATION = "impersonation"
# What opens the API. Tokens of connected clients are for the MCP endpoint alone (RFC 8707).
OWN_KINDS = (crypto.KEY, crypto.ANONYMOUS_KEY, crypto.SESSION)
SEEN_EVERY = timedelta(minutes=1)


def principal_of(token: str, *, from_query: bool = False) -> Principal:
    """Return whom the token of a session, or a key, stands for, counted as a request; raises Unauthenticated and
    RateLimited. Only within a request."""
    kind = crypto.kind(token)
    if kind not in OWN_KINDS:
        raise Unauthenticated(invalid_token=True)
    digest = crypto.vault().digest(token)
    if kind == crypto.SESSION:
        end = crypto.end_of(token)
        if from_query or (end is not None and end <= now()):
            raise Unauthenticated(invalid_token=True)
        return session_principal(digest)
    return key_principal(digest, from_query=from_query)


def session_principal(digest: str, *, from_cookie: bool = False) -> Principal:
    """The principal of the session whose token, or cookie, has this digest; raises Unauthenticated."""
    return _of_row(lookup.rows(lookup.sessions_by("cookie_hash" if from_cookie else "token_hash"), digest))


def session_principal_by_id(identifier: UUID) -> Principal:
    """The principal of a session that was proved in another way; raises Unauthenticated."""
    return _of_row(lookup.rows(lookup.sessions_by("id"), identifier))


def _of_row(found: list[lookup.Row]) -> Principal:
    row = found[0] if found else None
    if row is None or _has_ended(row):
        raise Unauthenticated(invalid_token=True)
    # Not by ``impersonated_by``, which is empty once the account of the admin is gone.
    if row["sign_in_method"] == IMPERSONATION:
        return _impersonating(row)
    rate_limits.consume(rate_limits.default_limit(), f"user:{row['user_id']}")
    if _is_due(row["last_seen_at"]):
        slid = min(now() + IDLE, row["created_at"] + ABSOLUTE)
        _touch(AuthSession, row["id"], last_seen_at=now(), expires_at=max(slid, row["expires_at"]))
    if row["recipients"]:
        _claim(row)
    return _person(row)


def _has_ended(row: lookup.Row) -> bool:
    return is_banned(row["banned"], row["ban_expires"]) or row["expires_at"] <= now()


def _person(row: lookup.Row) -> Principal:
    is_admin = row["role"] == "admin"
    found = Principal(
        credential=Credential.SESSION,
        credential_id=row["id"],
        scopes=frozenset({"read", "write", "admin"} if is_admin else {"read", "write"}),
        user_id=row["user_id"],
        organization_id=_live(row["active_organization_id"], row["memberships"]),
        is_admin=is_admin,
        memberships=row["memberships"],
        organizations_requiring_second_factor=row["organizations_requiring_second_factor"],
        verified_email=row["email"] if row["email_verified"] else None,
        authenticated_at=row["authenticated_at"],
        recipients=row["recipients"],
    )
    return narrowed(found, row["narrowed"]) if row["narrowed"] else found


def _impersonating(row: lookup.Row) -> Principal:
    """An admin who sees what the user sees, as long as the admin is one: reads, and nothing of an admin's."""
    with reading() as session:
        admin = session.get(AuthUser, row["impersonated_by"]) if row["impersonated_by"] else None
    if admin is None or admin.role != "admin" or is_banned(admin.banned, admin.ban_expires):
        raise Unauthenticated(invalid_token=True)
    rate_limits.consume(rate_limits.default_limit(), f"user:{admin.id}")
    return replace(_person(row), scopes=frozenset({"read"}), is_admin=False, impersonator_id=admin.id)


def client_principal(token: str) -> Principal:
    """The principal of a connected client, by its access token: that of the key of its connection, counted and recorded
    as the key's requests are; raises Unauthenticated."""
    return replace(key_principal(crypto.vault().digest(token), from_query=False, by_token=True), is_client=True)


def key_principal(digest: str, *, from_query: bool, by_token: bool = False) -> Principal:
    """The principal of the key with this digest, or that a token with it leads to; never an admin from the query.
    Raises Unauthenticated."""
    found = lookup.rows(lookup.keys_by_access_token() if by_token else lookup.keys_by("key_hash"), digest)
    row = found[0] if found else None
    if row is None and by_token:
        # Tokens end all the time, with each that is made for them: no use of any key, and no guess of one.
        raise Unauthenticated(invalid_token=True)
    if row is None:
        # Guesses are refused, and leave no more rows, before long; a key that exists is never counted here.
        rate_limits.consume_for_network(rate_limits.by_setting("unknown-key"), request.remote_addr)
    outcome = _outcome(row, origin.address()) if row else "NOT_FOUND"
    key_usage.begin(row["id"] if row else None, outcome, from_query=from_query)
    if row is None or outcome != "VALID":
        raise Unauthenticated(invalid_token=True)
    try:
        rate_limits.consume_for_key(row)
    except RateLimited:
        key_usage.set_outcome("RATE_LIMITED")
        raise
    if _is_due(row["last_used_at"]):
        _touch(AuthApiKey, row["id"], last_used_at=now())
    if row["recipients"]:
        _claim(row)
    return _of_key(row, from_query=from_query)


def require_valid_key(identifier: UUID) -> None:
    """Refuse a key that would not be taken from here and now, as its owner is banned or it has ended; raises
    NotFound."""
    found = lookup.rows(lookup.keys_by("id"), identifier)
    if not found or _outcome(found[0], origin.address()) != "VALID":
        raise NotFound()


def key_principal_by_id(identifier: UUID) -> Principal:
    """The principal that a key makes when it is presented, from any address; raises NotFound for one that is
    revoked, disabled or expired."""
    found = lookup.rows(lookup.keys_by("id"), identifier)
    row = found[0] if found else None
    if row is None or _outcome(row, None) in ("REVOKED", "DISABLED", "EXPIRED"):
        raise NotFound()
    return _of_key(row, from_query=False)


def _of_key(row: lookup.Row, *, from_query: bool) -> Principal:
    scopes = expand_scopes(row["scopes"])
    if row["user_id"] is None:
        found = Principal(Credential.ANONYMOUS_KEY, row["id"], frozenset({"read"}), from_query=from_query)
        return narrowed(found, {}, row["access"])
    found = Principal(
        credential=Credential.KEY,
        credential_id=row["id"],
        scopes=scopes,
        user_id=row["user_id"],
        is_admin="admin" in scopes and row["role"] == "admin" and not from_query,
        from_query=from_query,
        **_acting_in(row),
    )
    return narrowed(found, row["narrowed"], row["access"])


def reload_principal(principal: Principal, session: Session | None = None) -> Principal:
    """The caller who was admitted, as the database knows them by now; raises Unauthenticated where it knows them no
    more. Within a unit of work it is looked up with its ``session``."""
    if principal.credential is Credential.SYSTEM or principal.impersonator_id is not None:
        return principal  # an impersonation, too: it reads and writes nothing that lasts
    is_session = principal.credential is Credential.SESSION
    statement = (lookup.sessions_by if is_session else lookup.keys_by)("id")
    found = lookup.rows(statement, principal.credential_id, session)
    return _reloaded(principal, found[0] if found else None, None if is_session else origin.address())


def reload_principals(held: Sequence[tuple[Principal, str | None]]) -> list[Principal | None]:
    """The same for many, each with the address where they hold their credential: None for those who are known no
    more."""
    sessions = {each.credential_id for each, _ in held if each.credential is Credential.SESSION}
    keys = {each.credential_id for each, _ in held} - sessions
    found = lookup.rows(lookup.sessions_by("id", many=True), list(sessions)) if sessions else []
    found += lookup.rows(lookup.keys_by("id", many=True), list(keys)) if keys else []
    by_id = {row["id"]: row for row in found}
    return [_reloaded_or_none(each, by_id.get(each.credential_id), address) for each, address in held]


def _reloaded_or_none(principal: Principal, row: lookup.Row | None, address: str | None) -> Principal | None:
    try:
        return _reloaded(principal, row, address)
    except Unauthenticated:
        return None


def _reloaded(principal: Principal, row: lookup.Row | None, address: str | None) -> Principal:
    """The caller as a ``row`` has them; raises Unauthenticated."""
    is_session = principal.credential is Credential.SESSION
    if row is None or (_has_ended(row) if is_session else _outcome(row, address) != "VALID"):
        raise Unauthenticated(invalid_token=True)
    if is_session:
        return _person(row)
    if principal.user_id is None:
        return narrowed(principal, {}, row["access"])
    scopes = principal.scopes & expand_scopes(row["scopes"])
    is_admin = principal.is_admin and row["role"] == "admin" and "admin" in scopes
    found = replace(principal, scopes=scopes, is_admin=is_admin, **_acting_in(row))
    return narrowed(found, row["narrowed"], row["access"])


def _acting_in(row: lookup.Row) -> lookup.Row:
    """The organization that a key acts in, as long as its owner is a member, and what is shared with it there."""
    organization_id = row["organization_id"]
    held = {each: role for each, role in row["memberships"].items() if each == organization_id}
    shared = recipients_within(row["recipients"], held) if row["recipients"] else {}
    return {"memberships": held, "organization_id": organization_id if held else None, "recipients": shared}


def consume_further(principal: Principal, amount: int) -> None:
    """Count ``amount`` more requests of a caller who has been admitted; raises RateLimited."""
    if principal.credential is Credential.SESSION:
        rate_limits.consume(rate_limits.default_limit(), f"user:{principal.user_id}", amount=amount)
        return
    with reading() as session:
        key = session.get(AuthApiKey, principal.credential_id)
    if key is None:
        raise Unauthenticated(invalid_token=True)
    limits = ("id", "rate_limit_enabled", "rate_limit_max", "rate_limit_time_window")
    rate_limits.consume_for_key({name: getattr(key, name) for name in limits}, amount=amount)


def _outcome(row: lookup.Row, address: str | None) -> str:
    """What the check of a key comes to, in the order in which it is asked."""
    ends = [moment for moment in (row["expires_at"], row["grace_expires_at"]) if moment is not None]
    if row["revoked_at"] is not None:
        return "REVOKED"
    if not row["enabled"]:
        return "DISABLED"
    if min(ends) <= now():
        return "EXPIRED"
    return "VALID" if _has_living_owner(row) and admits(row["ip_allow_list"], address) else "FORBIDDEN"


def _has_living_owner(row: lookup.Row) -> bool:
    if row["user_id"] is None:
        return True
    left = row["organization_id"] is not None and row["organization_id"] not in row["memberships"]
    return not is_banned(row["banned"], row["ban_expires"]) and not left


def admits(allowed: list[str], address: str | None) -> bool:
    """Whether a key that is kept to some addresses may be used from this one."""
    if not allowed:
        return True
    return address is not None and any(ip_address(address) in ip_network(block, strict=False) for block in allowed)


def _live(organization_id: UUID | None, memberships: dict[UUID, str]) -> UUID | None:
    """The active organization, as long as its user is a member."""
    return organization_id if organization_id in memberships else None


def _is_due(last: datetime | None) -> bool:
    return last is None or now() - last >= SEEN_EVERY


def _touch(model: type[AuthSession | AuthApiKey], identifier: UUID, **values: datetime) -> None:
    """Note the use of a credential, once a minute at most. It is bookkeeping, which does not touch updatedAt."""
    # Of requests at the same time one notes it; the others need not wait for that.
    free = select(model.id).where(model.id == identifier).with_for_update(skip_locked=True).scalar_subquery()
    statement = update(model).where(model.id == free).values(**values)
    run_unit(SYSTEM, Unit.bookkeep, statement)


def _claim(row: lookup.Row) -> None:
    """Turn shares with the address of the user into shares with the user, whose credential is good."""
    address = recipients.address_in(row["recipients"])
    if address is not None:
        run_unit(SYSTEM, recipients.claim, address, row["user_id"])
        del row["recipients"][address]
        row["recipients"][str(row["user_id"])] = None
