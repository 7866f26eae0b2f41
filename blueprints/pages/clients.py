"""Programs of others that act for whoever is signed in: what one asks for, the consent, and the list of them.

The address that a client sends browsers to is checked and left at once: what it asks for is kept, and the page of the
consent is found by an id, so that signing in on the way loses nothing.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749.errors import AccessDeniedError, InvalidClientError
from flask import Response, g, request, url_for

from app.auth.clients import authorization_server, connections, metadata_documents, redirects, registry
from app.auth.clients.connections import Asked, Consent
from app.auth.credentials import reauthentication
from app.auth.credentials.access import open_to_all
from app.auth.credentials.authentication import caller
from app.auth.errors import ReauthenticationRequired
from app.auth.models.clients import AuthClientRequest
from app.auth.models.organizations import AuthOrganization
from app.engine.declare.kind import Operator
from app.engine.read.pages import list_page
from app.engine.read.query import Comparison, Junction, Query, SortKey
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Failure, Forbidden, Invalid
from app.foundation.identifiers import uuid_of
from app.foundation.languages import gettext as _
from app.foundation.settings import settings
from app.runtime import rate_limits
from app.runtime.rate_limits import Limit
from blueprints.pages import pages
from schemas.catalogue import CallerProfile, catalogue_for

READS, WRITES = ("list", "read"), ("create", "update", "delete")
MAX_SHOWN = 200
AUTHORIZATIONS = Limit("client-authorization", 300, 3600)


@open_to_all("clients send browsers here; the page behind it asks who is signed in", limited=True)
def authorize() -> Response:
    """Check what a client asks for, keep it, and lead to the consent. What cannot be told to the client is a page."""
    try:
        _look_up(request.args.get("client_id", ""))
        grant = authorization_server.validated()
    except OAuth2Error as error:
        if error.redirect_uri is None or not _is_trusted(request.args.get("client_id", "")):
            return pages.refusal(Invalid(error.description or "The client asked for something that is not there"))
        return pages.redirect_to(_address(error.redirect_uri, error.get_body()))
    # What is asked for is kept before anybody has signed in.
    rate_limits.consume_for_network(AUTHORIZATIONS, request.remote_addr)
    payload, client = grant.request.payload, grant.request.client.row
    scopes = authorization_server.scopes_of(payload.scope)
    asked = connections.ask(client, grant.redirect_uri, payload.state, scopes, payload.data["code_challenge"])
    return pages.to("connect", request_id=asked)


@pages.signed_in
def connect(request_id: UUID) -> Response:
    """The consent, once whoever decides has proved lately who they are."""
    principal = caller()
    if principal.impersonator_id is not None:
        return pages.refusal(Forbidden("Nobody consents in the name of somebody else"))
    try:
        asked = connections.asked(request_id)
        if "failure" not in g:
            reauthentication.require_recent_authentication(principal)
    except ReauthenticationRequired:
        return pages.to("confirm", next=url_for("account.connect", request_id=request_id))
    except Failure as failure:
        return pages.refusal(failure)
    return pages.page(
        "connect", asked=asked, host=urlsplit(asked.request.redirect_uri).hostname, domains=_domains(),
        known_by=registry.host_of(asked.client) if asked.client.source == "document" else "",
        is_local=redirects.is_local(asked.request.redirect_uri), organizations=_organizations(),
        chosen=request.form, current=principal.organization_id, days=connections.life().days,
    )  # fmt: skip


@pages.signed_in
@pages.acts_on("connect")
def allow(request_id: UUID) -> Response:
    asked = connections.asked(request_id)
    if settings.require_email_verification and caller().verified_email is None:
        raise Forbidden("Verify the email address of the account first")
    code = run_unit(caller(), connections.allow, request_id, _consent(asked.request))
    return _answered(asked, [("code", code)])


@pages.signed_in
@pages.acts_on("connect")
def deny(request_id: UUID) -> Response:
    asked = connections.asked(request_id)
    run_unit(caller(), connections.deny, request_id)
    return _answered(asked, AccessDeniedError().get_body())


@pages.signed_in
def clients() -> Response:
    return pages.page("clients", connections=connections.listed(caller()), host_of=registry.host_of)


@pages.signed_in
@pages.acts_on("clients")
def disconnect(key_id: UUID) -> Response:
    run_unit(caller(), connections.disconnect, key_id)
    return pages.done("clients", _("It is disconnected."))


def _look_up(client_id: str) -> None:
    """Read again what a client says of itself where that is due; raises InvalidClientError."""
    try:
        found = registry.look_up(client_id)
    except metadata_documents.UnknownClient as refusal:
        raise InvalidClientError(description=refusal.text) from None
    if found is None:
        raise InvalidClientError(description="No client has this id.")


def _consent(asked: AuthClientRequest) -> Consent:
    """What the form says; nothing is chosen by leaving it out. Raises Invalid."""
    form = request.form
    writes = form.get("may") == "write"
    scopes = [each for each in asked.scopes if each == "read" or writes]
    organization = uuid_of(form.get("organization", ""))
    if organization is None:
        raise Invalid(_("Choose an organization."))
    access: list[dict[str, Any]] | None = None
    if form.get("reach") != "all":
        models = form.getlist("model")
        if not models:
            raise Invalid(_("Choose what it may see."))
        access = [{"models": models, "operations": [*READS, *(WRITES if writes else ())]}]
    return Consent(organization, scopes, access)


def _is_trusted(client_id: str) -> bool:
    """Whether a browser may be sent to a client before its person has seen a page of ours: anybody can say of
    themselves that they are a client, and would lead people from our address to theirs (RFC 9700, section 4.11.2)."""
    client = registry.find(client_id)
    return client is not None and client.source == "registered"


def _answered(asked: Asked, parameters: list[tuple[str, str]]) -> Response:
    """Lead back by a page: the policy of a form would hold wherever the client leads on to."""
    state = asked.request.state
    back = _address(asked.request.redirect_uri, [*parameters, *([("state", state)] if state else [])])
    return pages.page("away", place=back, provider=asked.client.name)


def _address(redirect_uri: str, parameters: list[tuple[str, str]]) -> str:
    """Where a client hears of it, with who says so (RFC 9207)."""
    told = urlencode([*parameters, ("iss", settings.public_url)])
    return f"{redirect_uri}{'&' if urlsplit(redirect_uri).query else '?'}{told}"


def _organizations() -> list[Any]:
    fields, principal = AuthOrganization.fields(), caller()
    own = Comparison(fields["id"], Operator.IN, principal.organizations())
    query = Query(where=Junction((own,)), sort=(SortKey((), fields["name"]),), take=MAX_SHOWN, is_plain=False)
    return list_page(AuthOrganization, principal, query).records


def _domains() -> list[dict[str, Any]]:
    """The models that whoever is signed in reads, by domain; accounts are never handed on one by one."""
    return [each for each in catalogue_for(CallerProfile.of(caller()))["domains"] if each["name"] != "auth"]


ROUTES = (
    ("/authorize", "authorize", authorize),
    ("/connect/<uuid:request_id>", "connect", connect),
    ("/connect/<uuid:request_id>/allow", "allow_client", allow, "POST"),
    ("/connect/<uuid:request_id>/deny", "deny_client", deny, "POST"),
    ("/clients", "clients", clients),
    ("/clients/<uuid:key_id>/disconnect", "disconnect_client", disconnect, "POST"),
)
