"""Authentication of webhook senders: the Bot Framework and Microsoft Graph."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from app.foundation.errors import Unavailable
from app.foundation.settings import settings
from app.teams.errors import TeamsAuthenticationFailed
from app.teams.tokens import KeysAway, TokenRefused, bearer_of, key_set, peek, proved

# The tenants of Microsoft whose tokens the emulator makes.
EMULATOR_TENANTS = ("d6d49420-f39b-4df7-a1dc-d59a935871db", "f8cdef31-a31e-4b4a-93e4-5f571e91255a")
CHANNEL = "msteams"
STS = "https://sts.windows.net"

log = logging.getLogger(__name__)


def check_bot(activity: Mapping[str, Any], header: str) -> None:
    """Prove that the Bot Framework sent ``activity`` (Bot Connector authentication 3.1); raises
    TeamsAuthenticationFailed with the same words whatever it was that failed, and Unavailable without any keys."""
    try:
        _check_bot(activity, header)
    except KeysAway:
        raise Unavailable() from None
    except TokenRefused as refused:
        log.warning("A bot activity was refused: %s", refused)
        raise TeamsAuthenticationFailed() from None


def _check_bot(activity: Mapping[str, Any], header: str) -> None:
    if not settings.teams_app_id:
        raise TokenRefused("no app is set up")
    token = bearer_of(header)
    key_header, claimed = peek(token)
    if claimed.get("iss") == settings.teams_bot_issuer:
        _check_connector(token, key_header["kid"], activity)
    elif settings.teams_emulator and str(claimed.get("iss")) in _emulator_issuers():
        _check_emulator(token, key_header["kid"])
    else:
        raise TokenRefused("issuer")


def audiences(app_id: str) -> tuple[str, ...]:
    """The ways in which a token may name the app."""
    return (app_id, f"api://{app_id}", f"api://botid-{app_id}")


def _check_connector(token: str, kid: str, activity: Mapping[str, Any]) -> None:
    key = key_set(settings.teams_bot_metadata_url).find(kid)
    claims = proved(token, key, audiences(settings.teams_app_id))
    if claims.get("iss") != settings.teams_bot_issuer:
        raise TokenRefused("issuer")
    # Other channels of a bot, such as Direct Line, let their clients say who they are.
    if activity.get("channelId") != CHANNEL or CHANNEL not in (key.get("endorsements") or ()):
        raise TokenRefused("endorsement")
    sent, signed = activity.get("serviceUrl"), claims.get("serviceurl", claims.get("serviceUrl"))
    if not isinstance(sent, str) or not isinstance(signed, str) or sent.rstrip("/") != signed.rstrip("/"):
        raise TokenRefused("service address")


def _check_emulator(token: str, kid: str) -> None:
    key = key_set(f"{settings.microsoft_authority}/common/discovery/v2.0/keys").find(kid)
    claims = proved(token, key, audiences(settings.teams_app_id))
    app = claims.get("appid") if claims.get("ver") == "1.0" else claims.get("azp")
    if claims.get("iss") not in _emulator_issuers() or app != settings.teams_app_id:
        raise TokenRefused("emulator")


def _emulator_issuers() -> set[str]:
    return {f"{STS}/{tenant}/" for tenant in EMULATOR_TENANTS} | {
        f"{settings.microsoft_authority}/{tenant}/v2.0" for tenant in EMULATOR_TENANTS
    }


def check_publisher(tokens: Sequence[Any], tenants: set[str]) -> None:
    """Prove that Graph published a batch of notifications with content: every token has to be good, and every tenant
    has to have one; raises TokenRefused."""
    covered = set()
    for token in tokens:
        if not isinstance(token, str):
            raise TokenRefused("no token")
        header, claimed = peek(token)
        tenant = claimed.get("tid")
        claims = proved(token, tenants_key(header["kid"], claimed, str(tenant)), (settings.teams_app_id,))
        if claims.get("appid", claims.get("azp")) != settings.teams_graph_publisher:
            raise TokenRefused("publisher")
        covered.add(tenant)
    if not tenants <= covered:
        raise TokenRefused("tenant")


def tenants_key(kid: str, claimed: Mapping[str, Any], tenant: str) -> dict[str, Any]:
    """The key of Entra for a token that names ``tenant`` as its issuer, in either version; raises TokenRefused."""
    login = settings.microsoft_authority
    paths = {
        f"{STS}/{tenant}/": "/common/discovery/keys", f"{login}/{tenant}/v2.0": "/common/discovery/v2.0/keys",
    }  # fmt: skip
    issuer = str(claimed.get("iss"))
    if issuer not in paths:
        raise TokenRefused("issuer")
    key = key_set(login + paths[issuer]).find(kid)
    # A key of the common set may belong to one tenant alone.
    bound = str(key.get("issuer", issuer)).replace("{tenantid}", tenant)
    if bound.rstrip("/") not in {each.rstrip("/") for each in paths}:
        raise TokenRefused("key of another tenant")
    return key


def is_same_secret(sent: Any, stored: str) -> bool:
    """Whether a subscription's secret was sent back, compared in constant time."""
    return isinstance(sent, str) and hmac.compare_digest(sent.encode(), stored.encode())
