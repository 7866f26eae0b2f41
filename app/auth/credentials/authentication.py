"""The guard of every route: which credential came, whether it is good, and whether it reaches this far.

On the routes of people Flask-Login asks, with what ``app.auth.credentials.login`` has set up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast

from flask import Flask, after_this_request, current_app, g, request
from flask_login import current_user

from app.auth.credentials import cookies, credentials, impersonation, nobody, tickets
from app.auth.credentials.access import Access, WithGrants
from app.auth.errors import InsufficientScope
from app.auth.keys import key_usage
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import SAFE_METHODS, Credential, Principal, scope_of
from app.engine.write.unit_of_work import run_unit
from app.foundation import crypto
from app.foundation.errors import Failure, Forbidden, Invalid, Unauthenticated
from app.runtime import rate_limits


class BearerScheme(NamedTuple):
    """Bearer tokens of somebody else, recognized by their form; ``authenticate`` takes the whole header."""

    recognizes: Callable[[str], bool]
    authenticate: Callable[[str], Principal]


# Those that count on routes which take the tokens of tabs; whoever issues them adds theirs.
tab_schemes: list[BearerScheme] = []


def init_app(app: Flask) -> None:
    """Guard every route of ``app``: what declares no access is refused."""
    app.before_request(guard)


def guard() -> None:
    """Admit the caller of the matched route, before anything else of the request is looked at."""
    # Each look through g and request costs three calls.
    known, asked = g._get_current_object(), request._get_current_object()  # type: ignore[attr-defined]
    known.principal = None
    known.pop("_login_user", None)
    if asked.endpoint not in current_app.view_functions or asked.method == "OPTIONS":
        return
    access = access_of_request()
    if access.limited:
        consume_for_address()
    if access.open:
        return
    if access.people:
        if not current_user.is_authenticated and not access.optional:
            current_app.login_manager.unauthorized()  # type: ignore[attr-defined]
        return
    try:
        known.principal = authenticate_and_authorize(access)
    except Unauthenticated as refusal:
        if not access.optional or refusal.invalid_token:
            raise


def access_of_request() -> Access:
    """What the matched route asks; raises Forbidden for one that does not say."""
    access: Access | None = getattr(current_app.view_functions[cast(str, request.endpoint)], "access", None)
    if access is None:
        raise Forbidden()
    return access


def authenticate_and_authorize(access: Access) -> Principal:
    """The caller, with the scope that the verb needs. Without a credential that is nobody, where the route is open to
    nobody; any other request without a good one counts for its address.

    Raises Unauthenticated, Invalid when two credentials come at once, Forbidden and RateLimited.
    """
    try:
        principal = authenticate(access)
    except Unauthenticated as refusal:
        if not refusal.invalid_token and (admitted := nobody.admitted(access)) is not None:
            return admitted
        consume_for_address()
        raise
    try:
        authorize(principal, access, request.method)
    except Failure:
        _note(principal, "denied")
        raise
    if not access.composite:
        _note(principal, "success")
    return principal


def _note(principal: Principal, outcome: str) -> None:
    if principal.impersonator_id is not None:
        run_unit(principal, impersonation.note_request, outcome)


def consume_for_address() -> None:
    """Count the request against the limit of the address that it comes from; raises RateLimited."""
    rate_limits.consume(rate_limits.default_limit(), f"address:{rate_limits.network_of(request.remote_addr)}")


def caller() -> Principal:
    """The principal of the running request."""
    return cast(Principal, g.principal)


def caller_if_any() -> Principal | None:
    """The principal of the running request, on a route that may be called without one."""
    return cast(Principal | None, g.principal)


def session_of_cookie() -> Principal | None:
    """The session of the browser, whatever else was presented; raises Forbidden where another site asks."""
    try:
        return _of_cookie()
    except Unauthenticated:
        return None


def authorize(principal: Principal, access: Access, method: str) -> None:
    """Check that the credential reaches as far as a route asks; raises Forbidden."""
    scope = "read" if access.reads else scope_of(method)
    if principal.impersonator_id is not None and (access.tickets or access.private):
        raise Forbidden("An impersonating session has no access to secrets, exports and streams")
    if scope not in principal.scopes:
        key_usage.set_outcome("INSUFFICIENT_PERMISSIONS")
        raise InsufficientScope(scope)
    if access.guarded and principal.from_query and scope != "read":
        key_usage.set_outcome("INSUFFICIENT_PERMISSIONS")
        raise Invalid({"api_key": ["Does not write this from an address; use the Authorization header."]})
    if access.guarded and principal.is_client and scope != "read":
        key_usage.set_outcome("FORBIDDEN")
        raise Forbidden("A connected client changes no accounts and organizations")
    if principal.narrowing is not None:
        _check_grants(principal, access)
    if principal.credential is Credential.SESSION or access.session_only is SessionOnly.NEVER:
        return
    # An admin key of an admin may stand in for a session where only writes are narrowed.
    if access.session_only is SessionOnly.WRITES and (scope == "read" or principal.is_admin):
        return
    key_usage.set_outcome("FORBIDDEN")
    raise Forbidden("A session token is needed for this")


def _check_grants(principal: Principal, access: Access) -> None:
    """Check that grants open what a route is for; raises Forbidden."""
    if access.requires_grants is not None:
        is_open = access.requires_grants.admits(principal.reader)
    else:
        is_person = principal.credential is Credential.SESSION
        admitted = (WithGrants.EVERYBODY, WithGrants.PEOPLE) if is_person else (WithGrants.EVERYBODY,)
        is_open = access.composite or access.with_grants in admitted  # the parts of a composite are checked one by one
    if not is_open:
        key_usage.set_outcome("INSUFFICIENT_PERMISSIONS")
        raise Forbidden("No grant of the credential opens this")


def authenticate(access: Access) -> Principal:
    """Find the caller; raises Unauthenticated, or Invalid when two credentials come at once."""
    if access.tickets and "token" in request.args:
        return _of_ticket()
    if access.people and "Authorization" not in request.headers:
        return _of_cookie()
    token, from_query = _presented(with_query=not access.people)
    if access.tabs:
        for scheme in tab_schemes:
            if scheme.recognizes(token):
                return scheme.authenticate(request.headers["Authorization"])
    if access.clients and not from_query and crypto.kind(token) == crypto.ACCESS:
        return credentials.client_principal(token)
    return credentials.principal_of(token, from_query=from_query)


def _of_ticket() -> Principal:
    given = request.args.getlist("token")
    if len(given) > 1 or "Authorization" in request.headers:
        raise Invalid({"token": ["Send one credential."]})
    return tickets.redeem(given[0])


def _of_cookie() -> Principal:
    token = cookies.session_token()
    if token is None:
        raise Unauthenticated()
    if request.method not in SAFE_METHODS:
        cookies.require_same_origin()
    principal = credentials.session_principal(crypto.vault().digest(token), from_cookie=True)
    if cookies.needs_renewal():
        after_this_request(cookies.renew)
    return principal


def _presented(*, with_query: bool) -> tuple[str, bool]:
    environ = request.environ
    header = environ.get("HTTP_AUTHORIZATION")
    query = request.args.getlist("api_key") if with_query and environ["QUERY_STRING"] else []
    if header is not None and query:
        raise Invalid({"api_key": ["Send the credential in the header or in the query, not in both."]})
    if len(query) > 1:
        raise Invalid({"api_key": ["Given more than once."]})
    if query:
        if current_app.config["SETTINGS"].query_key_safe_only and request.method not in SAFE_METHODS:
            raise Invalid({"api_key": ["Is taken for GET and HEAD only; use the Authorization header."]})
        return query[0], True
    if header is None:
        raise Unauthenticated()
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated(invalid_token=True)
    return token.strip(), False
