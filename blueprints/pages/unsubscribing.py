"""The end of notifications by mail: a page with a button, which programs for mail press by themselves (RFC 8058)."""

from __future__ import annotations

from flask import Response, request

from app.auth.credentials.access import open_to_all
from app.auth.credentials.login import login_optional
from app.notification import mails
from blueprints.pages import pages


@login_optional("the link says whose notifications they are")
def unsubscribe() -> Response:
    token = request.args.get("token", "")
    mails.receiver_of(token)
    return pages.page("unsubscribe", token=token)


# No form of ours: the program that presses the button knows the link alone. Whoever has the link ends nothing else.
@open_to_all("the link says whose notifications they are", limited=True)
def end() -> Response:
    mails.unsubscribe(request.args.get("token", ""))
    return pages.page("unsubscribed")


ROUTES = (
    ("/unsubscribe", "unsubscribe", unsubscribe),
    ("/unsubscribe", "end_mail", end, "POST"),
)
