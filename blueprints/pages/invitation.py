"""The page of an invitation's mail: for who is signed in as the invited person, as somebody else, or not at all."""

from __future__ import annotations

from flask import Response

from app.auth.credentials import cookies, sessions
from app.auth.credentials.authentication import caller, caller_if_any
from app.auth.credentials.login import login_optional
from app.auth.organizations import invitations as services
from app.engine.write.unit_of_work import run_unit
from app.foundation.languages import gettext
from app.foundation.languages import lazy as _
from app.runtime import rate_limits
from blueprints.http.base import load
from blueprints.pages import links, pages
from blueprints.pages.forms import AccountForm, name_field, new_password_field
from blueprints.people.entering import set_cookies
from schemas.people.accounts import AcceptInvitation

ACCEPTANCE = AcceptInvitation()


class JoinForm(AccountForm):
    name = name_field(_("Name"), "name")
    password = new_password_field(_("Password"))


@login_optional("the secret of the mail says which invitation")
@links.leads_to("invitation")
def invitation(token: str) -> Response:
    principal = caller_if_any()
    return pages.page(
        "invitation", invited=services.show(token), form=pages.shown(JoinForm),
        own_address=sessions.current(principal)[1].email if principal else "",
    )  # fmt: skip


@pages.signed_in
@pages.acts_on("invitation")
def accept() -> Response:
    services.accept(caller(), links.secret_of("invitation"))
    return links.used("invitation", pages.done("organizations", gettext("You are a member now.")))


@login_optional("makes the account of whoever is invited, and signs it in")
@pages.acts_on("invitation")
@rate_limits.limited_by(rate_limits.SIGN_UPS)
def join() -> Response:
    form = pages.sent(JoinForm)
    token = links.secret_of("invitation")
    given = load(ACCEPTANCE, {"token": token or "-", "name": form.name.data, "password": form.password.data})
    opened = services.accept_as_new(token, given["name"], given["password"])[1]
    pages.end_session_before()
    response = pages.done("organizations", gettext("You are a member now."))
    set_cookies(response, opened, remember=True)
    return links.used("invitation", response)


@login_optional("the secret of the mail says which invitation")
@pages.acts_on("invitation")
def decline() -> Response:
    services.reject(links.secret_of("invitation"))
    response = pages.done("organizations" if caller_if_any() else "sign_in", gettext("The invitation is declined."))
    return links.used("invitation", response)


@login_optional("makes room for the invited person")
@pages.acts_on("invitation")
def leave() -> Response:
    """Sign out and stay here, where the invited person signs in."""
    principal = caller_if_any()
    if principal is not None:
        run_unit(principal, sessions.sign_out)
    response = pages.to("invitation")
    cookies.clear(response)
    return response


ROUTES = (
    ("/invitation", "invitation", invitation),
    ("/invitation/accept", "accept_link", accept, "POST"),
    ("/invitation/join", "join_by_link", join, "POST"),
    ("/invitation/decline", "decline_link", decline, "POST"),
    ("/invitation/sign-out", "leave_for_link", leave, "POST"),
)
