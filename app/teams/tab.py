"""Single sign-on of the tab: a token from Teams opens a session."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import update

from app.auth.credentials import credentials
from app.auth.credentials.authentication import BearerScheme, tab_schemes
from app.auth.credentials.sessions import SignedIn
from app.auth.models.identity import AuthSession
from app.auth.sign_in.oauth import linking
from app.auth.sign_in.oauth.providers import Identity, ProviderSignInFailed
from app.auth.sign_in.two_factor.challenges import Challenged
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.crypto import vault
from app.foundation.errors import Forbidden, Unauthenticated, Unavailable, UniqueViolation
from app.foundation.settings import settings
from app.teams.activities import record
from app.teams.errors import TabContextUnavailable, TeamsAuthenticationFailed
from app.teams.people import issuer_of
from app.teams.senders import audiences, tenants_key
from app.teams.tokens import KeysAway, TokenRefused, bearer_of, peek, proved

SCOPE = "access_as_user"
# Teams on the desktop and on phones, and Teams in a browser.
CLIENTS = ("1fec8e78-bce4-4aaf-ab1b-5451cc387264", "5e3ce6c0-2b1f-4285-8d4b-75ee78787346")
METHOD = "teams_sso"

log = logging.getLogger(__name__)


def sign_in(header: str) -> SignedIn | Challenged:
    """Let in whoever the tab token in an Authorization header stands for, by tenant and object id.

    Raises TeamsAuthenticationFailed, TabContextUnavailable when it stands for nobody, Forbidden when the account may
    not be used or linked, and Unavailable.
    """
    claims = _claims(header)
    address = claims.get("preferred_username") or claims.get("upn") or claims.get("unique_name")
    name = claims.get("name")
    identity = Identity(
        "microsoft", issuer_of(claims["tid"]), claims["oid"],
        address if isinstance(address, str) else None, False, name if isinstance(name, str) else None,
    )  # fmt: skip
    try:
        opened = linking.sign_in(identity, None, method=METHOD)
    except ProviderSignInFailed as refused:
        raise Forbidden(f"The account cannot be used here: {refused.code}") from None
    if isinstance(opened, Challenged):
        return opened
    metadata = {"source": "teams", "tenantId": claims["tid"], "sessionId": str(opened.session.id)}
    run_unit(SYSTEM, record, opened.user.id, "SSO_LOGIN", metadata)
    return opened


def is_token(token: str) -> bool:
    """Whether a bearer token has the form of those that Teams gives, and not of the service's own."""
    return token.count(".") == 2


def authenticate(header: str) -> Principal:
    """The caller whom the tab token in an Authorization header stands for: the session that the token opened when it
    came for the first time. Raises what ``sign_in`` does, and TeamsAuthenticationFailed for an account whose second
    factor is not given yet."""
    _claims(header)
    digest = vault().digest(bearer_of(header))
    with suppress(Unauthenticated):
        return credentials.session_principal(digest)
    opened = sign_in(header)
    if isinstance(opened, Challenged):
        raise TeamsAuthenticationFailed()
    own = update(AuthSession).where(AuthSession.id == opened.session.id)
    with suppress(UniqueViolation):  # two requests of one page may come at once
        run_unit(SYSTEM, Unit.bookkeep, own.values(token_hash=digest))
    return credentials.session_principal(digest)


tab_schemes.append(BearerScheme(is_token, authenticate))


def _claims(header: str) -> Mapping[str, Any]:
    try:
        return checked(bearer_of(header))
    except KeysAway:
        raise Unavailable() from None
    except TokenRefused as refused:
        log.warning("A tab token was refused: %s", refused)
        raise TeamsAuthenticationFailed() from None


def checked(token: str) -> Mapping[str, Any]:
    """The claims of a tab token; raises TokenRefused, and TabContextUnavailable for a good one that names nobody."""
    if not settings.teams_app_id:
        raise TokenRefused("no app is set up")
    header, claimed = peek(token)
    tenant = _guid(claimed.get("tid"))
    allowed = [each.lower() for each in _listed(settings.teams_tenants)]
    if allowed and tenant not in allowed:
        raise TokenRefused("tenant")
    claims = proved(token, tenants_key(header["kid"], claimed, tenant), _audiences())
    if SCOPE not in str(claims.get("scp", "")).split():
        raise TokenRefused("scope")
    if claims.get("azp", claims.get("appid")) not in (*CLIENTS, *_listed(settings.teams_tab_clients)):
        raise TokenRefused("client")
    if claims.get("oid") is None:
        raise TabContextUnavailable()
    _guid(claims["oid"])
    return claims


def _audiences() -> tuple[str, ...]:
    """The ways in which a token may name the tab: those of the app, and with the host, as the manifest has them."""
    app_id, host = settings.teams_app_id, urlsplit(settings.public_url).netloc
    own = (f"api://{host}/{app_id}", f"api://{host}/botid-{app_id}", settings.teams_app_id_uri)
    return (*audiences(app_id), *filter(None, own))


def _guid(value: Any) -> str:
    try:
        return str(UUID(value))
    except (ValueError, TypeError, AttributeError):
        raise TokenRefused("no tenant or person") from None


def _listed(setting: str) -> list[str]:
    return [each.strip() for each in setting.split(",") if each.strip()]
