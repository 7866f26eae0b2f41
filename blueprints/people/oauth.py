"""Sign-in through an OAuth provider: where it starts, and where the browser comes back."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from app.auth.credentials import challenge_cookie, cookies
from app.auth.credentials.access import open_to_all
from app.auth.credentials.authentication import caller_if_any
from app.auth.credentials.login import login_optional
from app.auth.sign_in.oauth import flow, linking
from app.auth.sign_in.oauth.providers import ProviderSignInFailed
from app.auth.sign_in.two_factor.challenges import Challenged
from blueprints.http.base import Blueprint, answer, json_body, load
from blueprints.http.declarations import ANY_QUERY, Answer, Body, Operation, serve
from blueprints.people.entering import set_cookies
from schemas.people.sign_in import OAuthStart, OAuthStarted

START = OAuthStart()
HOME = "/"
SECOND_FACTOR = "/account/second-factor"
STARTING = """Answers the address of the provider (github, google or microsoft) to send the browser to. Called with a
session, a new identity is linked to its user; without one, it signs in or makes an account."""


FINISHING = """Redirects with the session cookie, to /account/second-factor where the account asks for one, or with
?error= to where the start asked for."""


def build() -> Blueprint:
    blp = Blueprint("oauth", __name__, url_prefix="/api/auth/oauth", description="Sign-in through OAuth providers.")
    _route_start(blp)
    _route_finish(blp)
    return blp


def _route_start(blp: Blueprint) -> None:
    @serve(blp, "POST", "/<string:provider>", Operation(
        "startOAuth", "Start a sign-in through a provider",
        access=login_optional("leads to the provider where people sign in"),
        takes=Body(example={"callbackURL": "/welcome"}, any_of=(OAuthStart,)),
        gives=Answer(OAuthStarted, example={"url": "https://github.com/login/oauth/authorize?...", "redirect": True}),
        fails=(502,), description=STARTING,
    ))  # fmt: skip
    def start(provider: str) -> Response:
        cookies.refuse_cross_site()
        given = load(START, json_body() if request.content_length or request.mimetype else {})
        to = given.get("callback_url", HOME)
        url = flow.start(provider, caller_if_any(), to, given.get("error_callback_url", to))
        return answer({"url": url, "redirect": not given.get("disable_redirect", False)})


def _route_finish(blp: Blueprint) -> None:
    @serve(blp, "GET", "/<string:provider>/callback", Operation(
        "finishOAuth", "Come back from a provider",
        access=open_to_all("the provider sends browsers here; the state proves which", limited=True),
        gives=Answer(status=302), query=ANY_QUERY,
        description=FINISHING,
    ))  # fmt: skip
    def finish(provider: str) -> BaseResponse:
        if request.method == "HEAD":
            return _redirect(HOME)  # whoever looks ahead must not use the state up
        try:
            back = flow.resume(provider)
        except ProviderSignInFailed as refusal:
            return _redirect(HOME, refusal.code)
        try:
            outcome = linking.sign_in(flow.identify(provider), back.session_id)
        except ProviderSignInFailed as refusal:
            return _redirect(back.error_callback_url, refusal.code)
        if isinstance(outcome, Challenged):
            response = _redirect(SECOND_FACTOR)
            challenge_cookie.put(response, outcome.challenge, back.callback_url)
            return response
        response = _redirect(back.callback_url)
        set_cookies(response, outcome, remember=True)
        return response


def _redirect(path: str, error: str = "") -> Response:
    place, hash_mark, fragment = path.partition("#")
    if error:
        place += ("&" if "?" in place else "?") + urlencode({"error": error})
    response: Response = redirect(place + hash_mark + fragment)  # type: ignore[assignment]
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
