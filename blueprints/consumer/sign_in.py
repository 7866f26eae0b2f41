"""The sign-in routes: sign up, in and out, the current session, and its bearer token."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from app.auth import cookies, sign_in
from app.auth.authentication import caller, caller_if_any, open_to_all, session_of_cookie
from app.auth.login import login_required, login_welcome
from app.auth.sign_in import SignedIn
from app.engine.kind import EXAMPLE_ID
from app.engine.policy import SessionOnly
from app.engine.unit_of_work import run_unit
from app.foundation.errors import ForeignKeyViolation, Unauthenticated
from app.runtime import rate_limits
from blueprints.base import Blueprint, answer
from blueprints.describe import documented
from blueprints.examples import STAMPS, USER
from schemas.queries import refuse_unknown
from schemas.sign_in import (
    ActIn,
    ActingIn,
    CurrentSession,
    FreshToken,
    SignedInBody,
    SignedOut,
    SignedUp,
    SignIn,
    SignUp,
    session_body,
    user_body,
)

SESSION = {
    "id": EXAMPLE_ID, "userId": EXAMPLE_ID, "expiresAt": "2027-01-08T09:00:00.000Z", "ipAddress": "192.0.2.1",
    "userAgent": "curl/8.0", **STAMPS,
}  # fmt: skip
CREDENTIALS = {"email": "ada@example.com", "password": "correct horse"}
TOKEN = "rg_sess_4Zq1..."  # noqa: S105 - an example
BODY_ERRORS = (400, 413, 415, 429, 500, 503)

session_required = login_required(SessionOnly.ALL)


def build() -> Blueprint:
    """The blueprint of the sign-in routes."""
    blp = Blueprint("sign-in", __name__, url_prefix="/api/auth", description="Signing up, in and out, and the session.")
    blp.before_request(lambda: refuse_unknown(request.args, known=()))
    blp.after_request(rate_limits.tell)
    _route_entrance(blp)
    _route_session(blp)
    return blp


def _route_entrance(blp: Blueprint) -> None:
    @blp.route("/signup", methods=["POST"])
    @open_to_all("makes the account that signs in", limited=True)
    @rate_limits.counts(rate_limits.SIGN_UPS)
    @documented(
        blp, "signUp", "Make an account and sign it in", *BODY_ERRORS, 403, 422, open_to_all=True,
        example=CREDENTIALS, answers={"token": TOKEN, "user": USER},
    )  # fmt: skip
    @blp.arguments(SignUp)
    @blp.response(200, SignedUp)
    def sign_up(given: dict[str, Any]) -> Response:
        with_cookie = cookies.may_be_set()
        user, opened = sign_in.sign_up(given)
        body = {"token": opened.token if opened else None, "user": user_body(user)}
        return _with_session(body, opened, with_cookie=with_cookie, remember=given.get("remember_me", True))

    @blp.route("/signin", methods=["POST"])
    @open_to_all("opens the session", limited=True)
    @rate_limits.counts(rate_limits.SIGN_INS)
    @documented(
        blp, "signIn", "Sign in with email and password", *BODY_ERRORS, 401, 403, open_to_all=True,
        example=CREDENTIALS, answers={"redirect": False, "token": TOKEN, "user": USER},
    )  # fmt: skip
    @blp.arguments(SignIn)
    @blp.response(200, SignedInBody)
    def sign_in_with_password(given: dict[str, Any]) -> Response:
        with_cookie = cookies.may_be_set()
        opened = sign_in.with_password(given["email"], given["password"])
        body = {"redirect": False, "token": opened.token, "user": user_body(opened.user)}
        return _with_session(body, opened, with_cookie=with_cookie, remember=given.get("remember_me", True))

    @blp.route("/signout", methods=["POST"])
    @login_welcome("ends a session if there is one")
    @documented(blp, "signOut", "Sign out", 400, 403, 429, 500, 503, optional=True, answers={"success": True})
    @blp.response(200, SignedOut)
    def sign_out() -> Response:
        # Another page of the browser may have made the bearer dead; the cookie that goes still opens the session.
        principal = caller_if_any() or session_of_cookie()
        if principal is not None:
            run_unit(principal, sign_in.sign_out)
        response = answer({"success": True})
        cookies.clear(response)
        return response


def _route_session(blp: Blueprint) -> None:
    @blp.route("/session", methods=["GET"])
    @login_welcome("says whether somebody is signed in")
    @documented(
        blp, "readSession", "Read the current session", 400, 403, 429, 500, 503, optional=True,
        answers={"session": SESSION, "user": USER}, answer_schemas=(CurrentSession, {"type": "null"}),
    )  # fmt: skip
    @blp.response(200)
    def read_session() -> Response:
        principal = caller_if_any()
        if principal is None:
            return _unstored(answer(None))
        try:
            session, user = sign_in.current(principal)
        except Unauthenticated:
            return _unstored(answer(None))
        return _unstored(answer({"session": session_body(session), "user": user_body(user)}))

    @blp.route("/revoke-other-sessions", methods=["POST"])
    @session_required
    @documented(
        blp, "revokeOtherSessions", "Sign out everywhere else", 400, 401, 403, 429, 500, 503,
        answers={"success": True},
    )  # fmt: skip
    @blp.response(200, SignedOut)
    def revoke_other_sessions() -> Response:
        run_unit(caller(), sign_in.sign_out_elsewhere)
        return answer({"success": True})

    @blp.route("/token", methods=["POST"])
    @session_required
    @documented(
        blp, "renewToken", "Get a fresh bearer token of the current session", 400, 401, 403, 429, 500, 503,
        answers={"token": TOKEN, "expiresAt": SESSION["expiresAt"]},
    )  # fmt: skip
    @blp.response(200, FreshToken)
    def renew_token() -> Response:
        token, session = run_unit(caller(), sign_in.renew_token)
        return _unstored(answer({"token": token, "expiresAt": session.expires_at}))

    @blp.route("/session/organization", methods=["POST"])
    @session_required
    @documented(
        blp, "actInOrganization", "Choose the organization that the session acts in", *BODY_ERRORS, 401, 403,
        description="New records and keys of the session belong to it, where nothing else is said.",
        example={"organizationId": EXAMPLE_ID}, answers={"activeOrganizationId": EXAMPLE_ID},
    )  # fmt: skip
    @blp.arguments(ActIn)
    @blp.response(200, ActingIn)
    def act_in(given: dict[str, Any]) -> Response:
        chosen = given["organization_id"]
        if chosen not in caller().memberships:
            raise ForeignKeyViolation.on("organizationId")
        run_unit(caller(), sign_in.act_in, chosen)
        return answer({"activeOrganizationId": chosen})


def _with_session(body: dict[str, Any], opened: SignedIn | None, *, with_cookie: bool, remember: bool) -> Response:
    """Answer with the two secrets of a new session: the token in the body and a header, the other in the cookie."""
    response = _unstored(answer(body))
    if opened is not None:
        response.headers["set-auth-token"] = opened.token
        if with_cookie:
            cookies.set(response, opened.cookie, remember=remember)
    return response


def _unstored(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
