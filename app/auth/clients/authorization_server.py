"""The authorization server for connected clients (OAuth 2.1), on Authlib: the authorization code with PKCE (RFC 7636),
refresh tokens that are used once, and revocation (RFC 7009). What the database keeps of it is in ``connections`` and
``tokens``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.base import invalid_error_characters
from authlib.oauth2.rfc6749 import ClientMixin, OAuth2Payload, OAuth2Request
from authlib.oauth2.rfc6749.errors import InvalidGrantError, InvalidRequestError, InvalidScopeError, OAuth2Error
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from flask import request as http_request
from sqlalchemy import select

from app.auth.clients import registry, resource, tokens
from app.auth.clients.redirects import is_registered
from app.auth.models.clients import MAX_STATE_LENGTH, SCOPES, AuthClient, AuthClientRequest
from app.auth.models.keys import AuthApiKey
from app.engine.declare.principal import SYSTEM, expand_scopes
from app.engine.read.database import reading
from app.engine.write.unit_of_work import run_unit
from app.foundation import crypto
from app.foundation.errors import Failure
from app.foundation.settings import settings

GRANTS, NO_AUTHENTICATION = ("authorization_code", "refresh_token"), "none"
MAX_PARAMETER_LENGTH = 4000


def scopes_of(asked: str | None) -> list[str]:
    """The scopes that a client asks for, to read where it names none; raises InvalidScopeError."""
    named = (asked or "read").split()
    if not set(named) <= set(SCOPES):
        raise InvalidScopeError()
    return [each for each in SCOPES if each in expand_scopes(named)]


class Client(ClientMixin):
    """A client as Authlib asks for it: a public one, which proves by PKCE alone that it is the same."""

    def __init__(self, row: AuthClient) -> None:
        self.row = row

    def get_client_id(self) -> str:
        return self.row.client_id

    def get_default_redirect_uri(self) -> None:
        return None  # which of its addresses a client means, it says

    def get_allowed_scope(self, scope: str | None) -> str:
        return " ".join(scopes_of(scope))

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return is_registered(redirect_uri, self.row.redirect_uris)

    def check_client_secret(self, client_secret: str) -> bool:
        return False

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == NO_AUTHENTICATION

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in GRANTS


class Payload(OAuth2Payload):
    """The parameters of a request: of the address for GET, and of the form otherwise, never of both."""

    @property
    def data(self) -> Any:
        return http_request.args if http_request.method == "GET" else http_request.form

    @property
    def datalist(self) -> Mapping[str, list[str]]:
        return defaultdict(list, {name: self.data.getlist(name) for name in self.data})


class Request(OAuth2Request):
    """The running request, at the address that clients know."""

    def __init__(self) -> None:
        super().__init__(http_request.method, f"{settings.public_url}{http_request.path}", headers=http_request.headers)
        self.payload = Payload()
        for name, values in self.payload.datalist.items():
            if len(values) > 1:
                raise InvalidRequestError("A parameter is given more than once.")
            # Errors tell of some, and have no other characters (RFC 6749, section 5.2); a state is printable.
            is_told = name != "state" and invalid_error_characters(values[0])
            if len(values[0]) > MAX_PARAMETER_LENGTH or is_told or not values[0].isprintable():
                raise InvalidRequestError("A parameter is too long, or has characters that none has.")

    @property
    def args(self) -> Any:
        return http_request.args

    @property
    def form(self) -> Any:
        return http_request.form


class Code:
    """A code that a client has come with, as Authlib asks for it."""

    def __init__(self, row: AuthClientRequest) -> None:
        self.row = row

    def get_redirect_uri(self) -> str:
        return self.row.redirect_uri

    def get_scope(self) -> str:
        return " ".join(self.row.scopes)

    @property
    def code_challenge(self) -> str:
        return self.row.code_challenge

    code_challenge_method = "S256"


class CodeGrant(AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = [NO_AUTHENTICATION]

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        if crypto.kind(code) != crypto.CODE:
            return None
        with reading() as session:
            wanted = select(AuthClientRequest).where(AuthClientRequest.code_hash == crypto.vault().digest(code))
            row = session.scalar(wanted.where(AuthClientRequest.client_id == client.row.id))
        return None if row is None else Code(row)

    def authenticate_user(self, authorization_code: Code) -> Any:
        return authorization_code.row.user_id

    def delete_authorization_code(self, authorization_code: Code) -> None:
        """Nothing: it was used up with the tokens that were kept for it, and is known again if it comes again."""


class RefreshGrant(RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = [NO_AUTHENTICATION]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> Any:
        return _held(refresh_token, crypto.REFRESH)

    def authenticate_user(self, refresh_token: Held) -> Any:
        return refresh_token.key.user_id

    def revoke_old_credential(self, refresh_token: Held) -> None:
        """Nothing: it was used up with the tokens that were kept in its place."""


class Challenge(CodeChallenge):
    """PKCE by S256, without which nothing is asked."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        data = grant.request.payload.data
        if not data.get("code_challenge") or data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("PKCE is needed: send code_challenge, with code_challenge_method S256.")
        super().validate_code_challenge(grant, redirect_uri)


class Held:
    """A token of a client, as Authlib asks for it."""

    def __init__(self, client: AuthClient, key: AuthApiKey) -> None:
        self.client, self.key = client, key

    def check_client(self, client: Client) -> bool:
        return self.client.id == client.row.id

    def get_scope(self) -> str:
        return _scope_of(self.key)


class Revocation(RevocationEndpoint):
    """A client that gives a token back ends its connection: no other token is left to it."""

    CLIENT_AUTH_METHODS = [NO_AUTHENTICATION]

    def check_params(self, request: Request, client: Client) -> None:
        """A hint that says nothing to us counts for nothing (section 2.2.1)."""
        if "token" not in request.form:
            raise InvalidRequestError()

    def query_token(self, token_string: str, token_type_hint: str | None) -> Held | None:
        return _held(token_string, crypto.ACCESS, crypto.REFRESH)

    def revoke_token(self, token: Held, request: Request) -> None:
        run_unit(SYSTEM, tokens.end_connection, token.key.id)


class Server(AuthorizationServer):
    def create_oauth2_request(self, request: Any) -> Request:
        return Request()


def _scope_of(key: AuthApiKey) -> str:
    return " ".join(each for each in SCOPES if each in expand_scopes(key.scopes))


def _held(token: str, *kinds: str) -> Held | None:
    found = tokens.find(token) if crypto.kind(token) in kinds else None
    return None if found is None else Held(found[1], found[2])


def _query_client(client_id: str) -> Client | None:
    row = registry.find(client_id)
    return None if row is None else Client(row)


def _generate(**_: Any) -> dict[str, Any]:
    """Tokens as they go out; their scope is told once it is known what they are kept for."""
    lasting = int(tokens.ACCESS_LIFE.total_seconds())
    secrets = {"access_token": crypto.make(crypto.ACCESS), "refresh_token": crypto.make(crypto.REFRESH)}
    return {"token_type": "Bearer", **secrets, "expires_in": lasting}


def _save(token: dict[str, Any], request: Request) -> None:
    """Keep tokens in one transaction with what is used up for them; raises InvalidGrantError."""
    named = http_request.form.get("resource")
    if named is not None and not resource.is_meant(named):
        raise InvalidTarget()
    access, refresh = token["access_token"], token["refresh_token"]
    try:
        if request.authorization_code is not None:
            key = tokens.issue_for_code(request.authorization_code.row.code_hash, access, refresh)
        else:
            held = request.refresh_token.key
            tokens.admit_renewal(held)
            key = tokens.rotate(held.id, http_request.form["refresh_token"], access, refresh)
    except Failure as failure:
        if failure.status >= HTTPStatus.TOO_MANY_REQUESTS:
            raise
        raise InvalidGrantError("It is over, or was used before.") from failure
    token["scope"] = _scope_of(key)


class InvalidTarget(OAuth2Error):
    """Tokens that are asked for something else than what this service has (RFC 8707, section 2)."""

    error = "invalid_target"
    description = "Tokens are for the MCP endpoint of this service alone."


def _built() -> Server:
    made = Server(query_client=_query_client, save_token=_save)
    made.register_token_generator("default", _generate)
    made.register_grant(CodeGrant, [Challenge(required=True)])
    made.register_grant(RefreshGrant)
    made.register_endpoint(Revocation)
    return made


server = _built()


def validated() -> Any:
    """The authorization request that is running, as it may be shown to a person; raises OAuth2Error, whose
    ``redirect_uri`` says where to tell of it, if anywhere."""
    grant = server.get_consent_grant(http_request)
    state, named = grant.request.payload.state, http_request.args.get("resource")
    if state is not None and len(state) > MAX_STATE_LENGTH:
        raise InvalidRequestError("The state is too long.")
    if named is not None and not resource.is_meant(named):
        raise InvalidTarget(state=state, redirect_uri=grant.redirect_uri)
    return grant
