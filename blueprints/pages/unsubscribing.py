"""The end of mail that one can leave, notifications among it: a page with a button, which programs for mail press by
themselves (RFC 8058)."""

from __future__ import annotations

from flask import Response, request

from app.auth.credentials.access import open_to_all
from app.auth.credentials.login import login_optional
from app.mail import subscriptions
from app.notification import mails
from blueprints.pages import pages


@login_optional("the link says whose notifications they are")
def unsubscribe() -> Response:
    token = request.args.get("token", "")
    subscriber = subscriptions.subscriber_of(token)
    if subscriber is None:
        mails.receiver_of(token)
    return pages.page("unsubscribe", token=token, subscriber=subscriber)


# No form of ours: the program that presses the button knows the link alone. Whoever has the link ends nothing else.
@open_to_all("the link says whose notifications they are", limited=True)
def end() -> Response:
    token = request.args.get("token", "")
    subscriber = subscriptions.subscriber_of(token)
    if subscriber is None:
        mails.unsubscribe(token)
    else:
        subscriptions.leave(subscriber)
    return pages.page("unsubscribed", subscriber=subscriber)


ROUTES = (
    ("/unsubscribe", "unsubscribe", unsubscribe),
    ("/unsubscribe", "end_mail", end, "POST"),
)
