"""The rows of credentials: one statement finds sessions or keys, each with its owner and live memberships; and owners
without a credential."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Text, Uuid, any_, bindparam, cast, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from app.auth.models.clients import AuthClientToken
from app.auth.models.identity import AuthSession, AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.organizations import memberships
from app.auth.sharing import recipients
from app.engine.read.encoding import Projection
from app.engine.read.statements import RecordStatement, autocommit_connection, compiled

Row = dict[str, Any]
MANY = any_(bindparam("wanted", type_=ARRAY(Uuid())))


def rows(statement: RecordStatement, wanted: Any, within: Session | None = None) -> list[Row]:
    """The rows that ``sessions_by`` or ``keys_by`` finds for the value, or values, that are wanted. What is looked up
    besides is looked up ``within`` a session of the database, or in one that is lent."""
    with autocommit_connection() as connection:
        found = statement.rows(connection, {"wanted": wanted})
    rows = []
    for values in found:
        row = dict(zip(statement.view.names, values, strict=True))
        held = memberships.effective(row["user_id"], row["memberships"], within)
        row["memberships"], row["narrowed"] = held.roles, held.narrowed
        row["organizations_requiring_second_factor"] = held.organizations_requiring_second_factor
        row["recipients"] = recipients.effective(row["recipients"], held.roles) if row["recipients"] else {}
        rows.append(row)
    return rows


@cache
def sessions_by(name: str, *, many: bool = False) -> RecordStatement:
    """The session whose column of this name has the wanted value; with ``many`` those with one of the values."""
    columns = [
        AuthSession.id, AuthSession.user_id, AuthSession.active_organization_id, AuthSession.created_at,
        AuthSession.expires_at, AuthSession.authenticated_at, AuthSession.last_seen_at, AuthSession.impersonated_by,
        AuthSession.sign_in_method,
        AuthUser.role, AuthUser.banned, AuthUser.ban_expires, AuthUser.email, AuthUser.email_verified,
    ]  # fmt: skip
    of_user = (memberships.of(AuthSession.user_id), recipients.of(AuthSession.user_id))
    source = select(*columns, *of_user).join(AuthUser, AuthUser.id == AuthSession.user_id)
    return _statement(source.where(_wanted(getattr(AuthSession, name), many=many)), columns)


@cache
def keys_by(name: str, *, many: bool = False) -> RecordStatement:
    """The key, or keys, likewise."""
    return _keys(_wanted(getattr(AuthApiKey, name), many=many))


@cache
def keys_by_access_token() -> RecordStatement:
    """The key of the connection that an access token leads to, by the digest of the token."""
    token = AuthClientToken
    held = (token.token_hash == bindparam("wanted"), token.kind == "access")
    ends = select(token.expires_at).where(*held).scalar_subquery()
    condition = AuthApiKey.id == select(token.key_id).where(*held).scalar_subquery()
    return _keys(condition, func.least(AuthApiKey.expires_at, ends).label("expires_at"))


def _keys(condition: ColumnElement[bool], ends: Any = AuthApiKey.expires_at) -> RecordStatement:
    columns = [
        AuthApiKey.id, AuthApiKey.user_id, AuthApiKey.organization_id, AuthApiKey.scopes, AuthApiKey.enabled,
        AuthApiKey.revoked_at, ends, AuthApiKey.grace_expires_at, AuthApiKey.last_used_at,
        AuthApiKey.ip_allow_list, AuthApiKey.rate_limit_enabled, AuthApiKey.rate_limit_max,
        AuthApiKey.rate_limit_time_window, cast(AuthApiKey.access, Text).label("access"),
        AuthUser.role, AuthUser.banned, AuthUser.ban_expires,
    ]  # fmt: skip
    of_owner = (memberships.of(AuthApiKey.user_id), recipients.of(AuthApiKey.user_id))
    source = select(*columns, *of_owner).outerjoin(AuthUser, AuthUser.id == AuthApiKey.user_id)
    return _statement(source.where(condition), columns)


@cache
def users() -> RecordStatement:
    """The users with the wanted ids."""
    columns = [AuthUser.id.label("user_id"), AuthUser.banned, AuthUser.ban_expires]
    source = select(*columns, memberships.of(AuthUser.id), recipients.of(AuthUser.id))
    return _statement(source.where(_wanted(AuthUser.id, many=True)), columns)


def _wanted(column: Any, *, many: bool) -> ColumnElement[bool]:
    return column == (MANY if many else bindparam("wanted"))


def _statement(statement: Any, columns: list[Any]) -> RecordStatement:
    return compiled(statement, Projection((*(column.key for column in columns), "memberships", "recipients"), (), ()))
