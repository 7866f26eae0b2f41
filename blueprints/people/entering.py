"""Answers to whoever signs in, by whichever way: the secrets of a session, or the question for a second factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from flask import Response

from app.auth.credentials import cookies
from app.auth.credentials.sessions import SignedIn
from app.auth.models.identity import AuthUser
from app.auth.organizations import memberships
from app.auth.sign_in import devices
from app.auth.sign_in.two_factor.challenges import Challenged
from app.engine.read.database import reading
from blueprints.http.base import answer
from schemas.people.sign_in import user_body


def sign_in_response(
    outcome: SignedIn | Challenged, *, with_cookie: bool, remember: bool = True, **more: Any
) -> Response:
    """Answer a sign-in."""
    if isinstance(outcome, Challenged):
        return no_store(answer(challenge_body(outcome)))
    body = {"redirect": False, "token": outcome.token, "user": user_body(outcome.user), **more}
    return session_response(body | notices(outcome.user), outcome, with_cookie=with_cookie, remember=remember)


def session_response(body: dict[str, Any], opened: SignedIn, *, with_cookie: bool, remember: bool = True) -> Response:
    """Answer with the two secrets of a new session: the token in the body and a header, the other in the cookie."""
    response = no_store(answer(body))
    response.headers["set-auth-token"] = opened.token
    if with_cookie:
        set_cookies(response, opened, remember=remember)
    return response


def set_cookies(response: Response, opened: SignedIn, *, remember: bool) -> None:
    """Leave the session in the browser, and let the browser be known again."""
    cookies.set(response, opened.cookie, remember=remember)
    devices.remember(response, opened.user.id)


def challenge_body(challenged: Challenged) -> dict[str, Any]:
    """The question for a second factor."""
    return {
        "twoFactorRequired": True,
        "challenge": challenged.challenge,
        "methods": challenged.methods,
        "expiresAt": challenged.expires_at,
    }


def notices(user: AuthUser, waiting: Sequence[UUID] | None = None) -> dict[str, Any]:
    """What a user should know of the account: organizations that wait for a second factor, which are looked up unless
    they are known, and a deletion under way."""
    if waiting is None:
        with reading() as session:
            waiting = memberships.load_effective(session, user.id).organizations_requiring_second_factor
    return ({"twoFactorSetup": waiting} if waiting else {}) | (
        {"deletionAt": user.delete_after} if user.delete_after else {}
    )


def no_store(response: Response) -> Response:
    """An answer that no cache keeps."""
    response.headers["Cache-Control"] = "no-store"
    return response
