"""What routes ask of their callers: a declaration beside each, which the guard reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Reader
from app.engine.declare.record import Record

F = TypeVar("F", bound=Callable[..., Any])


class WithGrants(StrEnum):
    """Who is admitted, of the callers with grants, to a route that stands for no operation: people, to what is about
    themselves, and not their keys; or everybody, to what tells of grants or asks for them later."""

    NOBODY = "nobody"
    PEOPLE = "people"
    EVERYBODY = "everybody"


@dataclass(frozen=True)
class RequiredGrants:
    """The operations on models that a route stands for, in the words of grants. What a route does by hand is judged by
    no row and no field, so it needs grants of all of both, unless the engine carries it out (``is_judged``)."""

    models: tuple[type[Record], ...]
    operations: tuple[str, ...]
    is_judged: bool = False

    def admits(self, reader: Reader) -> bool:
        """Whether the grants of ``reader`` open the route."""
        opens = reader.admits if self.is_judged else reader.admits_wholly
        return all(opens(model, *self.operations) for model in self.models)


@dataclass(frozen=True)
class Access:
    """What a route asks of its caller.

    ``open`` routes ask nothing, though some are ``limited`` by address; ``optional`` ones know a caller who presents a
    credential. Both give their reason. ``reads`` routes need no more than reading does, whatever their verb;
    ``private`` ones are closed to admins who impersonate; ``composite`` ones write down themselves what these ask for,
    with its parts. Where a route is ``guarded``, a key in the query reads at most, and so does a connected client. On
    the routes of ``people``, whom ``login`` admits, a browser's session counts. With ``tickets`` one may come in the
    query, for streams; with ``tabs`` the token of the tab in Teams counts as well, with ``clients`` those of connected
    clients. A caller with grants passes where these open the operations of ``requires_grants``, or as ``with_grants``
    says.
    """

    open: str = ""
    limited: bool = False
    optional: str = ""
    session_only: SessionOnly = SessionOnly.NEVER
    people: bool = False
    reads: bool = False
    private: bool = False
    composite: bool = False
    guarded: bool = False
    tickets: bool = False
    tabs: bool = False
    clients: bool = False
    requires_grants: RequiredGrants | None = None
    with_grants: WithGrants = WithGrants.NOBODY


def open_to_all(reason: str, *, limited: bool = False) -> Callable[[F], F]:
    """Declare that a route asks for no credential, or for one of a form of its own, and why. With ``limited``, requests
    are counted by network against DEFAULT_LIMIT."""
    return declare_access(Access(open=reason, limited=limited))


def credentials_required(
    session_only: SessionOnly = SessionOnly.NEVER,
    *,
    reads: bool = False,
    composite: bool = False,
    requires_grants: RequiredGrants | None = None,
    with_grants: WithGrants = WithGrants.NOBODY,
) -> Callable[[F], F]:
    """Declare that a route needs a session or an API key with the scope of its verb, or only of reading if it
    ``reads``. Callers with grants are admitted as ``requires_grants`` or ``with_grants`` says."""
    return declare_access(
        Access(
            session_only=session_only,
            reads=reads,
            composite=composite,
            requires_grants=requires_grants,
            with_grants=with_grants,
        )
    )


def rights_required(
    model: type[Record],
    *operations: str,
    reads: bool = False,
    private: bool = False,
    with_grants: WithGrants = WithGrants.NOBODY,
) -> Callable[[F], F]:
    """Declare the same of a route that does ``operations`` with records of ``model``, as its policy has it. A key in
    the query, which stays in logs and histories, writes nobody's accounts and organizations."""
    session_only, guarded = model.policy.session_only, model.domain == "auth"
    requires_grants = RequiredGrants((model,), operations, is_judged=True) if operations else None
    return declare_access(
        Access(
            session_only=session_only,
            reads=reads,
            private=private,
            guarded=guarded,
            requires_grants=requires_grants,
            with_grants=with_grants,
        )
    )


def session_welcome(reason: str) -> Callable[[F], F]:
    """Declare that a route works without a credential, why, and that it knows whose session is presented."""
    access = Access(optional=reason, session_only=SessionOnly.ALL, with_grants=WithGrants.PEOPLE)
    return declare_access(access)


def declare_access(access: Access) -> Callable[[F], F]:
    """Declare what a route asks of its caller; a route that declares nothing is refused."""

    def declare(view: F) -> F:
        view.access = access  # type: ignore[attr-defined]
        return view

    return declare
