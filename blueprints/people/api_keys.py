"""The API-key routes: creation, listing, rotation, limits, usage and revocation."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from flask import Response, current_app, request
from werkzeug.datastructures import MultiDict

from app.auth.credentials.access import WithGrants, credentials_required, session_welcome
from app.auth.credentials.authentication import caller, caller_if_any
from app.auth.keys import api_keys
from app.auth.keys.key_usage import sums
from app.auth.models.keys import AuthApiKey
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import SYSTEM, Credential, Principal
from app.engine.read import records
from app.engine.read.query import Junction, Query, equals
from app.foundation.clock import now
from app.foundation.errors import Failure, Forbidden, InvalidFilter, Unauthenticated
from app.foundation.identifiers import uuid_of
from app.platform import flags
from app.runtime import rate_limits
from blueprints.http.base import Blueprint, answer, json_body, json_object, load, parse_id
from blueprints.http.conditional import precondition
from blueprints.http.declarations import ANY_QUERY, Answer, Body, Operation, serve
from blueprints.http.examples import QUERY_EXAMPLE, record_example
from blueprints.http.replies import idempotent_request, respond, run_idempotent
from blueprints.people.key_writes import issue_anonymous_key, issue_key, revoke_key, rotate_key, set_key_limit
from blueprints.records.reads import read_record, respond_with_page
from blueprints.records.writes import changed
from schemas.derive import read_schema
from schemas.envelopes import Deleted, list_schema
from schemas.people.api_keys import (
    AuthApiKeyCreate,
    AuthApiKeyCreateAnonymous,
    AuthApiKeyLimit,
    AuthApiKeyMade,
    AuthApiKeyMadeAnonymous,
    AuthApiKeyRotate,
    AuthApiKeySelf,
    AuthApiKeyUpdate,
    AuthApiKeyUsage,
)
from schemas.people.usage import usage_query
from schemas.query.queries import body_query, list_query, refuse_unknown

CREATION = """With a session token: a key of the caller, at most ten an hour. With `anonymous: true` and no
credential, while the feature flag `auth-anonymous-api-key` is on: a key that reads public rows, at most five an
hour from one address; it is answered as `{apiKey, id, name, expiresAt}`."""
RECORD = record_example(AuthApiKey)
MADE = {"id": EXAMPLE_ID, "name": "Export", "key": "rg_key_4Zq1..."} | {
    name: RECORD[name] for name in ("expiresAt", "scopes", "createdAt")
}
LIMIT = {"requests": 500, "seconds": 60}
NEW, NEW_ANONYMOUS = AuthApiKeyCreate(), AuthApiKeyCreateAnonymous()
session_required = credentials_required(SessionOnly.ALL, with_grants=WithGrants.PEOPLE)
session_reads = credentials_required(SessionOnly.ALL, reads=True, with_grants=WithGrants.PEOPLE)


def build() -> Blueprint:
    blp = Blueprint("api-key", __name__, url_prefix="/api/v1/auth/api-key", description="API keys and their use.")
    blp.after_request(rate_limits.add_headers)
    _route_creation(blp)
    _route_lists(blp)
    _route_items(blp)
    _route_changes(blp)
    return blp


def _route_creation(blp: Blueprint) -> None:
    @serve(blp, "POST", "", Operation(
        "createAuthApiKey", "Create an API key",
        access=session_welcome("anonymous creation needs no credential while its flag is on"),
        takes=Body(example={"name": "Export", "scopes": ["read"]},
            any_of=(AuthApiKeyCreate, AuthApiKeyCreateAnonymous)),
        gives=Answer(example=MADE, status=201, any_of=(AuthApiKeyMade, AuthApiKeyMadeAnonymous)), fails=(401,),
        description=CREATION, once=True,
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.KEYS, rate_limits.ANONYMOUS_KEYS)
    def create() -> Response:
        principal = caller_if_any()
        return _create_anonymous() if principal is None else _create(principal)

    @serve(blp, "POST", "/<key:id>/rotate", Operation(
        "rotateAuthApiKey", "Replace an API key", access=session_required,
        takes=Body(AuthApiKeyRotate, example={"graceSeconds": 3600}),
        gives=Answer(AuthApiKeyMade, example=MADE, status=201), once=True,
    ))  # fmt: skip
    @rate_limits.limited_by(rate_limits.ROTATIONS)
    def rotate(given: dict[str, Any], id: str) -> Response:
        _check_verified(caller())
        records.get(AuthApiKey, caller(), parse_id(id))  # one that is not there counts for nothing
        with rate_limits.ROTATIONS:
            grace = timedelta(seconds=given.get("grace_seconds", 0))
            return respond(rotate_key, parse_id(id), grace)


def _route_lists(blp: Blueprint) -> None:
    @serve(blp, "GET", "", Operation(
        "listAuthApiKey", "List API keys", access=session_required, gives=Answer(list_schema(AuthApiKey)),
        query=ANY_QUERY,
    ))  # fmt: skip
    def list_keys() -> Response:
        owner, args = _owner_wanted(caller(), request.args)
        query = list_query(AuthApiKey, caller(), args, current_app.config["SETTINGS"])
        return respond_with_page(AuthApiKey, _of_owner(query, owner))

    @serve(blp, "POST", "/_query", Operation(
        "queryAuthApiKey", "List API keys by a query in the body", access=session_reads,
        gives=Answer(list_schema(AuthApiKey)), query=ANY_QUERY, fails=(413, 415),
        takes=Body(example=QUERY_EXAMPLE, any_of=({"$ref": "#/components/schemas/AuthApiKeyQuery"},)),
    ))  # fmt: skip
    def query_keys() -> Response:
        owner, args = _owner_wanted(caller(), request.args)
        refuse_unknown(args)
        query = body_query(AuthApiKey, caller(), json_object(json_body()), current_app.config["SETTINGS"])
        return respond_with_page(AuthApiKey, _of_owner(query, owner))

    blp.add_query_rule("", "queryAuthApiKeyBySafeMethod", session_reads(query_keys))


def _route_items(blp: Blueprint) -> None:
    @serve(blp, "GET", "/self", Operation(
        "readAuthApiKeySelf", "Read the key that is presented", access=credentials_required(),
        gives=Answer(AuthApiKeySelf),
    ))  # fmt: skip
    def read_self() -> Response:
        return answer(_own_key(caller()))

    serve(blp, "GET", "/<key:id>", Operation(
        "readAuthApiKey", "Read an API key", access=session_required,
        gives=Answer(read_schema(AuthApiKey), example=RECORD), query=ANY_QUERY,
    ))(read_record(AuthApiKey))  # fmt: skip

    @serve(blp, "GET", "/<key:id>/usage", Operation(
        "readAuthApiKeyUsage", "Read the use of an API key over time", access=session_required,
        gives=Answer(AuthApiKeyUsage), query=ANY_QUERY,
    ))  # fmt: skip
    def read_usage(id: str) -> Response:
        query = usage_query(request.args)
        records.get(AuthApiKey, caller(), parse_id(id))
        points = sums.series(parse_id(id), query.since, query.until, query.step)
        total = sum(point["requests"] for point in points)
        meta = {"from": query.since, "to": query.until, "interval": query.interval, "requests": total}
        return answer({"data": points, "meta": meta})


def _route_changes(blp: Blueprint) -> None:
    for method, name in (("PUT", "updateAuthApiKey"), ("PATCH", "patchAuthApiKey")):

        @serve(blp, method, "/<key:id>", Operation(
            name, "Change an API key", access=session_required,
            takes=Body(AuthApiKeyUpdate, example={"name": "Export", "enabled": False}),
            gives=Answer(read_schema(AuthApiKey), example=RECORD), once=True, conditional=True,
        ))  # fmt: skip
        def update(given: dict[str, Any], id: str) -> Response:
            return respond(changed, AuthApiKey, parse_id(id), given, precondition())

    @serve(blp, "PUT", "/<key:id>/limit", Operation(
        "setAuthApiKeyLimit", "Give an API key a limit of its own", access=session_required,
        takes=Body(AuthApiKeyLimit, example=LIMIT), gives=Answer(AuthApiKeyLimit, example=LIMIT),
        description="For platform admins.", once=True,
    ))  # fmt: skip
    def set_limit(given: dict[str, Any], id: str) -> Response:
        if not caller().is_admin:
            raise Forbidden("Platform admins set the limits of keys")
        return respond(set_key_limit, parse_id(id), given)

    @serve(blp, "DELETE", "/<key:id>", Operation(
        "deleteAuthApiKey", "Revoke an API key", access=session_required, gives=Answer(Deleted), fails=(413, 415),
        once=True, conditional=True,
    ))  # fmt: skip
    def revoke(id: str) -> Response:
        return respond(revoke_key, parse_id(id), precondition())


def _create(principal: Principal) -> Response:
    given = load(NEW, json_body())
    given.pop("anonymous", None)
    _check_verified(principal)
    ends = given.get("expires_at", now() + api_keys.DEFAULT_LIFE)
    api_keys.check(given.get("scopes", ["read"]), ends, is_admin=principal.is_admin)
    with rate_limits.KEYS:
        return respond(issue_key, given)


def _create_anonymous() -> Response:
    if not flags.is_enabled(flags.ANONYMOUS_KEYS):
        raise Forbidden("Anonymous API key creation is not enabled") if _asks_anonymously() else Unauthenticated()
    body = json_body()
    if isinstance(body, dict) and body.get("anonymous", False) is False:
        raise Unauthenticated()
    given = load(NEW_ANONYMOUS, body)
    life = timedelta(days=given["expires_in_days"]) if "expires_in_days" in given else api_keys.ANONYMOUS_LIFE
    with rate_limits.ANONYMOUS_KEYS:
        return run_idempotent(SYSTEM, idempotent_request(), partial(issue_anonymous_key, given=given, life=life))


def _asks_anonymously() -> bool:
    try:
        body = json_body()
    except Failure:
        return False
    return isinstance(body, dict) and body.get("anonymous") is True


def _of_owner(query: Query, owner: dict[str, Any]) -> Query:
    return replace(query, where=Junction((*query.where.parts, *equals(AuthApiKey, **owner).parts)))


def _owner_wanted(principal: Principal, sent: MultiDict[str, str]) -> tuple[dict[str, Any], MultiDict[str, str]]:
    """Whose keys a list is asked for, as a filter, and the rest of the query: the caller's own, unless an admin names
    another user or asks for those of nobody."""
    args = MultiDict(sent)
    if not principal.is_admin:
        return {"user_id": principal.user_id}, args
    named, anonymous = args.poplist("userId"), args.poplist("anonymous")
    if anonymous:
        if anonymous != ["true"] or named:
            raise InvalidFilter("Invalid query parameter anonymous: Takes true, and no userId beside it.")
        return {"anonymous": True}, args
    owner = uuid_of(named[0]) if len(named) == 1 else None
    if named and owner is None:
        raise InvalidFilter("Invalid query parameter userId: Takes the id of one user.")
    return {"user_id": owner or principal.user_id}, args


def _holds(principal: Principal, scope: str) -> bool:
    return principal.is_admin if scope == "admin" else scope in principal.scopes


def _own_key(principal: Principal) -> dict[str, Any]:
    if principal.credential is Credential.SESSION:
        raise Forbidden("This tells a key about itself; a session is told by /api/auth/session")
    record = records.get_own(AuthApiKey, principal, principal.credential_id)
    return {
        **record,
        "anonymous": principal.credential is Credential.ANONYMOUS_KEY,
        "userId": principal.user_id,
        "organizationId": principal.organization_id,
        "effectiveScopes": [each for each in api_keys.SCOPES if each in principal.scopes and _holds(principal, each)],
    }


def _check_verified(principal: Principal) -> None:
    if current_app.config["SETTINGS"].require_email_verification and principal.verified_email is None:
        raise Forbidden("Keys are for accounts with a verified address")
