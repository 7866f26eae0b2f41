"""The routes of whoever holds the mail of an invitation."""

from __future__ import annotations

from typing import Any

from flask import Response

from app.auth.credentials import cookies
from app.auth.credentials.access import open_to_all
from app.auth.credentials.authentication import caller_if_any
from app.auth.credentials.login import login_optional
from app.auth.organizations import invitations
from app.engine.declare.kind import EXAMPLE_ID
from app.foundation.errors import Invalid, Unauthenticated
from app.runtime import rate_limits
from blueprints.http.base import Blueprint, answer
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.examples import LATER
from blueprints.people.entering import sign_in_response
from schemas.people.accounts import (
    AcceptInvitation,
    Empty,
    InvitationToken,
    Joined,
    JoinedAsNew,
    ShownInvitation,
    invitation_body,
)

TOKEN = {"token": "7Kc0..."}
SHOWN = {
    "email": "ada@example.com", "role": "member", "expiresAt": LATER, "inviter": {"name": "Grace"},
    "organization": {"id": EXAMPLE_ID, "name": "Harbour Works", "slug": "harbour-works", "logo": None},
}  # fmt: skip
ACCEPTING = """With a session whose address the invitation was sent to, its account joins. Without one, `name` and
`password` make an account with that address, which the mail proves, and sign it in."""


def build() -> Blueprint:
    about = "Invitations, for whoever holds their mail."
    blp = Blueprint("invitations", __name__, url_prefix="/api/auth/invitation", description=about)
    blp.after_request(rate_limits.add_headers)
    _route_sight(blp)
    _route_acceptance(blp)
    return blp


def _route_sight(blp: Blueprint) -> None:
    @serve(blp, "POST", "", Operation(
        "showInvitation", "Read an invitation by the secret of its mail",
        access=open_to_all("the secret of the mail says which", limited=True),
        takes=Body(InvitationToken, example=TOKEN), gives=Answer(ShownInvitation, example=SHOWN),
    ))  # fmt: skip
    def show(given: dict[str, Any]) -> Response:
        return answer(invitation_body(invitations.show(given["token"])))

    @serve(blp, "POST", "/reject", Operation(
        "rejectInvitation", "Decline an invitation by the secret of its mail",
        access=open_to_all("the secret of the mail says which", limited=True),
        takes=Body(InvitationToken, example=TOKEN), gives=Answer(Empty, example={}),
    ))  # fmt: skip
    def reject(given: dict[str, Any]) -> Response:
        invitations.reject(given["token"])
        return answer({})


def _route_acceptance(blp: Blueprint) -> None:
    @serve(blp, "POST", "/accept", Operation(
        "acceptInvitation", "Accept an invitation by the secret of its mail",
        access=login_optional("the session of the invited person, or name and password in the body"),
        takes=Body(AcceptInvitation, example=TOKEN),
        gives=Answer(example={"organizationId": EXAMPLE_ID}, any_of=(Joined, JoinedAsNew)), fails=(401, 422),
        description=ACCEPTING,
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.SIGN_UPS)
    def accept(given: dict[str, Any]) -> Response:
        as_new = {"name", "password"} & given.keys()
        principal = caller_if_any()
        if not as_new:
            if principal is None:
                raise Unauthenticated()
            return answer({"organizationId": invitations.accept(principal, given["token"])})
        missing = {"name", "password"} - given.keys()
        if missing:
            raise Invalid({min(missing): ["Missing data for required field."]})
        with_cookie = cookies.may_be_set()
        _, opened, joined = invitations.accept_as_new(given["token"], given["name"], given["password"])
        return sign_in_response(opened, with_cookie=with_cookie, organizationId=joined)
