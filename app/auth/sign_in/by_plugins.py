"""Ways of signing in that plugins bring: a name and a password that another service knows."""

from __future__ import annotations

import unicodedata

from app.auth.credentials import throttling
from app.auth.credentials.sessions import SignedIn
from app.auth.errors import InvalidEmailOrPassword
from app.auth.sign_in.oauth import linking
from app.auth.sign_in.oauth.providers import Identity, ProviderSignInFailed
from app.auth.sign_in.two_factor.challenges import Challenged
from app.extension_points import SIGN_INS
from app.foundation.errors import Forbidden, require_found
from app.runtime import rate_limits

MAX_LOGIN_LENGTH, MAX_PASSWORD_LENGTH, MAX_SUBJECT_LENGTH = 254, 128, 255
KEPT_OUT = "You are known there, and not let in here"


def sign_in(way: str, login: str, password: str) -> SignedIn | Challenged:
    """Let in whoever the other service says that a name and a password are: the user with that identity, the one with
    the same address where both sides have verified it, or a new one. Guesses count as those at our own passwords.

    Raises NotFound for a way that there is not, InvalidEmailOrPassword, Unavailable where the service does not answer,
    RateLimitExceeded, and Forbidden with a ``reason`` for somebody who may not come in here.
    """
    service = require_found(SIGN_INS.get(way))
    # Before anything looks at them. Many services take an empty password for an anonymous caller, and say yes.
    if len(login) > MAX_LOGIN_LENGTH or not 0 < len(password) <= MAX_PASSWORD_LENGTH or not (login := _plain(login)):
        raise InvalidEmailOrPassword()
    if throttling.is_network_locked(throttling.network()):
        raise InvalidEmailOrPassword()
    with rate_limits.SIGN_INS:
        proven = service.prove(login, password)
    heard = throttling.record_for_request(None, f"{way}/{login.casefold()}", succeeded=proven is not None)
    if proven is None or not heard:
        raise InvalidEmailOrPassword()
    # An empty subject would make everybody one account.
    if not 0 < len(proven.subject) <= MAX_SUBJECT_LENGTH or "\x00" in proven.subject:
        raise Forbidden(KEPT_OUT, details={"reason": "identity_incomplete"})
    # No provider has an issuer of this form, as theirs are addresses.
    identity = Identity(way, f"plugin:{way}", proven.subject, proven.email, proven.email_verified, proven.name)
    try:
        return linking.sign_in(identity, None, method="password")
    except ProviderSignInFailed as refusal:
        raise Forbidden(KEPT_OUT, details={"reason": refusal.code}) from None


def _plain(login: str) -> str:
    """A name without what directories overlook, so that guesses at it are counted however it is written."""
    seen = (each for each in unicodedata.normalize("NFKC", login) if unicodedata.category(each) != "Cf")
    return " ".join("".join(seen).split())
