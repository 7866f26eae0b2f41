"""What the routes of RealWorld share: their credential, their bodies and their refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Response, request

from conduit.models import ConduitProfile
from rowgate import Failure, Forbidden, Invalid, Principal, find
from rowgate.accounts import anonymous, principal_of
from rowgate.http import Blueprint, Operation, answer, open_to_all, serve

F = TypeVar("F", bound=Callable[..., Any])
PREFIX = "/api/conduit"
OWN_SCHEME = "Clients of RealWorld send their token in a scheme of its own"


def blueprint(name: str, description: str) -> Blueprint:
    """A group of routes that refuse as RealWorld has it."""
    blp = Blueprint(f"conduit-{name}", __name__, url_prefix=PREFIX, description=description)
    blp.register_error_handler(Failure, refusal)
    return blp


def route(blp: Blueprint, method: str, path: str, name: str, summary: str, **more: Any) -> Callable[[F], F]:
    """Serve a route that finds out by itself who calls, and refuses those who may not."""
    access = open_to_all(OWN_SCHEME, limited=True)
    return serve(blp, method, path, Operation(name, summary, access, fails=(401, 403, 409), **more))


def refusal(failure: Failure) -> Response:
    """A failure in the shape of RealWorld: 422 for what is wrong with a body, with the messages by field."""
    if isinstance(failure, Invalid):
        return answer({"errors": failure.details}, 422)
    return answer({"errors": {"body": [str(failure)]}}, failure.status)


def caller_or_nobody() -> Principal:
    """Who calls: nobody without a token; raises Unauthenticated for one that is none."""
    return _caller() if "Authorization" in request.headers else anonymous()


def _caller(*, session_only: bool = False) -> Principal:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    scope = "read" if request.method == "GET" else "write"
    return principal_of(token.strip() if scheme == "Token" else "", scope, session_only=session_only)


def profile_of(principal: Principal) -> dict[str, Any] | None:
    """The profile of whoever calls, if there is one."""
    if principal.user_id is None:
        return None
    found = find(ConduitProfile, principal, {"userId": principal.user_id}, take=1)
    return next(iter(found.records), None)


def reader(*, session_only: bool = False) -> tuple[Principal, dict[str, Any]]:
    """Who calls, with their profile; raises Unauthenticated, and Forbidden for an account without a profile."""
    principal = _caller(session_only=session_only)
    profile = profile_of(principal)
    if profile is None:
        raise Forbidden("The account has no profile")
    return principal, profile
