"""The sign-in routes: sign up, in and out, the current session, and its bearer token."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from flask import Response, request

from app.auth.credentials import cookies, sessions
from app.auth.credentials.access import WithGrants, open_to_all
from app.auth.credentials.authentication import caller, caller_if_any, session_of_cookie
from app.auth.credentials.login import login_optional, login_required
from app.auth.sign_in import by_plugins, sign_in
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.policy import SessionOnly
from app.engine.write.unit_of_work import run_unit
from app.foundation import crypto
from app.foundation.clock import now
from app.foundation.errors import ForeignKeyViolation, Invalid, Unauthenticated
from app.runtime import rate_limits
from blueprints.http.base import Blueprint, answer
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.examples import STAMPS, USER
from blueprints.people.entering import no_store, notices, session_response, sign_in_response
from schemas.people.sign_in import (
    ActIn,
    ActingIn,
    CurrentSession,
    FreshToken,
    SignedInBody,
    SignedOut,
    SignedUp,
    SignIn,
    SignInElsewhere,
    SignUp,
    TwoFactorRequired,
    session_body,
    user_body,
)

SESSION = {
    "id": EXAMPLE_ID, "userId": EXAMPLE_ID, "expiresAt": "2027-01-08T09:00:00.000Z", "ipAddress": "192.0.2.1",
    "userAgent": "curl/8.0", **STAMPS,
}  # fmt: skip
CREDENTIALS = {"email": "ada@example.com", "password": "correct horse"}
ELSEWHERE = {"login": "ada", "password": "correct horse"}
TOKEN = "rg_sess_4Zq1..."  # noqa: S105 - an example

LIFE = range(60, 86401)
EXPIRES_IN = {
    "name": "expiresIn", "in": "query",
    "schema": {"type": "integer", "minimum": LIFE.start, "maximum": LIFE.stop - 1},
    "description": "Seconds that the token is good for; as long as the session where nothing is said.",
}  # fmt: skip

SECOND = """An account with a second factor is asked for it: the answer holds a `challenge` in place of a token, for
`POST /api/auth/two-factor/challenge` or a passkey."""

session_required = login_required(SessionOnly.ALL, with_grants=WithGrants.PEOPLE)


def build() -> Blueprint:
    blp = Blueprint("sign-in", __name__, url_prefix="/api/auth", description="Signing up, in and out, and the session.")
    blp.after_request(rate_limits.add_headers)
    _route_entrance(blp)
    _route_other_entrances(blp)
    _route_exit(blp)
    _route_session(blp)
    _route_token_and_organization(blp)
    return blp


def _route_entrance(blp: Blueprint) -> None:
    @serve(blp, "POST", "/signup", Operation(
        "signUp", "Make an account and sign it in", access=open_to_all("makes the account that signs in", limited=True),
        takes=Body(SignUp, example=CREDENTIALS), gives=Answer(SignedUp, example={"token": TOKEN, "user": USER}),
        fails=(403, 422),
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.SIGN_UPS)
    def sign_up(given: dict[str, Any]) -> Response:
        with_cookie = cookies.may_be_set()
        user, opened = sign_in.sign_up(given)
        if opened is None:
            return no_store(answer({"token": None, "user": user_body(user)}))
        body = {"token": opened.token, "user": user_body(user)}
        return session_response(body, opened, with_cookie=with_cookie, remember=given.get("remember_me", True))

    @serve(blp, "POST", "/signin", Operation(
        "signIn", "Sign in with email and password", access=open_to_all("opens the session", limited=True),
        takes=Body(SignIn, example=CREDENTIALS),
        gives=Answer(
            example={"redirect": False, "token": TOKEN, "user": USER}, any_of=(SignedInBody, TwoFactorRequired)
        ),
        fails=(401, 403), description=SECOND,
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.SIGN_INS)
    def sign_in_with_password(given: dict[str, Any]) -> Response:
        with_cookie = cookies.may_be_set()
        outcome = sign_in.with_password(given["email"], given["password"])
        return sign_in_response(outcome, with_cookie=with_cookie, remember=given.get("remember_me", True))


def _route_other_entrances(blp: Blueprint) -> None:
    @serve(blp, "POST", "/signin/<string:way>", Operation(
        "signInElsewhere", "Sign in with a name and a password that another service knows",
        access=open_to_all("opens the session", limited=True), takes=Body(SignInElsewhere, example=ELSEWHERE),
        gives=Answer(
            example={"redirect": False, "token": TOKEN, "user": USER}, any_of=(SignedInBody, TwoFactorRequired)
        ),
        fails=(401, 403), description=SECOND,
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.SIGN_INS)
    def sign_in_elsewhere(given: dict[str, Any], way: str) -> Response:
        with_cookie = cookies.may_be_set()
        outcome = by_plugins.sign_in(way, given["login"], given["password"])
        return sign_in_response(outcome, with_cookie=with_cookie, remember=given.get("remember_me", True))


def _route_exit(blp: Blueprint) -> None:
    @serve(blp, "POST", "/signout", Operation(
        "signOut", "Sign out", access=login_optional("ends a session if there is one", reads=True),
        gives=Answer(SignedOut, example={"success": True}),
    ))  # fmt: skip
    def sign_out() -> Response:
        # Another tab may have replaced the bearer token; the cookie still tells the session.
        principal = caller_if_any() or session_of_cookie()
        if principal is not None:
            run_unit(principal, sessions.sign_out)
        response = answer({"success": True})
        cookies.clear(response)
        return response


def _route_session(blp: Blueprint) -> None:
    @serve(blp, "GET", "/session", Operation(
        "readSession", "Read the current session", access=login_optional("says whether somebody is signed in"),
        gives=Answer(example={"session": SESSION, "user": USER}, any_of=(CurrentSession, {"type": "null"})),
    ))  # fmt: skip
    def read_session() -> Response:
        principal = caller_if_any()
        if principal is None:
            return no_store(answer(None))
        try:
            session, user = sessions.current(principal)
        except Unauthenticated:
            return no_store(answer(None))
        return no_store(
            answer(
                {"session": session_body(session), "user": user_body(user)}
                | notices(user, principal.organizations_requiring_second_factor)
            )
        )

    @serve(blp, "POST", "/revoke-other-sessions", Operation(
        "revokeOtherSessions", "Sign out everywhere else", access=session_required,
        gives=Answer(SignedOut, example={"success": True}),
    ))  # fmt: skip
    def revoke_other_sessions() -> Response:
        run_unit(caller(), sessions.sign_out_elsewhere)
        return answer({"success": True})


def _route_token_and_organization(blp: Blueprint) -> None:
    @serve(blp, "POST", "/token", Operation(
        "renewToken", "Get a fresh bearer token of the current session", access=session_required, query=(EXPIRES_IN,),
        gives=Answer(FreshToken, example={"token": TOKEN, "expiresAt": SESSION["expiresAt"]}),
    ))  # fmt: skip
    def renew_token() -> Response:
        token, end = run_unit(caller(), sessions.renew_token, _end())
        return no_store(answer({"token": token, "expiresAt": end}))

    @serve(blp, "POST", "/session/organization", Operation(
        "actInOrganization", "Choose the organization that the session acts in", access=session_required,
        takes=Body(ActIn, example={"organizationId": EXAMPLE_ID}),
        gives=Answer(ActingIn, example={"activeOrganizationId": EXAMPLE_ID}),
        description="New records and keys of the session belong to it, where nothing else is said.",
    ))  # fmt: skip
    def act_in(given: dict[str, Any]) -> Response:
        chosen = given["organization_id"]
        if chosen not in caller().memberships:
            raise ForeignKeyViolation.on("organizationId")
        run_unit(caller(), sessions.act_in, chosen)
        return answer({"activeOrganizationId": chosen})


def _end() -> datetime | None:
    """When the token is to end; raises Invalid. A token with an end cannot get one that ends later."""
    bearer = request.authorization.token if request.authorization else None
    own = crypto.end_of(bearer) if bearer else None
    given = request.args.get("expiresIn")
    if given is None:
        return own
    if not (given.isascii() and given.isdigit() and len(given) < 6 and int(given) in LIFE):
        raise Invalid({"expiresIn": [f"Must be a number of seconds from {LIFE.start} to {LIFE.stop - 1}."]})
    wanted = now() + timedelta(seconds=int(given))
    return min(wanted, own) if own else wanted
