"""App tokens of Microsoft (OAuth 2.0 client credentials), one for each tenant and scope."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from threading import Lock

import requests
from flask import current_app

from app.foundation.errors import NotConfigured, UpstreamFailure
from app.foundation.settings import settings
from app.teams.errors import TeamsCredentialsRefused
from app.teams.reading import json_of

BOT = "https://api.botframework.com/.default"
GRAPH = "https://graph.microsoft.com/.default"
# Old bots of many tenants get their tokens here.
MULTI_TENANT = "botframework.com"
# A token is used until five minutes before its end.
MARGIN = 300
TIMEOUT = (3, 10)
# How long Microsoft's sign-in is left alone after it could not be reached, in seconds.
PAUSE = 5.0


@dataclass
class Token:
    """A token, kept by the process."""

    value: str = ""
    ends: float = 0.0
    pauses_until: float = 0.0
    asking: Lock = field(default_factory=Lock)


def _kept(tenant: str, scope: str) -> Token:
    tokens: dict[tuple[str, str], Token] = current_app.extensions.setdefault("teams_app_tokens", defaultdict(Token))
    return tokens[tenant, scope]


def bot_token() -> str:
    """The token for the Bot Connector; raises what ``app_token`` does."""
    return app_token(_bots_tenant(), BOT)


def forget_bot_token() -> None:
    """Have the next token for the Bot Connector be a new one."""
    forget(_bots_tenant(), BOT)


def _bots_tenant() -> str:
    return settings.teams_tenant_id or MULTI_TENANT


def credentials() -> tuple[str, str]:
    """Id and secret of the app; raises NotConfigured."""
    if not settings.teams_app_id or not settings.teams_app_secret:
        raise NotConfigured("The bot is not set up")
    return settings.teams_app_id, settings.teams_app_secret


def app_token(tenant: str, scope: str) -> str:
    """The token for ``scope`` in a tenant; raises TeamsCredentialsRefused, NotConfigured where no app is set up, and
    UpstreamFailure when Microsoft's sign-in cannot be reached."""
    credentials()
    token = _kept(tenant, scope)
    with token.asking:
        if time.monotonic() < token.pauses_until:
            raise UpstreamFailure("Microsoft's sign-in cannot be reached")
        if not token.value or time.monotonic() > token.ends:
            try:
                token.value, token.ends = _asked_for(tenant, scope)
            except UpstreamFailure:
                # Whoever waits behind this one would wait as long, one after another.
                token.pauses_until = time.monotonic() + PAUSE
                raise
        return token.value


def forget(tenant: str, scope: str) -> None:
    """Have the next token be a new one."""
    _kept(tenant, scope).value = ""


def _asked_for(tenant: str, scope: str) -> tuple[str, float]:
    app_id, secret = credentials()
    form = {"grant_type": "client_credentials", "client_id": app_id, "client_secret": secret, "scope": scope}
    url = f"{settings.microsoft_authority}/{tenant}/oauth2/v2.0/token"
    try:
        answer = requests.post(url, data=form, timeout=TIMEOUT, allow_redirects=False)
    except requests.RequestException:
        raise UpstreamFailure("Microsoft's sign-in cannot be reached") from None
    if answer.status_code in (400, 401):
        raise TeamsCredentialsRefused()
    found = json_of(answer)
    if answer.status_code != 200 or not isinstance(found.get("access_token"), str):
        raise UpstreamFailure("Microsoft's sign-in gave no token")
    lives = found.get("expires_in")
    ends = time.monotonic() + (lives if isinstance(lives, int | float) else 3600) - MARGIN
    return found["access_token"], ends
