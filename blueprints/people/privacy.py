"""The routes of an account as a whole: its deletion, and support by impersonation."""

from __future__ import annotations

from typing import Any

from flask import Response

from app.auth.accounts import deletion
from app.auth.credentials import impersonation
from app.auth.credentials.access import WithGrants
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.engine.declare.policy import SessionOnly
from app.engine.write.unit_of_work import run_unit
from blueprints.http.base import Blueprint, answer
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.examples import LATER, USER
from blueprints.people.entering import no_store
from schemas.people.accounts import Deletion, Empty, Impersonate, Impersonation
from schemas.people.sign_in import user_body

session_required = login_required(SessionOnly.ALL, with_grants=WithGrants.PEOPLE)


def build() -> Blueprint:
    blp = Blueprint("privacy", __name__, url_prefix="/api/auth", description="The account as a whole.")

    @serve(blp, "POST", "/account/delete", Operation(
        "deleteAccount", "Have the account deleted in a week", access=session_required,
        gives=Answer(Deletion, example={"deletionAt": LATER}), fails=(409,),
        description="Needs recent authentication. Organizations that nobody else owns are named in a 409.",
    ))  # fmt: skip
    def delete_account() -> Response:
        return answer({"deletionAt": deletion.begin(caller())})

    @serve(blp, "POST", "/account/delete/cancel", Operation(
        "keepAccount", "Keep an account that was to be deleted", access=session_required,
        gives=Answer(Empty, example={}),
    ))  # fmt: skip
    def keep_account() -> Response:
        run_unit(caller(), deletion.cancel)
        return answer({})

    @serve(blp, "POST", "/impersonate", Operation(
        "impersonate", "Look at the service with the eyes of a user", access=session_required,
        takes=Body(Impersonate, example={"userId": USER["id"]}),
        gives=Answer(Impersonation, example={"token": "rg_sess_4Zq1...", "user": USER, "expiresAt": LATER}),
        fails=(404,),
        description="For platform admins, after recent authentication: half an hour of reading. The user is told.",
    ))  # fmt: skip
    def impersonate(given: dict[str, Any]) -> Response:
        opened = impersonation.impersonate(caller(), given["user_id"])
        body = {"token": opened.token, "user": user_body(opened.user), "expiresAt": opened.session.expires_at}
        return no_store(answer(body))

    return blp
