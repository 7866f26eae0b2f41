"""What stands at the top of the pages of whoever is signed in, until something is done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import g, request

from app.auth.accounts.account_status import AccountStatus, status_of
from app.auth.accounts.mails import SECURITY
from app.engine.declare.principal import Principal
from app.foundation.languages import gettext as _
from app.foundation.settings import settings
from blueprints.pages.formats import day

DELETION = "/account/delete"


@dataclass(frozen=True)
class Notice:
    """A sentence, and the page where something can be done."""

    text: str
    url: str
    link_text: str


def account_status_of(principal: Principal) -> AccountStatus:
    """How the account of the caller stands; read once, for the notices of a page and for what is below them."""
    if "account_status" not in g:
        g.account_status = status_of(principal)
    return cast(AccountStatus, g.account_status)


def of_caller(principal: Principal | None) -> list[Notice]:
    """What whoever is signed in should know, where a page is looked at; a page does not lead to itself."""
    if principal is None or principal.user_id is None or request.method != "GET":
        return []
    own = account_status_of(principal)
    found = []
    if own.delete_after is not None:
        text = _("Your account will be deleted on %(day)s.") % {"day": day(own.delete_after)}
        found.append(Notice(text, DELETION, _("Keep it")))
    if own.requiring_second_factor:
        names = ", ".join(own.requiring_second_factor)
        text = _("Not reachable without a second factor: %(names)s.") % {"names": names}
        found.append(Notice(text, SECURITY, _("Set up a second factor")))
    elif principal.is_admin and not own.has_factor and settings.production:
        text = _("You run this service, and a password alone guards your account.")
        found.append(Notice(text, SECURITY, _("Set up a second factor")))
    return [each for each in found if each.url != request.path]
