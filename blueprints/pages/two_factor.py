"""The second factor by codes: setting it up, its recovery codes, switching it off, and devices that need none.

What is known once only stands in the answer to the form that asked for it. The secret of an enrolment travels with
its page, sealed, so that a wrong first code need not begin anew.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

from flask import Response, current_app, g, request, url_for
from markupsafe import Markup

from app.auth.credentials.authentication import caller
from app.auth.errors import InvalidCode, InvalidEmailOrPassword
from app.auth.sign_in import devices
from app.auth.sign_in.two_factor import enrolment
from app.engine.write.unit_of_work import run_unit
from app.foundation.crypto import vault
from app.foundation.errors import NotFound
from app.foundation.languages import gettext, marked
from app.foundation.languages import lazy as _
from blueprints.pages import pages
from blueprints.pages.forms import AccountForm, code_field, password_field
from blueprints.people.two_factor import qr_code

GROUP = 4
# For as long as recent authentication and some looking for the telephone.
KEPT = timedelta(hours=1)
WRONG_CODE = marked("This code is not right. Codes change every half minute: try the next one.")
NOT_THE_PASSWORD = marked("This is not your password.")


class ConfirmForm(AccountForm):
    code = code_field(_("Code that the app shows"), inputmode="numeric")


class DisableForm(AccountForm):
    password = password_field(_("Password"))
    code = code_field(_("Code of the app, or a recovery code"))

    def suit(self, *, has_password: bool) -> None:
        """Ask for the password where there is one."""
        if not has_password:
            del self.password


@pages.signed_in
def two_factor() -> Any:
    """The page of an enrolment that is under way, by what its form keeps; there is none to come back to."""
    kept = vault().open_for(_purpose(), request.form.get("kept", ""), KEPT)
    if kept is None:
        return current_app.view_functions["account.security"]() if "failure" in g else pages.to("security")
    return _enrolment_page(**kept)


@pages.signed_in
@pages.acts_on("security")
def enroll() -> Response:
    begun = enrolment.enroll(caller())
    return _enrolment_page(begun.secret, begun.uri)


@pages.signed_in
@pages.acts_on("two_factor")
def confirm() -> Response:
    form = pages.sent(ConfirmForm)
    try:
        with pages.beside("code", InvalidCode, WRONG_CODE):
            codes = enrolment.confirm(caller(), form.code.data)
    except NotFound:
        return pages.done("security", gettext("There was nothing left to confirm."))
    return _codes_page(codes, is_new=True)


@pages.signed_in
@pages.acts_on("security")
def renew_recovery_codes() -> Response:
    try:
        return _codes_page(enrolment.renew_recovery_codes(caller()), is_new=False)
    except NotFound:
        return pages.done("security", gettext("The second factor is off."))


@pages.signed_in
@pages.acts_on("security")
def disable() -> Response:
    has_password = "password" in request.form
    form = pages.sent(DisableForm, lambda form: form.suit(has_password=has_password))
    with (
        suppress(NotFound),  # another page has done it
        pages.beside("code", InvalidCode, WRONG_CODE),
        pages.beside("password", InvalidEmailOrPassword, NOT_THE_PASSWORD),
    ):
        enrolment.disable(caller(), form.code.data, form.password.data if has_password else None)
    return pages.done("security", gettext("The second factor is off."))


@pages.signed_in
@pages.acts_on("security")
def distrust(device_id: UUID) -> Response:
    if not run_unit(caller(), devices.distrust, device_id):
        raise NotFound()
    return pages.done("security", gettext("That device asks for the second factor again."))


def _enrolment_page(secret: str, uri: str) -> Response:
    groups = [secret[start : start + GROUP] for start in range(0, len(secret), GROUP)]
    return _once(
        "two_factor", form=pages.shown(ConfirmForm), kept=vault().seal_for(_purpose(), {"secret": secret, "uri": uri}),
        groups=groups, uri=uri, picture=Markup(qr_code(uri)),  # noqa: S704 - of paths and numbers
    )  # fmt: skip


def _codes_page(codes: list[str], *, is_new: bool) -> Response:
    return _once("recovery_codes", codes=codes, is_new=is_new)


def _once(template: str, **values: Any) -> Response:
    """A page that is there this once: its languages lead to the one that it came from."""
    g.place = url_for("account.security")
    return pages.page(template, **values)


def _purpose() -> str:
    return f"enrolment of {pages.own_id()}"


PLACE = "/security/two-factor"
ROUTES = (
    (PLACE, "two_factor", two_factor),
    (PLACE, "enroll", enroll, "POST"),
    (f"{PLACE}/confirm", "confirm_two_factor", confirm, "POST"),
    (f"{PLACE}/disable", "disable_two_factor", disable, "POST"),
    ("/security/recovery-codes", "renew_recovery_codes", renew_recovery_codes, "POST"),
    ("/security/devices/<uuid:device_id>/revoke", "distrust", distrust, "POST"),
)
