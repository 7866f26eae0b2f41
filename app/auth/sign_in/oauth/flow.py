"""One sign-in elsewhere, from the start route to the callback: bound to the browser, within ten minutes, once.

The browser keeps state, nonce and verifier in a signed cookie; a row in the database says that the state has not been
used yet. A callback needs both, so a stolen link is worth nothing in another browser, and nothing twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from flask import request, session
from sqlalchemy import delete, insert
from uuid_utils.compat import uuid7

from app.auth.models.identity import AuthVerification
from app.auth.sign_in.oauth import providers
from app.auth.sign_in.oauth.providers import Identity, ProviderSignInFailed
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation import crypto
from app.foundation.clock import now
from app.foundation.errors import UpstreamFailure, require_found
from app.foundation.settings import settings

PURPOSE = "oauth_state"
LIFETIME = timedelta(minutes=10)
# Sign-ins that one browser may have under way at the same time.
MAX_STATES = 2


@dataclass(frozen=True)
class ReturnTarget:
    """Where the browser goes in the end, and the session that asked for a further way to sign in, if one did."""

    callback_url: str
    error_callback_url: str
    session_id: UUID | None


def start(name: str, principal: Principal | None, callback_url: str, error_callback_url: str) -> str:
    """Begin a sign-in and return the provider's address to send the browser to.

    Raises ProviderNotFound, and UpstreamFailure when the provider cannot be reached.
    """
    client = providers.client(name)
    redirect_uri = f"{settings.public_url}/api/auth/oauth/{name}/callback"
    try:
        with providers.asked(name):
            made = client.create_authorization_url(redirect_uri)
    except ProviderSignInFailed as refusal:
        raise UpstreamFailure(f"{name} cannot be reached") from refusal
    url = made.pop("url")
    _forget_oldest()
    client.save_authorize_data(
        redirect_uri=redirect_uri,
        callback_url=callback_url,
        error_callback_url=error_callback_url,
        session_id=str(principal.credential_id) if principal else None,
        **made,
    )
    digests = {"identifier": _digest(name, made["state"]), "value": _digest(name, made["code_verifier"])}
    run_unit(
        SYSTEM,
        Unit.bookkeep,
        insert(AuthVerification).values(id=uuid7(), purpose=PURPOSE, expires_at=now() + LIFETIME, **digests),
    )
    return str(url)


def resume(name: str) -> ReturnTarget:
    """Find the sign-in that a callback belongs to and use it up; raises ProviderSignInFailed when this browser has
    begun none."""
    client = providers.client(name)
    state = request.args.get("state", "")
    data = require_found(client.framework.get_state_data(session, state), ProviderSignInFailed("state_mismatch"))
    back = ReturnTarget(
        data["callback_url"], data["error_callback_url"], UUID(data["session_id"]) if data["session_id"] else None
    )
    unused = (
        AuthVerification.purpose == PURPOSE,
        AuthVerification.identifier == _digest(name, state),
        AuthVerification.value == _digest(name, data["code_verifier"]),
        AuthVerification.expires_at > now(),
    )
    if not run_unit(SYSTEM, Unit.bookkeep, delete(AuthVerification).where(*unused)):
        client.framework.clear_state_data(session, state)
        raise ProviderSignInFailed("state_mismatch")
    return back


def identify(name: str) -> Identity:
    """Tell who signs in, from the code in the running request; raises ProviderSignInFailed."""
    if "error" in request.args:
        raise ProviderSignInFailed("access_denied" if request.args["error"] == "access_denied" else "provider_refused")
    if not request.args.get("code"):
        raise ProviderSignInFailed("code_missing")
    return providers.identity(name, providers.client(name))


def _forget_oldest() -> None:
    states = sorted((key for key in session if key.startswith("_state_")), key=lambda key: session[key]["exp"])
    for key in states[: max(0, len(states) - MAX_STATES + 1)]:
        session.pop(key)


def _digest(name: str, secret: str) -> str:
    return crypto.vault().digest(f"oauth_state:{name}:{secret}")
