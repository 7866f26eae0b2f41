"""The permission matrix: every model, every verb, every kind of caller, against a second reading of the rules.

What is expected is worked out here from the published dictionary, which lies beside the tests as data, and not from
the policy objects that the engine runs on, so that a slip in either shows.
"""

from __future__ import annotations

from typing import Any

import pytest

from app.auth.models.identity import AuthAccount, AuthUser
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.engine.catalogue import every_model
from app.engine.record import Record
from app.notification.models import NotificationPreference
from app.testing.cast import Actor, Cast
from app.testing.workshop import Workshop
from tests.ops.test_dictionary import PUBLISHED

ENTRIES = {model["class"]: model for domain in PUBLISHED["domains"] for model in domain["models"]}
MODELS = [model for model in every_model() if not model.served_apart]
OPERATIONS = ("list", "read", "create", "update", "delete")
ACTORS = ("nobody", "anonymous", "read_key", "write_key", "stranger_key", "member", "owner", "admin")
KEYS = ("anonymous", "read_key", "write_key", "stranger_key")
WRITES = ("create", "update", "delete")
# Removing these goes by further rules, which have tests of their own.
RULED_APART = {(AuthUser, "delete"), (AuthAccount, "delete"), (AuthMember, "delete")}
# Anonymous and other callers may read what is public by its own state.
PUBLIC_FROM_THE_START = ("ai/provider",)


@pytest.fixture(scope="module")
def stage(cast: Cast) -> dict[str, Any]:
    owner = cast.user()
    stranger = cast.user()
    return {
        "cast": cast,
        "nobody": cast.nobody,
        "anonymous": cast.anonymous,
        "owner": owner,
        "read_key": cast.key(owner, "read"),
        "write_key": cast.key(owner, "write"),
        "stranger": stranger,
        "stranger_key": cast.key(stranger, "write"),
        "member": cast.colleague(owner),
        "admin": cast.admin,
        "workshops": {"owner": Workshop(cast, owner), "stranger": Workshop(cast, stranger)},
    }


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
def test_permission_matrix(stage, model, operation):
    for name in ACTORS:
        response = attempt(stage, model, operation, name)
        expected = expected_status(ENTRIES[model.__name__], model, operation, name)
        if expected is not None:
            assert response.status_code == expected, (name, operation, response.json)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
def test_strangers_and_anonymous_callers_never_find_a_private_record_in_a_list(stage, model):
    made = stage["workshops"]["owner"].make(model)
    for name in ("anonymous", "stranger_key"):
        response = stage[name].get(model.collection_path(), query_string={"id": made["id"]})
        if response.status_code == 200 and ENTRIES[model.__name__]["scope"]["kind"] != "public":
            assert response.json["data"] == [], name


def attempt(stage: dict[str, Any], model: type[Record], operation: str, name: str) -> Any:
    actor: Actor = stage[name]
    path = model.collection_path()
    if operation == "list":
        return actor.get(path)
    if operation == "create":
        return actor.post(path, body_for(stage, model, name))
    made = stage["workshops"]["owner"].make(model)
    if operation == "read":
        return actor.get(f"{path}/{made['id']}")
    if operation == "update":
        return actor.put(f"{path}/{made['id']}")
    return actor.delete(f"{path}/{made['id']}")


def body_for(stage: dict[str, Any], model: type[Record], name: str) -> dict[str, Any]:
    """What the caller can refer to: strangers have records of their own, everybody else those of the owner."""
    if model.policy.create.value == "none":
        return {}
    workshop = stage["workshops"]["stranger" if name == "stranger_key" else "owner"]
    if model is NotificationPreference:
        workshop.forget_preference()
    body: dict[str, Any] = workshop.body(model)
    entry = ENTRIES[model.__name__]
    settable = [field["name"] for field in entry["fields"] if field.get("access") != "readOnly"]
    if name in ("member", "admin") and entry["scope"]["kind"] == "organization" and "organizationId" in settable:
        body.setdefault("organizationId", str(stage["owner"].organization_id))
    return body


def expected_status(entry: dict[str, Any], model: type[Record], operation: str, name: str) -> int | None:
    """The status by the dictionary, or None where another rule decides."""
    rule = entry["operations"][operation]
    if rule == "none":
        return 405
    if name == "nobody":
        return 401
    refused = refused_credential(entry, operation, name)
    if refused:
        return 403
    if (model, operation) in RULED_APART:
        return None
    if operation == "list":
        return 200
    return {"read": read_status, "create": create_status}.get(operation, write_status)(entry, model, rule, name)


def refused_credential(entry: dict[str, Any], operation: str, name: str) -> bool:
    if name in ("anonymous", "read_key") and operation in WRITES:
        return True
    session_only = entry.get("sessionOnly")
    return name in KEYS and (session_only == "all" or (session_only == "writes" and operation in WRITES))


def sees(entry: dict[str, Any], model: type[Record], name: str) -> bool:
    """Whether the caller sees a private record of the owner."""
    scope = entry["scope"]
    if entry["scope"]["kind"] == "admin" or model is AuthUser:
        return name == "admin"
    if entry["scope"]["kind"] == "public":
        return name == "admin" or f"{model.domain}/{entry['name']}" in PUBLIC_FROM_THE_START
    if name in ("owner", "read_key", "write_key", "admin"):
        return not (model in (AuthOrganization, AuthMember) and name in ("read_key", "write_key"))
    if name != "member":
        return False
    root = root_scope(model)
    if root["kind"] != "organization" or model in (AuthOrganization, AuthMember):
        return False
    return scope.get("read") != "managers"


def root_scope(model: type[Record]) -> dict[str, Any]:
    scope = ENTRIES[model.__name__]["scope"]
    while scope["kind"] == "parent":
        model = next(each for each in every_model() if each.qualified_name() == scope["parent"])
        scope = ENTRIES[model.__name__]["scope"]
    return scope


def read_status(entry: dict[str, Any], model: type[Record], rule: str, name: str) -> int:
    return 200 if sees(entry, model, name) else 404


def create_status(entry: dict[str, Any], model: type[Record], rule: str, name: str) -> int | None:
    if rule == "admin" and name != "admin":
        return 403
    if model is NotificationPreference:
        return None
    if name == "member":
        return member_create_status(entry, model, rule)
    return 201


def member_create_status(entry: dict[str, Any], model: type[Record], rule: str) -> int | None:
    """A plain member adds to what the organization shares, and not to what belongs to the owner alone."""
    kind, root = entry["scope"]["kind"], root_scope(model)
    if kind == "owner":
        return None if any(field.get("required") and "references" in field for field in entry["fields"]) else 201
    if kind == "parent":
        if root["kind"] == "owner":
            return 400
        return 403 if root.get("write") == "managers" else None
    narrowed = rule == "managers" or entry["scope"].get("write") == "managers"
    return 403 if narrowed and model is not AuthOrganization else 201


def write_status(entry: dict[str, Any], model: type[Record], rule: str, name: str) -> int:
    if not sees(entry, model, name):
        return 404
    if rule == "admin":
        return 200 if name == "admin" else 403
    if name == "member":
        root = root_scope(model)
        narrowed = rule == "managers" or entry["scope"].get("write") == "managers" or root.get("write") == "managers"
        return 403 if narrowed else 200
    return 200
