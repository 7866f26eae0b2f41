"""Ways in and out: signing in with a password or at a provider, signing up, signing out."""

from __future__ import annotations

from flask import Response, request, url_for

from app.auth.credentials import challenge_cookie, cookies, sessions
from app.auth.credentials.authentication import caller_if_any, session_of_cookie
from app.auth.credentials.login import login_optional
from app.auth.sign_in import by_plugins
from app.auth.sign_in import sign_in as services
from app.auth.sign_in.oauth import flow, providers
from app.auth.sign_in.two_factor.challenges import Challenged
from app.engine.write.unit_of_work import run_unit
from app.extension_points import SIGN_INS
from app.foundation.errors import Failure, Forbidden, require_found
from app.foundation.languages import gettext as _
from app.runtime import rate_limits
from blueprints.http.base import load
from blueprints.pages import pages, sentences
from blueprints.pages.forms import ElsewhereForm, SignInForm, SignUpForm
from blueprints.people.entering import set_cookies
from schemas.people.sign_in import SignUp

SIGN_UP = SignUp()


@login_optional("is where whoever is not signed in signs in")
def sign_in() -> Response:
    # Whoever needs recent authentication comes here signed in.
    if caller_if_any() is not None and "again" not in request.args:
        return pages.to("profile")
    refused = request.args.get("error")
    told = sentences.of_provider(refused) if refused and request.method == "GET" else ""
    return pages.page(
        "sign_in", form=pages.shown(SignInForm), next=pages.next_url(), told=told, providers=providers.configured(),
        ways=SIGN_INS,
    )  # fmt: skip


@login_optional("opens the session")
@pages.acts_on("sign_in")
@rate_limits.limited_by(rate_limits.SIGN_INS)
def enter() -> Response:
    form = pages.sent(SignInForm)
    opened = services.with_password(form.email.data, form.password.data)
    pages.end_session_before()
    return _entered(opened, remember=form.rememberMe.data)


@login_optional("is where whoever is known elsewhere signs in")
def sign_in_elsewhere(way: str) -> Response:
    service = require_found(SIGN_INS.get(way))
    return pages.page(
        "sign_in_elsewhere", form=pages.shown(ElsewhereForm), next=pages.next_url(), way=way, label=service.label
    )


@login_optional("opens the session")
@pages.acts_on("sign_in_elsewhere")
@rate_limits.limited_by(rate_limits.SIGN_INS)
def enter_elsewhere(way: str) -> Response:
    form = pages.sent(ElsewhereForm)
    try:
        opened = by_plugins.sign_in(way, form.login.data, form.password.data)
    except Forbidden as refusal:
        if "reason" not in refusal.details:
            raise
        raise Forbidden(sentences.of_provider(refusal.details["reason"])) from None
    pages.end_session_before()
    return _entered(opened, remember=form.rememberMe.data)


@login_optional("is where people make an account")
def sign_up() -> Response:
    if caller_if_any() is not None:
        return pages.to("profile")
    return pages.page(
        "sign_up", form=pages.shown(SignUpForm), next=pages.next_url(), providers=providers.configured(), ways=SIGN_INS
    )


@login_optional("makes the account that signs in")
@pages.acts_on("sign_up")
@rate_limits.limited_by(rate_limits.SIGN_UPS)
def join() -> Response:
    form = pages.sent(SignUpForm)
    given = load(SIGN_UP, {name: form[name].data for name in ("name", "email", "password")})
    try:
        _user, opened = services.sign_up(given)
    except Failure as failure:
        if failure.code == "USER_ALREADY_EXISTS":
            failure.details = {"fields": {"email": [failure.text]}}
        raise
    if opened is None:
        told = _("Your account is ready. Confirm its address, then sign in.")
        return pages.done("sign_in", told, next=pages.next_url())
    return _entered(opened, remember=True)


@login_optional("leads to the provider where people sign in")
@pages.acts_on("sign_in")
def go_to_provider(provider: str) -> Response:
    """A page that goes on to the provider by itself. A redirect would meet the rule on where forms of these pages lead,
    which covers every host on the provider's own way, such as that of an employer."""
    back = pages.next_url()
    place = flow.start(provider, caller_if_any(), back, url_for("account.sign_in", next=back))
    return pages.page("away", place=place, provider=provider)


@login_optional("ends a session if there is one")
@pages.acts_on("profile")
def sign_out() -> Response:
    principal = caller_if_any() or session_of_cookie()
    if principal is not None:
        run_unit(principal, sessions.sign_out)
    response = pages.done("sign_in", _("You are signed out."))
    cookies.clear(response)
    return response


def _entered(outcome: sessions.SignedIn | Challenged, *, remember: bool) -> Response:
    if isinstance(outcome, Challenged):
        response = pages.to("second_factor")
        challenge_cookie.put(response, outcome.challenge, pages.next_url(), remember=remember)
        return response
    response = pages.redirect_to(pages.next_url())
    set_cookies(response, outcome, remember=remember)
    return response


ROUTES = (
    ("/sign-in", "sign_in", sign_in),
    ("/sign-in", "enter", enter, "POST"),
    ("/sign-in/<string:way>", "sign_in_elsewhere", sign_in_elsewhere),
    ("/sign-in/<string:way>", "enter_elsewhere", enter_elsewhere, "POST"),
    ("/sign-up", "sign_up", sign_up),
    ("/sign-up", "join", join, "POST"),
    ("/providers/<string:provider>", "go_to_provider", go_to_provider, "POST"),
    ("/sign-out", "sign_out", sign_out, "POST"),
)
