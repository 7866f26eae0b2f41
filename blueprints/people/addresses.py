"""The routes of addresses and passwords: proving, recovering and changing them."""

from __future__ import annotations

from typing import Any

from flask import Response

from app.auth.accounts import recovery, verification
from app.auth.credentials import reauthentication
from app.auth.credentials.access import WithGrants, open_to_all
from app.auth.credentials.authentication import caller, caller_if_any
from app.auth.credentials.login import login_optional, login_required
from app.auth.sign_in.passkeys import sign_in as passkeys
from app.auth.sign_in.two_factor import enrolment
from app.engine.declare.policy import SessionOnly
from app.foundation.errors import Invalid
from app.runtime import rate_limits
from blueprints.http.base import Blueprint, answer
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.examples import LATER, USER
from blueprints.people.entering import no_store
from schemas.people.accounts import (
    Address,
    ChangePassword,
    Empty,
    NewToken,
    Proof,
    Proved,
    ResetPassword,
    RevertEmail,
    Verified,
    VerifyEmail,
)
from schemas.people.sign_in import user_body

ADDRESS = {"email": "ada@example.com"}
TOKEN, SECRET, BEARER = "7Kc0...", "a wise old heron", "rg_sess_4Zq1..."
ALIKE = "The answer is the same whether or not the address has an account."

session_required = login_required(SessionOnly.ALL, with_grants=WithGrants.PEOPLE)


def build() -> Blueprint:
    blp = Blueprint("addresses", __name__, url_prefix="/api/auth", description="Addresses and passwords.")
    blp.after_request(rate_limits.add_headers)
    _route_verification(blp)
    _route_change(blp)
    _route_recovery(blp)
    _route_proof(blp)
    return blp


def _route_verification(blp: Blueprint) -> None:
    @serve(blp, "POST", "/verify-email/resend", Operation(
        "resendVerification", "Send the link that verifies an address again",
        access=open_to_all("tells nothing of accounts", limited=True), takes=Body(Address, example=ADDRESS),
        gives=Answer(Empty, example={}, status=202), description=ALIKE,
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.MAILS)
    def resend(given: dict[str, Any]) -> Response:
        verification.resend(given["email"])
        return answer({}, 202)

    @serve(blp, "POST", "/verify-email", Operation(
        "verifyEmail", "Verify an address by the secret of its mail",
        access=login_optional("the session of the account, or its password in the body"),
        takes=Body(VerifyEmail, example={"token": TOKEN}), gives=Answer(Verified, example={"user": USER}),
        fails=(401, 409), description="Verifies the address of the account, or its new one. Signs nobody in.",
    ))  # fmt: skip
    def verify(given: dict[str, Any]) -> Response:
        user = verification.verify(given["token"], given.get("password"), caller_if_any())
        return answer({"user": user_body(user)})


def _route_change(blp: Blueprint) -> None:
    @serve(blp, "POST", "/change-email", Operation(
        "changeEmail", "Change the address", access=session_required, takes=Body(Address, example=ADDRESS),
        gives=Answer(Empty, example={}, status=202),
        description="Sends a link to the new address. The old one is told, and can take the change back for a week.",
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.MAILS)
    def change_email(given: dict[str, Any]) -> Response:
        verification.ask_to_change(caller(), given["email"])
        return answer({}, 202)

    @serve(blp, "POST", "/change-email/revert", Operation(
        "revertEmail", "Take a change of address back",
        access=open_to_all("the secret of the mail says which", limited=True),
        takes=Body(RevertEmail, example={"token": TOKEN}), gives=Answer(Empty, example={}),
        description="Ends every session, and sends a link to choose a password to the old address.",
    ))  # fmt: skip
    def revert(given: dict[str, Any]) -> Response:
        verification.revert(given["token"])
        return answer({})


def _route_recovery(blp: Blueprint) -> None:
    @serve(blp, "POST", "/forgot-password", Operation(
        "forgotPassword", "Send a link to choose a new password",
        access=open_to_all("tells nothing of accounts", limited=True), takes=Body(Address, example=ADDRESS),
        gives=Answer(Empty, example={}, status=202), description=ALIKE,
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.MAILS)
    def forgot(given: dict[str, Any]) -> Response:
        recovery.forget(given["email"])
        return answer({}, 202)

    @serve(blp, "POST", "/reset-password", Operation(
        "resetPassword", "Choose a new password by the secret of a mail",
        access=open_to_all("the secret of the mail says whose", limited=True),
        takes=Body(ResetPassword, example={"token": TOKEN, "password": SECRET}), gives=Answer(Empty, example={}),
        description="Verifies the address and ends every session. The second factor stays in force.",
    ))  # fmt: skip
    def reset(given: dict[str, Any]) -> Response:
        recovery.reset(given["token"], given["password"], revoke_keys=given.get("revoke_keys", False))
        return answer({})


def _route_proof(blp: Blueprint) -> None:
    @serve(blp, "POST", "/change-password", Operation(
        "changePassword", "Change the password", access=session_required,
        takes=Body(ChangePassword, example={"currentPassword": "correct horse", "newPassword": SECRET}),
        gives=Answer(NewToken, example={"token": BEARER}), fails=(401,),
    ))  # fmt: skip
    def change_password(given: dict[str, Any]) -> Response:
        elsewhere = given.get("revoke_other_sessions", False)
        current = given.get("current_password")
        token = recovery.change(caller(), current, given["new_password"], elsewhere=elsewhere)
        return no_store(answer({"token": token}))

    @serve(blp, "POST", "/reauthenticate", Operation(
        "reauthenticate", "Prove a credential again", access=session_required,
        takes=Body(Proof, example={"password": SECRET}), gives=Answer(Proved, example={"authenticatedAt": LATER}),
        fails=(401,), description="Sensitive acts want a proof that is not older than ten minutes. Takes one proof.",
    ))  # fmt: skip
    def reauthenticate(given: dict[str, Any]) -> Response:
        if len(given) != 1:
            raise Invalid({"password": ["Send one of password, code and response."]})
        if "password" in given:
            proved: Any = reauthentication.by_password(caller(), given["password"])
        elif "code" in given:
            proved = enrolment.reauthenticate(caller(), given["code"])
        else:
            proved = passkeys.reauthenticate(caller(), given["response"])
        return answer({"authenticatedAt": proved})
