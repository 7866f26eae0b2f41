"""Step-up: the page where whoever is signed in proves once more who that is, and goes on."""

from __future__ import annotations

from flask import Response

from app.auth.credentials import reauthentication as services
from app.auth.credentials.authentication import caller
from app.auth.errors import InvalidCode, InvalidEmailOrPassword
from app.auth.sign_in.two_factor import enrolment
from app.foundation.languages import lazy as _
from app.runtime import rate_limits
from blueprints.pages import pages
from blueprints.pages.forms import AccountForm, code_field, password_field


class PasswordForm(AccountForm):
    password = password_field(_("Password"))


class CodeForm(AccountForm):
    code = code_field(_("Code"))


@pages.signed_in
def confirm() -> Response:
    return pages.page(
        "confirm", ways=services.ways(caller()), next=pages.next_url(), by_password=pages.shown(PasswordForm),
        by_code=pages.shown(CodeForm),
    )  # fmt: skip


@pages.signed_in
@pages.acts_on("confirm")
@rate_limits.limited_by(rate_limits.SIGN_INS)
def by_password() -> Response:
    form = pages.sent(PasswordForm)
    with pages.beside("password", InvalidEmailOrPassword, "The password is not right."), rate_limits.SIGN_INS:
        services.by_password(caller(), form.password.data)
    return pages.redirect_to(pages.next_url())


@pages.signed_in
@pages.acts_on("confirm")
@rate_limits.limited_by(rate_limits.SIGN_INS)
def by_code() -> Response:
    form = pages.sent(CodeForm)
    with pages.beside("code", InvalidCode), rate_limits.SIGN_INS:
        enrolment.reauthenticate(caller(), form.code.data)
    return pages.redirect_to(pages.next_url())


ROUTES = (
    ("/confirm", "confirm", confirm),
    ("/confirm/password", "confirm_by_password", by_password, "POST"),
    ("/confirm/code", "confirm_by_code", by_code, "POST"),
)
