"""Pages that links in mails lead to. Programs that look through mail follow links, so following one changes nothing:
GET moves the secret off the address into a cookie, and a button acts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from flask import Response, request, url_for

from app.auth.credentials import link_cookie
from app.auth.errors import InvalidToken
from app.foundation.languages import lazy as _
from blueprints.pages import pages
from blueprints.pages.forms import AccountForm, address_field


class AddressForm(AccountForm):
    email = address_field(_("E-mail"), "username")


def leads_to(page: str) -> Callable[[Callable[[str], Response]], Callable[[], Response]]:
    """Let a view be the page with the endpoint ``page``, to which links lead. It gets the secret, and raises
    InvalidToken for one that is over: then the page says how to get another link."""

    def declare(view: Callable[[str], Response]) -> Callable[[], Response]:
        @wraps(view)
        def opened() -> Response:
            if request.method in ("GET", "HEAD") and "token" in request.args:
                response = pages.redirect_to(_path_of(page))
                link_cookie.put(response, request.args["token"], _path_of(page))
                return response
            try:
                return view(secret_of(page))
            except InvalidToken:
                return _over(page)

        return opened

    return declare


def secret_of(page: str) -> str:
    """The secret of the link that led this browser to a page; empty without one."""
    return link_cookie.take(_path_of(page))


def used(page: str, response: Response) -> Response:
    """Forget a secret that has done its work."""
    link_cookie.drop(response, _path_of(page))
    return response


def _over(page: str) -> Response:
    """Say that the link does nothing, and what does."""
    status = (pages.page_error(InvalidToken) or InvalidToken).status
    has_secret = bool(secret_of(page))
    return used(page, pages.page("link_over", status, kind=page, has_secret=has_secret, form=pages.shown(AddressForm)))


def _path_of(page: str) -> str:
    return url_for(f"account.{page}")
