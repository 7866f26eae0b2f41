"""The routes of passkeys: their two ceremonies, and keeping them."""

from __future__ import annotations

from typing import Any

from flask import Response

from app.auth.credentials import cookies
from app.auth.credentials.access import WithGrants, open_to_all
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.auth.sign_in.passkeys import keeping, sign_in
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.policy import SessionOnly
from app.engine.write.unit_of_work import run_unit
from app.runtime import rate_limits
from blueprints.http.base import Blueprint, answer, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.examples import STAMPS, USER
from blueprints.people.entering import no_store, sign_in_response
from schemas.envelopes import Deleted
from schemas.people.factors import (
    AskPasskey,
    AssertPasskey,
    Passkey,
    PasskeyOptions,
    Passkeys,
    RegisterPasskey,
    RenamePasskey,
    passkey_body,
)
from schemas.people.sign_in import SignedInBody

OPTIONS = {"challenge": "Zr2f...", "rpId": "app.example.com", "timeout": 60000}
RESPONSE = {"id": "Xw3k...", "rawId": "Xw3k...", "type": "public-key", "response": {"clientDataJSON": "eyJ0..."}}
PASSKEY = {
    "id": EXAMPLE_ID, "name": "Laptop", "deviceType": "multi_device", "backedUp": True, "transports": ["internal"],
    "aaguid": None, "lastUsedAt": None, "createdAt": STAMPS["createdAt"],
}  # fmt: skip

session_required = login_required(SessionOnly.ALL, with_grants=WithGrants.PEOPLE)


def build() -> Blueprint:
    about = "Passkeys (WebAuthn level 3)."
    blp = Blueprint("passkeys", __name__, url_prefix="/api/auth/passkey", description=about)
    blp.after_request(rate_limits.add_headers)
    _route_registration(blp)
    _route_sign_in(blp)
    _route_keeping(blp)
    return blp


def _route_registration(blp: Blueprint) -> None:
    @serve(blp, "POST", "/register/options", Operation(
        "beginPasskeyRegistration", "Begin to register a passkey", access=session_required,
        gives=Answer(PasskeyOptions, example=OPTIONS), description="Needs recent authentication.",
    ))  # fmt: skip
    def options() -> Response:
        return no_store(answer(keeping.options(caller())))

    @serve(blp, "POST", "/register/verify", Operation(
        "registerPasskey", "Register a passkey", access=session_required,
        takes=Body(RegisterPasskey, example={"name": "Laptop", "response": RESPONSE}),
        gives=Answer(Passkey, example=PASSKEY), fails=(409,), description="Needs recent authentication.",
    ))  # fmt: skip
    def register(given: dict[str, Any]) -> Response:
        return answer(passkey_body(keeping.register(caller(), given["response"], given.get("name"))))


def _route_sign_in(blp: Blueprint) -> None:
    @serve(blp, "POST", "/sign-in/options", Operation(
        "beginPasskeySignIn", "Begin to sign in with a passkey",
        access=open_to_all("opens the session", limited=True), takes=Body(AskPasskey, example={}),
        gives=Answer(PasskeyOptions, example=OPTIONS), fails=(401,),
        description="With the challenge of a sign-in, the passkey is its second factor.",
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.SIGN_INS)
    def options(given: dict[str, Any]) -> Response:
        return no_store(answer(sign_in.options(given.get("challenge"))))

    @serve(blp, "POST", "/sign-in/verify", Operation(
        "signInWithPasskey", "Sign in with a passkey", access=open_to_all("opens the session", limited=True),
        takes=Body(AssertPasskey, example={"response": RESPONSE}),
        gives=Answer(SignedInBody, example={"redirect": False, "token": "rg_sess_4Zq1...", "user": USER}),
        fails=(401, 403), description="Counts as both factors where the authenticator has verified its user.",
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.SIGN_INS)
    def verify(given: dict[str, Any]) -> Response:
        with_cookie = cookies.may_be_set()
        with rate_limits.SIGN_INS:
            outcome = sign_in.verify(given["response"], given.get("challenge"))
        return sign_in_response(outcome, with_cookie=with_cookie, remember=given.get("remember_me", True))


def _route_keeping(blp: Blueprint) -> None:
    @serve(blp, "GET", "", Operation(
        "listPasskeys", "List the caller's passkeys", access=session_required,
        gives=Answer(Passkeys, example={"data": [PASSKEY]}),
    ))  # fmt: skip
    def list_passkeys() -> Response:
        return answer({"data": [passkey_body(each) for each in run_unit(caller(), keeping.own)]})

    @serve(blp, "PATCH", "/<string:id>", Operation(
        "renamePasskey", "Call a passkey something else", access=session_required,
        takes=Body(RenamePasskey, example={"name": "Laptop"}), gives=Answer(Passkey, example=PASSKEY),
    ))  # fmt: skip
    def rename(given: dict[str, Any], id: str) -> Response:
        return answer(passkey_body(run_unit(caller(), keeping.rename, parse_id(id), given["name"])))

    @serve(blp, "DELETE", "/<string:id>", Operation(
        "deletePasskey", "Remove a passkey", access=session_required, gives=Answer(Deleted), fails=(409,),
        description="Needs recent authentication. The last way to sign in stays.",
    ))  # fmt: skip
    def remove(id: str) -> Response:
        identifier = parse_id(id)
        keeping.remove(caller(), identifier)
        return answer({"id": identifier, "deleted": True})
