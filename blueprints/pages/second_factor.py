"""The second factor of a sign-in: the page where it is given, after a password or a provider."""

from __future__ import annotations

from flask import Response, request
from wtforms import BooleanField

from app.auth.accounts.proofs import MAX_SECRET_LENGTH
from app.auth.credentials import challenge_cookie
from app.auth.credentials.login import login_optional
from app.auth.errors import InvalidCode
from app.auth.sign_in.two_factor import challenges, codes
from app.foundation.languages import lazy as _
from app.runtime import rate_limits
from blueprints.pages import pages
from blueprints.pages.forms import AccountForm, code_field
from blueprints.people.entering import set_cookies


class SecondFactorForm(AccountForm):
    code = code_field(_("Code"))
    trustDevice = BooleanField(_("Do not ask again on this device for 30 days"))  # noqa: N815 - the wire name


@login_optional("is where the second factor of a sign-in is given")
def second_factor() -> Response:
    held = challenge_cookie.take()
    if held is None:
        return pages.to("sign_in")
    challenge, then, remember = held
    try:
        methods = challenges.methods_of(challenge)
    except InvalidCode:
        return _over()
    return pages.page(
        "second_factor", form=pages.shown(SecondFactorForm), methods=methods, next=pages.own_path(then),
        challenge=challenge if "passkey" in methods else "", remember=remember,
    )  # fmt: skip


@login_optional("opens the session")
@pages.acts_on("second_factor")
@rate_limits.limited_by(rate_limits.SIGN_INS)
def answer() -> Response:
    form = pages.sent(SecondFactorForm)
    challenge, then, remember = challenge_cookie.take() or ("", "", True)
    recovery = codes.looks_like_recovery(form.code.data)
    with pages.beside("code", InvalidCode), rate_limits.SIGN_INS:
        opened = challenges.answer(challenge, form.code.data, recovery=recovery, trust_device=form.trustDevice.data)
    pages.end_session_before()
    response = pages.redirect_to(pages.own_path(then))
    set_cookies(response, opened, remember=remember)
    challenge_cookie.drop(response)
    return response


@login_optional("asks for the second factor after a passkey that has not verified its user")
@pages.acts_on("sign_in")
def ask() -> Response:
    """The script of passkeys comes here with the challenge that it was answered with."""
    response = pages.to("second_factor")
    challenge = request.form.get("challenge", "")[:MAX_SECRET_LENGTH]
    challenge_cookie.put(response, challenge, pages.next_url(), remember=request.form.get("remember") != "false")
    return response


def _over() -> Response:
    """Say that there is nothing to answer any more, whatever was answered last."""
    failure = pages.page_error(InvalidCode)
    response = pages.page("second_factor_over", failure.status if failure else 400)
    challenge_cookie.drop(response)
    return response


ROUTES = (
    ("/second-factor", "second_factor", second_factor),
    ("/second-factor", "answer_challenge", answer, "POST"),
    ("/second-factor/ask", "ask_second_factor", ask, "POST"),
)
