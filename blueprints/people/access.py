"""The routes of access: what the caller may do and why, and the grants that narrow members and teams."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Response

from app.auth.accounts.users import member_principal
from app.auth.credentials import credentials, explaining
from app.auth.credentials.access import WithGrants, credentials_required, rights_required
from app.auth.credentials.authentication import caller
from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthMember, AuthTeam
from app.auth.organizations import member_access
from app.engine.declare.catalogue import every_model, find_model
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.record import Record
from app.engine.read import records
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Forbidden, Invalid, NotFound
from blueprints.http.base import Blueprint, answer, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.replies import Reply, respond
from schemas.catalogue import CallerProfile
from schemas.people.access import AccessExplanation, AccessList, AccessOverview, AccessQuestion, MemberAccess

anybody = credentials_required(with_grants=WithGrants.EVERYBODY)
# Who manages one organization may be narrowed in another.
managers = partial(rights_required, with_grants=WithGrants.PEOPLE)
GRANTS = [{"models": ["crm/deal"], "operations": ["list", "read"], "where": {"ownerId": {"is": "me"}}}]
QUESTION = {"model": "crm/deal", "operation": "update", "id": EXAMPLE_ID}
EXPLANATION = {"allowed": False, "because": ["No grant of the key opens update on crm/deal."]}
OVERVIEW = {
    "scopes": ["read"], "narrowed": True,
    "models": [{"model": "crm/deal", "operations": ["list", "read"], "fields": ["id", "name"]}],
}  # fmt: skip


def build() -> Blueprint:
    blp = Blueprint("access", __name__, url_prefix="/api/v1", description="What callers may do, and why.")
    _route_questions(blp)
    _route_lists(blp, "Member", AuthMember, MemberAccess, member_access.of_member, member_access.set_of_member)
    _route_lists(blp, "Team", AuthTeam, AccessList, member_access.of_team, member_access.set_of_team)
    return blp


def _route_questions(blp: Blueprint) -> None:
    @serve(blp, "GET", "/_access", Operation(
        "readAccess", "Read what the credential may do", access=anybody,
        gives=Answer(AccessOverview, example=OVERVIEW),
    ))  # fmt: skip
    def read_access() -> Response:
        principal = caller()
        models = [each for each in map(CallerProfile.of(principal).access, every_model()) if each["operations"]]
        narrowed = principal.narrowing is not None
        return answer({"scopes": sorted(principal.scopes), "narrowed": narrowed, "models": models})

    @serve(blp, "POST", "/_access", Operation(
        "explainAccess", "Ask why something is allowed or refused",
        access=credentials_required(reads=True, with_grants=WithGrants.EVERYBODY),
        takes=Body(AccessQuestion, example=QUESTION), gives=Answer(AccessExplanation, example=EXPLANATION),
        fails=(404,),
        description="Of oneself, or `as` one's own key or a member of an organization that one manages.",
    ))  # fmt: skip
    def explain(given: dict[str, Any]) -> Response:
        model = _model(given["model"])
        if (identifier := given.get("id")) is not None:
            records.get(model, caller(), identifier)
        subject = _subject(given.get("as_") or {})
        found = explaining.explain(subject, model, given["operation"], identifier)
        return answer({"allowed": found.allowed, "because": found.because})


def _route_lists(blp: Blueprint, name: str, model: type[Record], shape: Any, read: Any, write: Any) -> None:
    path = f"/auth/{name.lower()}/<string:id>/_access"
    example = dict.fromkeys(shape().declared_fields, GRANTS) if shape is AccessList else None

    @serve(blp, "GET", path, Operation(
        f"readAuth{name}Access", f"Read the grants of a {name.lower()}", access=rights_required(model, "read"),
        gives=Answer(shape, example=example), fails=(403,),
    ))  # fmt: skip
    def read_list(id: str) -> Response:
        return respond(_replied, read, parse_id(id))

    @serve(blp, "PUT", path, Operation(
        f"setAuth{name}Access", f"Narrow a {name.lower()} to a list of grants", access=managers(model),
        takes=Body(AccessList, example={"access": GRANTS}), gives=Answer(shape, example=example), once=True,
        description="For managers of the organization; null removes the list. Owners and admins are never narrowed.",
    ))  # fmt: skip
    def set_list(given: dict[str, Any], id: str) -> Response:
        return respond(_replied, write, parse_id(id), given["access"])


def _replied(unit: Unit, work: Any, *arguments: Any) -> Reply:
    return Reply(work(unit, *arguments))


def _model(name: str) -> type[Record]:
    found = find_model(name)
    if found is None:
        raise Invalid({"model": ["There is no such model."]})
    return found


def _subject(asked: dict[str, Any]) -> Principal:
    """Whom the question is about; raises Invalid, NotFound and Forbidden."""
    principal = caller()
    if len(asked) > 1:
        raise Invalid({"as": ["Name a key or a member."]})
    if asked and principal.credential is not Credential.SESSION:
        raise Forbidden("Sessions ask about keys and members")
    if "key_id" in asked:
        key = records.get(AuthApiKey, principal, asked["key_id"])
        return credentials.key_principal_by_id(key["id"])
    if "member_id" in asked:
        member = records.get(AuthMember, principal, asked["member_id"])
        if not principal.manages(member["organizationId"]):
            raise Forbidden("Managers of the organization ask about its members")
        with reading() as session:
            found = member_principal(session, member["userId"], member["organizationId"])
        if found is None:
            raise NotFound()
        return found
    return principal
