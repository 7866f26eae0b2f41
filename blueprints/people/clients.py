"""Connected clients over HTTP: where they learn how to connect, the endpoints of their tokens, and the list of them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from authlib.oauth2 import OAuth2Error
from flask import Response, request

from app.auth.clients import authorization_server, connections, registry, resource
from app.auth.clients.connections import Connection
from app.auth.clients.metadata_documents import readable
from app.auth.credentials.access import WithGrants, open_to_all
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.auth.models.clients import SCOPES
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Invalid, NotFound
from app.foundation.settings import settings
from app.runtime import rate_limits
from app.runtime.rate_limits import Limit
from blueprints.http.base import Blueprint, answer, json_body, json_object, parse_id
from blueprints.http.declarations import ANY_QUERY, Answer, Body, Operation, serve
from blueprints.http.examples import LATER
from schemas.envelopes import Deleted
from schemas.people.clients import ConnectedClients, Registration

REGISTRATIONS = Limit("client-registration", 30, 3600)
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
CONNECTED = {
    "id": EXAMPLE_ID, "clientId": "https://app.example.com/client.json", "name": "Example", "scopes": ["read"],
    "organization": "Harbour Works", "narrowed": True, "createdAt": LATER, "lastUsedAt": None, "expiresAt": LATER,
}  # fmt: skip
TOKENS = {
    "token_type": "Bearer", "access_token": "rg_mcp_7Kc0...", "expires_in": 900, "refresh_token": "rg_renew_4Zq1...",
    "scope": "read",
}  # fmt: skip
REGISTERED = {"client_name": "Example", "redirect_uris": ["http://localhost/callback"]}
at_once = open_to_all("clients prove themselves by what they send", limited=True)
for_all = open_to_all("says how clients connect", limited=True)
people_only = login_required(SessionOnly.ALL, private=True, with_grants=WithGrants.PEOPLE)


def build() -> Blueprint:
    """The blueprint of connected clients."""
    blp = Blueprint("clients", __name__, description="Clients of others, which people connect by OAuth 2.1.")
    blp.after_request(rate_limits.add_headers)
    _route_metadata(blp)
    _route_tokens(blp)
    _route_registration(blp)
    _route_connections(blp)
    return blp


def _route_metadata(blp: Blueprint) -> None:
    @serve(blp, "GET", "/.well-known/oauth-authorization-server", Operation(
        "readAuthorizationServer", "Read how clients get tokens (RFC 8414)", access=for_all, query=ANY_QUERY,
        gives=Answer(example={"issuer": "https://api.example.com"}),
    ))  # fmt: skip
    def read_server() -> Response:
        return answer(_server_metadata())

    for path, name in (("", "readProtectedResource"), (resource.PATH, "readMcpResource")):

        @serve(blp, "GET", f"/.well-known/oauth-protected-resource{path}", Operation(
            name, "Read where tokens for the MCP endpoint come from (RFC 9728)", access=for_all, query=ANY_QUERY,
            gives=Answer(example={"resource": "https://api.example.com/mcp"}),
        ))  # fmt: skip
        def read_resource() -> Response:
            return answer(
                {
                    "resource": resource.address(), "authorization_servers": [settings.public_url],
                    "scopes_supported": list(SCOPES), "bearer_methods_supported": ["header"],
                    "resource_name": settings.product_name,
                }
            )  # fmt: skip


def _server_metadata() -> dict[str, Any]:
    url = settings.public_url
    found: dict[str, Any] = {
        "issuer": url,
        "authorization_endpoint": f"{url}/account/authorize",
        "token_endpoint": f"{url}/oauth/token",
        "revocation_endpoint": f"{url}/oauth/revoke",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(authorization_server.GRANTS),
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "scopes_supported": list(SCOPES),
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "protected_resources": [resource.address()],
    }
    return found | ({"registration_endpoint": f"{url}/oauth/register"} if settings.client_registration else {})


def _route_tokens(blp: Blueprint) -> None:
    @serve(blp, "POST", "/oauth/token", Operation(
        "getToken", "Get tokens for a code, or for a refresh token", access=at_once, query=ANY_QUERY,
        gives=Answer(example=TOKENS),
        description="A form, `application/x-www-form-urlencoded`, as OAuth 2.1 has it; so are the errors. A refresh "
        "token is used once: one that comes again ends the connection.",
    ))  # fmt: skip
    def get_token() -> Response:
        return _oauth(authorization_server.server.create_token_response)

    @serve(blp, "POST", "/oauth/revoke", Operation(
        "revokeToken", "Give a token back, and end the connection (RFC 7009)", access=at_once, query=ANY_QUERY,
        gives=Answer(example={}), description="A form with `token` and `client_id`.",
    ))  # fmt: skip
    def revoke_token() -> Response:
        return _oauth(lambda: authorization_server.server.create_endpoint_response("revocation"))


def _oauth(respond: Any) -> Response:
    try:
        response: Response = respond()
    except OAuth2Error as error:
        response = authorization_server.server.handle_error_response(None, error)
    response.headers.update(NO_STORE)
    if "Authorization" in request.headers and response.status_code == HTTPStatus.BAD_REQUEST:
        # Whoever tries to authenticate by a header is told so (RFC 6749, section 5.2).
        response.status_code = HTTPStatus.UNAUTHORIZED
        response.headers["WWW-Authenticate"] = "Basic"
    return response


def _route_registration(blp: Blueprint) -> None:
    @serve(blp, "POST", "/oauth/register", Operation(
        "registerClient", "Register a client that has no metadata document (RFC 7591)", access=at_once,
        takes=Body(example=REGISTERED, any_of=(Registration,)),
        gives=Answer(example={"client_id": EXAMPLE_ID, **REGISTERED}, status=201), fails=(404,),
        description="While the setting CLIENT_REGISTRATION is on; clients with a metadata document need none.",
    ))  # fmt: skip
    def register_client() -> Response:
        if not settings.client_registration:
            raise NotFound()
        rate_limits.consume_for_network(REGISTRATIONS, request.remote_addr)
        # Members that are not known are ignored, as section 2 has it.
        given = json_object(json_body())
        name, redirects = given.get("client_name"), given.get("redirect_uris")
        if given.get("token_endpoint_auth_method", "none") != "none":
            return _refused("invalid_client_metadata", "Clients are public here: token_endpoint_auth_method is none.")
        if not isinstance(redirects, list) or not all(isinstance(each, str) for each in redirects):
            return _refused("invalid_redirect_uri", "redirect_uris must be a list of addresses.")
        name = name if isinstance(name, str) and readable(name) else "A client without a name"
        try:
            made = run_unit(SYSTEM, registry.register, name, redirects, source="dynamic")
        except Invalid as refusal:
            return _refused("invalid_redirect_uri", refusal.text)
        told = {
            "client_id": made.client_id, "client_name": made.name, "redirect_uris": made.redirect_uris,
            "grant_types": list(authorization_server.GRANTS), "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }  # fmt: skip
        response = answer(told, 201)
        response.headers.update(NO_STORE)
        return response


def _refused(error: str, description: str) -> Response:
    return answer({"error": error, "error_description": description}, 400)


def _route_connections(blp: Blueprint) -> None:
    @serve(blp, "GET", "/api/auth/clients", Operation(
        "listClients", "List the clients that you have connected", access=people_only,
        gives=Answer(ConnectedClients, example={"data": [CONNECTED], "meta": {"count": 1}}),
    ))  # fmt: skip
    def list_clients() -> Response:
        found = [client_body(each) for each in connections.listed(caller())]
        return answer({"data": found, "meta": {"count": len(found)}})

    @serve(blp, "DELETE", "/api/auth/clients/<string:id>", Operation(
        "disconnectClient", "Disconnect a client", access=people_only, gives=Answer(Deleted),
        description="Its tokens are refused from its next call on.",
    ))  # fmt: skip
    def disconnect_client(id: str) -> Response:
        run_unit(caller(), connections.disconnect, parse_id(id))
        return answer({"id": id, "deleted": True})


def client_body(connection: Connection) -> dict[str, Any]:
    """A connected client as it goes out; its id is that of the key that it acts by."""
    key = connection.key
    return {
        "id": key.id, "clientId": connection.client.client_id, "name": connection.client.name, "scopes": key.scopes,
        "organization": connection.organization, "narrowed": key.access is not None, "createdAt": key.created_at,
        "lastUsedAt": key.last_used_at, "expiresAt": key.expires_at,
    }  # fmt: skip
