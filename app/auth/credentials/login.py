"""Flask-Login on the consumer and Teams routes: it loads the user from the credential of the request.

Routes of data do not use it: ``app.auth.credentials.authentication`` finds their caller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import flask_login
from flask import Flask, g, request
from flask_login import LoginManager, UserMixin

from app.auth.credentials.access import Access, RequiredGrants, WithGrants, declare_access
from app.auth.credentials.authentication import access_of_request, authenticate_and_authorize
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Principal
from app.foundation.errors import Unauthenticated

F = TypeVar("F", bound=Callable[..., Any])


class Person(UserMixin):
    """The user of Flask-Login: whoever a credential stands for."""

    def __init__(self, principal: Principal) -> None:
        self.principal = principal

    def get_id(self) -> str:
        return str(self.principal.user_id)


class StatelessLoginManager(LoginManager):
    """A LoginManager without a session of its own: it reads and sets no cookie, and leaves Flask's session alone, so
    that no answer varies by a cookie that nobody read."""

    def init_app(self, app: Flask, add_context_processor: bool = False) -> None:
        app.login_manager = self  # type: ignore[attr-defined]

    def _load_user(self) -> None:
        self._update_request_context_with_user(self._load_user_from_request(request))


manager = StatelessLoginManager()


@manager.request_loader
def _person(_: object) -> Person | None:
    try:
        g.principal = authenticate_and_authorize(access_of_request())
        return Person(g.principal)
    except Unauthenticated as refusal:
        g.refusal = refusal
        return None


@manager.unauthorized_handler
def _refuse() -> NoReturn:
    raise g.refusal


def login_required(
    session_only: SessionOnly = SessionOnly.NEVER,
    *,
    with_tickets: bool = False,
    with_tabs: bool = False,
    private: bool = False,
    requires_grants: RequiredGrants | None = None,
    with_grants: WithGrants = WithGrants.NOBODY,
) -> Callable[[F], F]:
    """Declare that a route of people needs whoever is signed in, with the scope of its verb. Callers with grants are
    admitted as ``requires_grants`` or ``with_grants`` says."""
    access = Access(
        people=True, session_only=session_only, tickets=with_tickets, tabs=with_tabs, private=private,
        requires_grants=requires_grants, with_grants=with_grants,
    )  # fmt: skip
    return lambda view: declare_access(access)(flask_login.login_required(view))


def login_optional(reason: str, *, reads: bool = False, private: bool = False) -> Callable[[F], F]:
    """Declare that a route of people works without a credential, why, and that it knows who is signed in. A credential
    that is not good counts as none. With ``reads``, one that may only read is good enough."""
    access = Access(
        optional=reason, session_only=SessionOnly.ALL, people=True, reads=reads, private=private,
        with_grants=WithGrants.PEOPLE,
    )  # fmt: skip
    return declare_access(access)
