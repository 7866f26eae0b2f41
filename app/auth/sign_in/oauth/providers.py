"""The providers: how each is set up at Authlib, and how it tells who somebody is.

Issuer, audience, keys and addresses come from the settings and the provider's discovery document at a configured
address, never from a token or a request.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.flask_client import FlaskOAuth2App, OAuth
from flask import Flask, current_app
from joserfc.errors import JoseError
from requests import RequestException

from app.auth.errors import ProviderNotFound
from app.foundation.errors import require_found
from app.foundation.settings import settings
from config import SettingError, Settings

log = logging.getLogger(__name__)

NAMES = ("github", "google", "microsoft")
# The tenant of personal Microsoft accounts.
CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad"
LEEWAY = 60
ALGORITHM = "RS256"
MAX_SUBJECT_LENGTH = 255

Claims = Mapping[str, Any]


class ProviderSignInFailed(Exception):
    """A sign-in that ends; ``code`` is what the browser is sent back with."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Identity:
    """Somebody, as a provider knows them: ``subject`` is lasting and unique within ``issuer``; the address is proof of
    nothing unless ``email_verified``."""

    provider: str
    issuer: str
    subject: str
    email: str | None
    email_verified: bool
    name: str | None = None
    image: str | None = None
    token: Claims = field(default_factory=dict)


def init_app(app: Flask, settings: Settings) -> None:
    """Register the providers that are set up."""
    oauth = OAuth(app)
    for name, options in _registrations(settings).items():
        client_id = getattr(settings, f"{name}_client_id")
        secret = getattr(settings, f"{name}_client_secret")
        if client_id and secret:
            kwargs = {"code_challenge_method": "S256", "default_timeout": settings.oauth_timeout}
            options["client_kwargs"] = kwargs | options["client_kwargs"]
            if settings.production and not settings.base_url:
                raise SettingError("BASE_URL is required where people sign in through providers in production")
            oauth.register(name, client_id=client_id, client_secret=secret, **options)
    app.extensions["oauth"] = oauth


def configured() -> list[str]:
    """The names of the providers that are set up."""
    oauth = current_app.extensions["oauth"]
    return [name for name in NAMES if oauth.create_client(name) is not None]


def client(name: str) -> FlaskOAuth2App:
    """The client of a provider; raises ProviderNotFound for one that is unknown or not set up."""
    found = current_app.extensions["oauth"].create_client(name) if name in NAMES else None
    return require_found(found, ProviderNotFound)


def identity(name: str, provider: FlaskOAuth2App) -> Identity:
    """Redeem the code in the running request and tell who it stands for; raises ProviderSignInFailed."""
    return IDENTITIES[name](provider)


@contextmanager
def asked(name: str) -> Iterator[None]:
    """Ask a provider through the library; raises ProviderSignInFailed when it cannot be reached, refuses, or
    answers rubbish, which the library takes for granted that it does not. Our own code is not to be called in here."""
    try:
        yield
    except RequestException as error:
        log.warning("%s cannot be reached: %s", name, type(error).__name__)
        raise ProviderSignInFailed("provider_unreachable") from error
    except (AuthlibBaseError, JoseError) as error:
        log.warning("%s refuses a sign-in: %s", name, type(error).__name__)
        raise ProviderSignInFailed("sign_in_failed") from error
    except (ValueError, LookupError, TypeError, AttributeError, RuntimeError) as error:
        log.warning("%s answers what is not understood", name, exc_info=error)
        raise ProviderSignInFailed("sign_in_failed") from error


def _registrations(settings: Settings) -> dict[str, dict[str, Any]]:
    """What the library has to know of each provider."""
    tenant = f"{settings.microsoft_authority}/{settings.microsoft_tenant}/v2.0"
    return {
        "github": {
            "authorize_url": f"{settings.github_url}/login/oauth/authorize",
            "access_token_url": f"{settings.github_url}/login/oauth/access_token",
            "api_base_url": f"{settings.github_api_url}/",
            "client_kwargs": {"scope": "read:user user:email"},
        },
        "google": {
            "server_metadata_url": f"{settings.google_issuer}/.well-known/openid-configuration",
            "client_kwargs": {"scope": "openid email profile"},
        },
        "microsoft": {
            "server_metadata_url": f"{tenant}/.well-known/openid-configuration",
            "client_kwargs": {"scope": "openid profile email"},
        },
    }


def _of_github(provider: FlaskOAuth2App) -> Identity:
    with asked("github"):
        token = provider.authorize_access_token()
        user, addresses = _answer(provider.get("user", token=token)), _answer(provider.get("user/emails", token=token))
    if not isinstance(user, dict) or not isinstance(user.get("id"), int) or not isinstance(addresses, list):
        raise ProviderSignInFailed("identity_incomplete")
    # The address in the profile is what its owner likes to show; only this list says what is verified.
    primary = [
        each.get("email")
        for each in addresses
        if isinstance(each, dict) and each.get("primary") is True and each.get("verified") is True
    ]
    if not primary:
        raise ProviderSignInFailed("email_not_verified")
    name = _text(user.get("name")) or _text(user.get("login"))
    image = _text(user.get("avatar_url"))
    return Identity("github", settings.github_url, str(user["id"]), _text(primary[0]), True, name, image, token)


def _of_google(provider: FlaskOAuth2App) -> Identity:
    issuer = settings.google_issuer
    # Older tokens leave the scheme out.
    token, claims = _claims(provider, {"essential": True, "values": [issuer, issuer.removeprefix("https://")]})
    if claims.get("email_verified") is not True or not claims.get("email"):
        raise ProviderSignInFailed("email_not_verified")
    return _of_claims("google", issuer, claims.get("sub"), claims, token, verified=True)


def _of_microsoft(provider: FlaskOAuth2App) -> Identity:
    token, claims = _claims(provider, {"essential": True, "validate": _is_tenants_issuer})
    tenant, person = claims.get("tid"), claims.get("oid")
    issuer = f"{settings.microsoft_authority}/{tenant}/v2.0"
    if not tenant:
        raise ProviderSignInFailed("identity_incomplete")
    return _of_claims("microsoft", issuer, person, claims, token, verified=_has_proved_address(claims))


def _is_tenants_issuer(claims: Claims, issuer: Any) -> bool:
    """With several tenants the discovery document names no issuer: it follows from the tenant, which has to be of the
    kind that is let in."""
    tenant, wanted = claims.get("tid"), settings.microsoft_tenant
    admitted = {
        "common": True,
        "organizations": tenant != CONSUMERS,
        "consumers": tenant == CONSUMERS,
    }.get(wanted, tenant == wanted)
    return bool(tenant) and admitted and issuer == f"{settings.microsoft_authority}/{tenant}/v2.0"


def _has_proved_address(claims: Claims) -> bool:
    """Any tenant's admin can write any address into a profile, so ``email`` alone says nothing."""
    email = str(claims.get("email") or "").lower()
    proved = [*_listed(claims, "verified_primary_email"), *_listed(claims, "verified_secondary_email")]
    return bool(email) and (
        claims.get("xms_edov") in (True, 1, "1", "true")
        or email in (address.lower() for address in proved)
        or claims.get("tid") == CONSUMERS
    )


def _listed(claims: Claims, name: str) -> list[str]:
    value = claims.get(name) or []
    return [value] if isinstance(value, str) else [each for each in value if isinstance(each, str)]


def _claims(provider: FlaskOAuth2App, issuer: Claims) -> tuple[Claims, Claims]:
    options = {
        "iss": issuer,
        "aud": {"essential": True, "value": provider.client_id},
        "exp": {"essential": True},
        "nonce": {"essential": True},
    }
    with asked(provider.name):
        # Whatever the discovery document lists: Google and Microsoft document this one, and none is no signature.
        provider.load_server_metadata()["id_token_signing_alg_values_supported"] = [ALGORITHM]
        token = provider.authorize_access_token(claims_options=options, leeway=LEEWAY)
    if "userinfo" not in token:
        raise ProviderSignInFailed("identity_incomplete")
    return token, token["userinfo"]


def _of_claims(provider: str, issuer: str, subject: Any, claims: Claims, token: Claims, *, verified: bool) -> Identity:
    known = _text(subject, MAX_SUBJECT_LENGTH)
    if not known:
        raise ProviderSignInFailed("identity_incomplete")
    email, name, image = (_text(claims.get(each)) for each in ("email", "name", "picture"))
    return Identity(provider, issuer, known, email, verified, name, image, token)


def _text(value: Any, most: int = 2048) -> str | None:
    """A claim that should be text, when it is: providers may send anything."""
    return value if isinstance(value, str) and len(value) <= most and "\x00" not in value else None


def _answer(response: Any) -> Any:
    response.raise_for_status()
    return response.json()


IDENTITIES: dict[str, Callable[[FlaskOAuth2App], Identity]] = {
    "github": _of_github,
    "google": _of_google,
    "microsoft": _of_microsoft,
}
