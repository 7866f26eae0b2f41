"""The routes of second factors by codes: challenges of sign-ins, enrolment, recovery codes, and trusted devices."""

from __future__ import annotations

from typing import Any

import segno
from flask import Response

from app.auth.credentials import cookies
from app.auth.credentials.access import WithGrants, open_to_all
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.auth.sign_in import devices
from app.auth.sign_in.two_factor import challenges, enrolment
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.policy import SessionOnly
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Invalid, NotFound
from app.runtime import rate_limits
from blueprints.http.base import Blueprint, answer, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.examples import LATER, USER
from blueprints.people.entering import no_store, sign_in_response
from schemas.envelopes import Deleted
from schemas.people.accounts import Empty
from schemas.people.factors import AnswerChallenge, Code, Devices, Disable, Enrolled, NewRecoveryCodes, device_body
from schemas.people.sign_in import SignedInBody

CODE, SECRET = "492039", "a wise old heron"
BASE32 = "JBSWY3DPEHPK3PXP"
CODES = {"recoveryCodes": ["4f7k2m9q1x"]}
URI = f"otpauth://totp/Rowgate:ada%40example.com?secret={BASE32}&issuer=Rowgate"
DEVICE = {
    "id": EXAMPLE_ID, "ipAddress": "192.0.2.1", "userAgent": "curl/8.0", "lastUsedAt": LATER, "expiresAt": LATER,
    "createdAt": LATER,
}  # fmt: skip

session_required = login_required(SessionOnly.ALL, with_grants=WithGrants.PEOPLE)


def build() -> Blueprint:
    about = "Second factors by codes, and the devices that need none."
    blp = Blueprint("two-factor", __name__, url_prefix="/api/auth/two-factor", description=about)
    blp.after_request(rate_limits.add_headers)
    _route_challenge(blp)
    _route_enrolment(blp)
    _route_devices(blp)
    return blp


def _route_challenge(blp: Blueprint) -> None:
    @serve(blp, "POST", "/challenge", Operation(
        "answerChallenge", "Give the second factor of a sign-in",
        access=open_to_all("the challenge says who signs in", limited=True),
        takes=Body(AnswerChallenge, example={"challenge": "7Kc0...", "code": CODE}),
        gives=Answer(SignedInBody, example={"redirect": False, "token": "rg_sess_4Zq1...", "user": USER}),
        fails=(401, 403), description="After five wrong codes the challenge is void.",
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.SIGN_INS)
    def challenge(given: dict[str, Any]) -> Response:
        with_cookie = cookies.may_be_set()
        sent = [name for name in ("code", "recovery_code") if name in given]
        if len(sent) != 1:
            raise Invalid({"code": ["Send one of code and recoveryCode."]})
        with rate_limits.SIGN_INS:
            opened = challenges.answer(
                given["challenge"], given[sent[0]], recovery=sent == ["recovery_code"],
                trust_device=given.get("trust_device", False) and with_cookie,
            )  # fmt: skip
        return sign_in_response(opened, with_cookie=with_cookie, remember=given.get("remember_me", True))


def _route_enrolment(blp: Blueprint) -> None:
    @serve(blp, "POST", "/enroll", Operation(
        "enrollTwoFactor", "Begin to set up a second factor", access=session_required,
        gives=Answer(Enrolled, example={"id": EXAMPLE_ID, "secret": BASE32, "uri": URI, "qrSvg": "<svg>...</svg>"}),
        fails=(409,), description="Replaces a factor that was not confirmed. Needs recent authentication.",
    ))  # fmt: skip
    def enroll() -> Response:
        begun = enrolment.enroll(caller())
        body = {"id": begun.id, "secret": begun.secret, "uri": begun.uri, "qrSvg": qr_code(begun.uri)}
        return no_store(answer(body))

    @serve(blp, "POST", "/confirm", Operation(
        "confirmTwoFactor", "Switch the second factor on with its first code", access=session_required,
        takes=Body(Code, example={"code": CODE}), gives=Answer(NewRecoveryCodes, example=CODES), fails=(401, 404),
        description="Ends the other sessions. The recovery codes are shown this once.",
    ))  # fmt: skip
    def confirm(given: dict[str, Any]) -> Response:
        return no_store(answer({"recoveryCodes": enrolment.confirm(caller(), given["code"])}))

    @serve(blp, "POST", "/recovery-codes", Operation(
        "renewRecoveryCodes", "Replace the recovery codes", access=session_required,
        gives=Answer(NewRecoveryCodes, example=CODES), fails=(404,), description="Needs recent authentication.",
    ))  # fmt: skip
    def recovery_codes() -> Response:
        return no_store(answer({"recoveryCodes": enrolment.renew_recovery_codes(caller())}))

    @serve(blp, "POST", "/disable", Operation(
        "disableTwoFactor", "Switch the second factor off", access=session_required,
        takes=Body(Disable, example={"code": CODE, "password": SECRET}), gives=Answer(Empty, example={}),
        fails=(401, 404),
    ))  # fmt: skip
    def disable(given: dict[str, Any]) -> Response:
        enrolment.disable(caller(), given["code"], given.get("password"))
        return answer({})


def _route_devices(blp: Blueprint) -> None:
    @serve(blp, "GET", "/devices", Operation(
        "listTrustedDevices", "List the devices that need no second factor", access=session_required,
        gives=Answer(Devices, example={"data": [DEVICE]}),
    ))  # fmt: skip
    def list_devices() -> Response:
        return answer({"data": [device_body(each) for each in run_unit(caller(), devices.list_trusted)]})

    @serve(blp, "DELETE", "/devices/<string:id>", Operation(
        "distrustDevice", "Ask for the second factor on a device again", access=session_required,
        gives=Answer(Deleted),
    ))  # fmt: skip
    def distrust(id: str) -> Response:
        identifier = parse_id(id)
        if not run_unit(caller(), devices.distrust, identifier):
            raise NotFound()
        return answer({"id": identifier, "deleted": True})


def qr_code(uri: str) -> str:
    """The picture of an address, as SVG that may stand in a page."""
    return str(segno.make(uri, error="m").svg_inline(scale=5, border=4, dark="#000", light="#fff"))
