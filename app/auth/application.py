"""What accounts add to an application: the guard of its routes, sessions, providers, the record of key use."""

from __future__ import annotations

from flask import Flask

from app.auth.accounts import passwords
from app.auth.credentials import access, authentication, login, nobody
from app.auth.keys import key_usage
from app.auth.sign_in.oauth import providers
from app.auth.sign_in.oauth.state_cookie import SealedSessions


def init_app(app: Flask) -> None:
    """Set ``app`` up for sign-ins."""
    # Flask's own session signs nobody in: it holds sign-ins at providers that are under way and, for the account pages,
    # the language, the secret of their forms and what the next page says.
    app.session_interface = SealedSessions()
    key_usage.init_app(app)
    authentication.init_app(app)
    nobody.init_app(app)
    login.manager.init_app(app)
    providers.init_app(app, app.config["SETTINGS"])
    passwords.init_app(app)
    access.open_to_all("pages and their scripts")(app.view_functions["static"])
