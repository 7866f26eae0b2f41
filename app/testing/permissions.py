"""The permission matrix: every model, every verb, every kind of caller, against a second reading of the rules.

A module of tests takes it all, and names its models:

    from app.testing.permissions import *  # noqa: F403

    MODELS = [Task, Project]
    PUBLISHED = json.loads(Path("tests/dictionary.json").read_text())

What is expected is worked out here from the entries of the dictionary, ``rowgate resources --json``, and not by the
policy objects that the engine runs on, so that a slip in either shows. ``PUBLISHED`` is the dictionary as the project
keeps it; without one it is made of the models, and a policy that says something else than was meant does not show.
"""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from app.engine.declare.dictionary import dictionary
from app.engine.declare.record import Record
from app.testing.cast import Actor, Cast
from app.testing.reading import Reading
from app.testing.workshop import Workshop

__all__ = [
    "reading",
    "stage",
    "test_permission_matrix",
    "test_strangers_and_anonymous_callers_never_find_a_private_record_in_a_list",
]

OPERATIONS = ("list", "read", "create", "update", "delete")
ACTORS = (
    "nobody", "anonymous", "read_key", "write_key", "stranger_key", "empty_key", "narrowed_key", "member",
    "narrowed_member", "owner", "admin",
)  # fmt: skip
# What is granted to the narrowed ones, whatever their scopes: reads of all but accounts.
READS = [{"models": ["*"], "operations": ["list", "read"]}]


@pytest.fixture(scope="module")
def reading(request: pytest.FixtureRequest, app: Flask) -> Reading:
    """What the dictionary says that callers may do."""
    return Reading(getattr(request.module, "PUBLISHED", None) or dictionary())


@pytest.fixture(scope="module")
def stage(cast: Cast, reading: Reading) -> dict[str, Any]:
    """Every kind of caller, and workshops for two of them."""
    owner = cast.user()
    stranger = cast.user()
    return {
        "cast": cast,
        "reading": reading,
        "nobody": cast.nobody,
        "anonymous": cast.anonymous,
        "owner": owner,
        "read_key": cast.key(owner, "read"),
        "write_key": cast.key(owner, "write"),
        "empty_key": cast.key(owner, "write", access=[]),
        "narrowed_key": cast.key(owner, "write", access=READS),
        "stranger": stranger,
        "stranger_key": cast.key(stranger, "write"),
        "member": cast.colleague(owner),
        "narrowed_member": cast.colleague(owner, access=READS),
        "admin": cast.admin,
        "workshops": {"owner": Workshop(cast, owner), "stranger": Workshop(cast, stranger)},
    }


@pytest.mark.parametrize("operation", OPERATIONS)
def test_permission_matrix(stage: dict[str, Any], model: type[Record], operation: str) -> None:
    for name in ACTORS:
        response = attempt(stage, model, operation, name)
        expected = stage["reading"].status(model, operation, name)
        if expected is not None:
            assert response.status_code == expected, (name, operation, response.json)


def test_strangers_and_anonymous_callers_never_find_a_private_record_in_a_list(
    stage: dict[str, Any], model: type[Record]
) -> None:
    made = stage["workshops"]["owner"].make(model)
    for name in ("anonymous", "stranger_key"):
        response = stage[name].get(model.collection_path(), query_string={"id": made["id"]})
        if response.status_code == 200 and not stage["reading"].may_be_public(model):
            assert response.json["data"] == [], name


def attempt(stage: dict[str, Any], model: type[Record], operation: str, name: str) -> Any:
    """What a kind of caller is answered who tries an operation."""
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
    workshop: Workshop = stage["workshops"]["stranger" if name == "stranger_key" else "owner"]
    workshop.make_room(model, stage[name])
    body = workshop.body(model)
    entry = stage["reading"].entry(model)
    settable = [field["name"] for field in entry["fields"] if field.get("access") != "readOnly"]
    if (
        name in ("member", "narrowed_member", "admin")
        and entry["scope"]["kind"] == "organization"
        and "organizationId" in settable
    ):
        body.setdefault("organizationId", str(stage["owner"].organization_id))
    return body
