"""The tab in Teams: its session, its configuration page, and the page itself."""

from __future__ import annotations

import flask
from flask import Response, render_template, request

from app.auth.credentials.access import open_to_all
from app.auth.credentials.sessions import SignedIn
from app.auth.sign_in.two_factor.challenges import Challenged
from app.teams import tab
from blueprints.http.base import Blueprint, answer
from blueprints.http.declarations import ANY_QUERY, Answer, Operation, serve
from blueprints.http.examples import USER
from blueprints.people.entering import challenge_body, no_store
from schemas.people.sign_in import TabSession, TwoFactorRequired, user_body

# Where Teams and its relatives show pages in frames.
HOSTS = (
    "https://teams.microsoft.com https://*.teams.microsoft.com https://*.cloud.microsoft https://*.microsoft365.com "
    "https://*.office.com https://outlook.office.com https://outlook.office365.com https://outlook-sdf.office.com "
    "https://outlook-sdf.office365.com"
)
FRAMED = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        f"base-uri 'none'; form-action 'self'; frame-ancestors 'self' {HOSTS}"
    ),
    "Referrer-Policy": "no-referrer",
}
SESSION = {"token": "rg_sess_4Zq1...", "user": USER, "expiresAt": "2027-01-08T09:00:00.000Z"}


def build() -> Blueprint:
    blp = Blueprint("tab", __name__, url_prefix="/api/integrations/teams/tab", description="The tab in Teams.")

    @serve(blp, "POST", "/session", Operation(
        "createTabSession", "Exchange a tab token for a session",
        access=open_to_all("proves its caller by a token of Teams", limited=True),
        gives=Answer(example=SESSION, any_of=(TabSession, TwoFactorRequired)), fails=(401, 403),
        description="Send the token that TeamsJS gets as the bearer. An account with a second factor is asked for it.",
    ))  # fmt: skip
    def session() -> Response:
        return _opened(tab.sign_in(request.headers.get("Authorization", "")))

    @serve(blp, "GET", "/config", Operation(
        "readTabConfiguration", "The page that adds the tab", access=open_to_all("a page without data"),
        gives=Answer(content_type="text/html"), query=ANY_QUERY,
    ))  # fmt: skip
    def config() -> Response:
        return Response(render_template("tab-config.html"), headers=FRAMED)

    return blp


def build_page() -> flask.Blueprint:
    """The page that the tab shows."""
    blp = flask.Blueprint("teams-tab", __name__)

    @blp.get("/teams-tab")
    @open_to_all("a page without data")
    def teams_tab() -> Response:
        return Response(render_template("teams-tab.html"), headers=FRAMED)

    return blp


def _opened(opened: SignedIn | Challenged) -> Response:
    if isinstance(opened, Challenged):
        return no_store(answer(challenge_body(opened)))
    body = {"token": opened.token, "user": user_body(opened.user), "expiresAt": opened.session.expires_at}
    return no_store(answer(body))
