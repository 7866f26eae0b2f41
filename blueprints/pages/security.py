"""What guards an account: its password and its address; second factors and passkeys stand on the same page."""

from __future__ import annotations

from flask import Response
from wtforms import BooleanField

from app.auth.accounts import passwords, recovery, verification
from app.auth.credentials import sessions
from app.auth.credentials.authentication import caller
from app.auth.errors import InvalidEmailOrPassword, PasswordRefused
from app.auth.sign_in import devices
from app.auth.sign_in.passkeys import keeping
from app.engine.read.database import reading
from app.engine.write.unit_of_work import run_unit
from app.foundation.languages import gettext
from app.foundation.languages import lazy as _
from app.runtime import rate_limits
from blueprints.pages import notices, pages
from blueprints.pages.forms import AccountForm, address_field, new_password_field, password_field
from blueprints.pages.two_factor import NOT_THE_PASSWORD, DisableForm


class PasswordForm(AccountForm):
    currentPassword = password_field(_("Current password"))  # noqa: N815 - the wire name
    newPassword = new_password_field(_("New password"))  # noqa: N815 - the wire name
    revokeOtherSessions = BooleanField(_("Sign out everywhere else"), default=True)  # noqa: N815 - the wire name

    def suit(self, *, has_password: bool) -> None:
        """Ask for the password that there is, and for none where there is none."""
        if not has_password:
            del self.currentPassword


class AddressForm(AccountForm):
    email = address_field(_("New address"))


@pages.signed_in
def security() -> Response:
    principal = caller()
    _session, user = sessions.current(principal)
    password, disabling = pages.shown(PasswordForm), pages.shown(DisableForm)
    has_password = _has_password()
    password.suit(has_password=has_password)
    disabling.suit(has_password=has_password)
    return pages.page(
        "security", user=user, has_password=has_password, password=password, address=pages.shown(AddressForm),
        disabling=disabling, devices=run_unit(principal, devices.list_trusted),
        passkeys=run_unit(principal, keeping.own),
        waiting=notices.account_status_of(principal).requiring_second_factor,
    )  # fmt: skip


@pages.signed_in
@pages.acts_on("security")
def change_password() -> Response:
    has_password = _has_password()
    form = pages.sent(PasswordForm, lambda form: form.suit(has_password=has_password))
    current = form.currentPassword.data if has_password else None
    try:
        with pages.beside("currentPassword", InvalidEmailOrPassword, NOT_THE_PASSWORD):
            recovery.change(caller(), current, form.newPassword.data, elsewhere=form.revokeOtherSessions.data)
    except PasswordRefused as refused:
        raise refused.on("newPassword") from None
    return pages.done("security", gettext("Your password is changed."))


@pages.signed_in
@pages.acts_on("security")
@rate_limits.limited_by(rate_limits.MAILS)
def change_address() -> Response:
    verification.ask_to_change(caller(), pages.sent(AddressForm).email.data)
    return pages.done(
        "security", gettext("A link is on its way to the new address. Open it to make the address yours.")
    )


@pages.signed_in
@pages.acts_on("security")
@rate_limits.limited_by(rate_limits.MAILS)
def send_link_again() -> Response:
    _session, user = sessions.current(caller())
    verification.resend(user.email)
    return pages.done("security", gettext("A link is on its way to your address."))


def _has_password() -> bool:
    with reading() as session:
        return passwords.stored_hash_of(session, pages.own_id()) is not None


ROUTES = (
    ("/security", "security", security),
    ("/security/password", "change_password", change_password, "POST"),
    ("/security/address", "change_address", change_address, "POST"),
    ("/security/address/resend", "send_link_again", send_link_again, "POST"),
)
