"""The pages of mails about address and password: proving an address, choosing a new password, taking a change of
address back."""

from __future__ import annotations

from contextlib import nullcontext

from flask import Response
from wtforms import BooleanField

from app.auth.accounts import proofs, verification
from app.auth.accounts import recovery as services
from app.auth.credentials.authentication import caller_if_any
from app.auth.credentials.login import login_optional
from app.auth.errors import InvalidEmailOrPassword
from app.foundation.languages import gettext
from app.foundation.languages import lazy as _
from app.runtime import rate_limits
from blueprints.pages import links, pages
from blueprints.pages.forms import AccountForm, new_password_field, password_field


class OwnPasswordForm(AccountForm):
    password = password_field(_("Password"))


class ResetForm(AccountForm):
    password = new_password_field(_("New password"))
    revokeKeys = BooleanField(_("Revoke my API keys as well"))  # noqa: N815 - the wire name


@login_optional("is where people come who have forgotten their password")
def forgot() -> Response:
    return pages.page("forgot", form=pages.shown(links.AddressForm))


@login_optional("tells nothing of accounts")
@pages.acts_on("forgot")
@rate_limits.limited_by(rate_limits.MAILS)
def forget() -> Response:
    services.forget(pages.sent(links.AddressForm).email.data)
    return pages.to("forgot_sent")


@login_optional("says the same whether or not there is an account")
def forgot_sent() -> Response:
    return pages.page("forgot_sent")


@login_optional("the secret of the mail says whose address it is")
@links.leads_to("verify")
def verify(token: str) -> Response:
    proof = proofs.preview(token, proofs.VERIFY, proofs.CHANGE)
    return pages.page(
        "verify", address=proof.context["email"], is_own=_is_own(proof), form=pages.shown(OwnPasswordForm)
    )  # fmt: skip


@login_optional("the session of the account, or its password in the form")
@pages.acts_on("verify")
@rate_limits.limited_by(rate_limits.SIGN_INS)
def confirm() -> Response:
    token = links.secret_of("verify")
    is_own = _is_own(proofs.preview(token, proofs.VERIFY, proofs.CHANGE))
    password = None if is_own else pages.sent(OwnPasswordForm).password.data
    counted = nullcontext() if is_own else rate_limits.SIGN_INS
    with pages.beside("password", InvalidEmailOrPassword, "The password is not right."), counted:
        verification.verify(token, password, caller_if_any())
    told = gettext("The address is confirmed.")
    return links.used("verify", pages.done("profile" if caller_if_any() else "sign_in", told))


@login_optional("tells nothing of accounts")
@pages.acts_on("verify")
@rate_limits.limited_by(rate_limits.MAILS)
def resend() -> Response:
    verification.resend(pages.sent(links.AddressForm).email.data)
    told = gettext("If this address waits to be confirmed, a new link is on its way to it.")
    return pages.done("profile" if caller_if_any() else "sign_in", told)


@login_optional("the secret of the mail says whose password it is")
@links.leads_to("reset")
def reset(token: str) -> Response:
    address = proofs.preview(token, proofs.RESET).context["email"]
    return pages.page("reset", address=address, form=pages.shown(ResetForm))


@login_optional("the secret of the mail says whose password it is")
@pages.acts_on("reset")
def choose() -> Response:
    form = pages.sent(ResetForm)
    services.reset(links.secret_of("reset"), form.password.data, revoke_keys=form.revokeKeys.data)
    return links.used("reset", pages.done("sign_in", gettext("Your new password counts from now on. Sign in with it.")))


@login_optional("the secret of the mail says whose address it was")
@links.leads_to("revert")
def revert(token: str) -> Response:
    return pages.page("revert", address=proofs.preview(token, proofs.REVERT).context["email"])


@login_optional("the secret of the mail says whose address it was")
@pages.acts_on("revert")
def take_back() -> Response:
    verification.revert(links.secret_of("revert"))
    told = gettext("Your address is back. A link to choose a new password is on its way to it.")
    return links.used("revert", pages.done("sign_in", told))


def _is_own(proof: proofs.Proof) -> bool:
    """Whether whoever is signed in is who the link is for."""
    principal = caller_if_any()
    return principal is not None and principal.user_id == proof.user_id


ROUTES = (
    ("/forgot", "forgot", forgot),
    ("/forgot", "forget_password", forget, "POST"),
    ("/forgot/sent", "forgot_sent", forgot_sent),
    ("/verify", "verify", verify),
    ("/verify", "verify_address", confirm, "POST"),
    ("/verify/resend", "resend_verification", resend, "POST"),
    ("/reset", "reset", reset),
    ("/reset", "choose_password", choose, "POST"),
    ("/revert", "revert", revert),
    ("/revert", "revert_address", take_back, "POST"),
)
