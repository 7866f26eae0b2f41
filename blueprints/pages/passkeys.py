"""Passkeys: naming and removing them. Making one takes the browser, so a script does that over the JSON routes."""

from __future__ import annotations

from uuid import UUID

from flask import Response, request

from app.auth.credentials.authentication import caller
from app.auth.sign_in.passkeys import keeping
from app.engine.write.unit_of_work import run_unit
from app.foundation.languages import gettext as _
from blueprints.http.base import load
from blueprints.pages import pages
from schemas.people.factors import RenamePasskey

NAMED = RenamePasskey()


@pages.signed_in
@pages.acts_on("security")
def rename(passkey_id: UUID) -> Response:
    given = load(NAMED, {"name": request.form.get("name", "").strip()})
    run_unit(caller(), keeping.rename, passkey_id, given["name"])
    return pages.done("security", _("The passkey has its new name."))


@pages.signed_in
@pages.acts_on("security")
def remove(passkey_id: UUID) -> Response:
    keeping.remove(caller(), passkey_id)
    return pages.done("security", _("The passkey is removed. Remove it from the device that keeps it as well."))


ONE = "/security/passkeys/<uuid:passkey_id>"
ROUTES = (
    (f"{ONE}/rename", "rename_passkey", rename, "POST"),
    (f"{ONE}/remove", "remove_passkey", remove, "POST"),
)
