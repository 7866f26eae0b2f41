"""Made-up queries of callers with made-up grants: the service answers as the contract in plain Python does, and what
grants keep from a caller changes no byte of an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.auth.models.organizations import AuthMember
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare import relations
from app.engine.declare.fields import FILTERABLE, SORTABLE
from tests.engine.queries import asking
from tests.engine.queries.reference import Reference
from tests.engine.queries.test_reference_model import (  # noqa: F401
    PATIENT,
    asked_cast,
    cut,
    examples,
    known,
    pytest_generate_tests,
)

MODELS = (CrmCompany, CrmContact, CrmDeal)


@st.composite
def grant(draw, world):
    """A grant of one model, with some of its fields, and a condition."""
    model = draw(st.sampled_from(MODELS))
    operations = draw(st.sampled_from((["list"], ["read"], ["list", "read"], ["list", "read"])))
    found = {"models": [model.qualified_name()], "operations": operations}
    if draw(st.booleans()):
        names = sorted(field.name for field in model.fields().values() if field.spec.readable)
        found["fields"] = draw(st.lists(st.sampled_from(names), min_size=1, max_size=12, unique=True))
    if draw(st.integers(0, 2)):
        found["where"] = draw(asking.where(world, model, 2))
    return found


def fields_of(caller, model, operation="list"):
    """The fields that some grant of every list leaves; naming others is refused."""
    names = {field.name for field in model.fields().values()}
    for organization, grants in caller.lists:
        if organization is None or len(caller.roles) == 1:
            opening = [each for each in grants if _opens(each, model, operation)]
            names &= set().union(*(each.get("fields", names) for each in opening)) | {"id"} if opening else set()
    return names


def _opens(each, model, operation):
    return model.qualified_name() in each["models"] and operation in each["operations"]


@st.composite
def question(draw, world, caller, model):
    """A query that names what the caller may name."""
    known_names = fields_of(caller, model)
    filterable = sorted({each.name for each in asking.fields(model, FILTERABLE)} & known_names)
    asked = {"where": {}, "count": "exact", "take": draw(st.integers(1, 20))}
    for _ in range(draw(st.integers(0, 2))):
        compared = draw(asking.comparison(world, model))
        if set(compared) <= set(filterable):
            asked["where"] |= {"not": compared} if draw(st.integers(0, 3)) == 0 else compared
    if ones := [name for name in asking.reachable(model, many=False) if _may_follow(caller, model, name, "list")]:
        name = draw(st.sampled_from(ones))
        target = relations.of(model)[name].target
        compared = draw(asking.comparison(world, target))
        if set(compared) <= fields_of(caller, target):
            asked["where"][name] = compared
    if manies := [name for name in asking.reachable(model, many=True) if _may_follow(caller, model, name, "list")]:
        name = draw(st.sampled_from(manies))
        asked["where"][name] = {draw(st.sampled_from(("some", "none", "every"))): {}}
    sortable = sorted({each.name for each in asking.fields(model, SORTABLE)} & known_names)
    if sortable and draw(st.booleans()):
        asked["sort"] = [f"{draw(st.sampled_from(('', '-')))}{draw(st.sampled_from(sortable))}"]
    expanded = [
        name
        for many in (False, True)
        for name in asking.reachable(model, many=many)
        if _may_follow(caller, model, name, "list" if many else "read")
    ]
    if expanded and draw(st.booleans()):
        asked["expand"] = {draw(st.sampled_from(expanded)): {}}
    if model.searchable and draw(st.integers(0, 3)) == 0:
        asked["search"] = draw(st.sampled_from(("har", "crane wor", "elan", "quay ada", "a")))
    return asked


def _may_follow(caller, model, name, operation):
    relation = relations.of(model)[name]
    holder = relation.target if relation.many else model
    return bool(fields_of(caller, relation.target, operation)) and relation.reference.name in fields_of(
        caller, holder
    ) | fields_of(caller, holder, "read")


@pytest.fixture(scope="module")
def narrowed(asked_cast, known):  # noqa: F811
    """A key of the owner, and a member, whose grants a test sets; each with how to set them."""
    owner, member = known.callers["owner"], known.callers["member"]
    actor = asked_cast.key(owner.actor, "read", "write")
    made = owner.actor.get("/api/v1/auth/api-key").json["data"][0]
    key = replace(owner, actor=actor, roles={owner.actor.organization_id: "owner"})
    home = owner.actor.organization_id
    row = next(
        each for each in known.rows[AuthMember] if (each["user_id"], each["organization_id"]) == (member.user_id, home)
    )

    def set_key(grants):
        answer = owner.actor.put(f"/api/v1/auth/api-key/{made['id']}", {"access": grants})
        assert answer.status_code == 200, answer.json
        return replace(key, lists=((None, grants),))

    def set_member(grants):
        answer = owner.actor.put(f"/api/v1/auth/member/{row['id']}/_access", {"access": grants})
        assert answer.status_code == 200, answer.json
        return replace(member, lists=((home, grants),))

    return {"key": set_key, "member": set_member}


@pytest.mark.parametrize("whose", ["key", "member"])
def test_lists_and_items_answer_as_the_contract_of_grants_says(known, narrowed, examples, whose):  # noqa: F811
    @settings(max_examples=examples // 2, **PATIENT)
    @given(st.data())
    def ask(data):
        grants = data.draw(st.lists(grant(known), min_size=1, max_size=4))
        caller = narrowed[whose](grants)
        for _ in range(2):
            check(known, caller, data.draw(st.sampled_from(MODELS)), data)

    ask()


def check(world, caller, model, data):
    reference, path = Reference(world, caller), model.collection_path()
    if not fields_of(caller, model):
        assert caller.actor.get(path).status_code == 403
        return
    asked = data.draw(question(world, caller, model))
    found = reference.found(model, asked)
    answer = caller.actor.post(f"{path}/_query", asked)
    assert answer.status_code == 200, (asked, answer.json)
    expected = [reference.record(model, row, asked) for row in found[: asked["take"]]]
    answered = answer.json["data"]
    assert [record["id"] for record in answered] == [record["id"] for record in expected]
    assert [exact(record, model) for record in answered] == [exact(record, model) for record in expected]
    count = answer.json.get("total", answer.json.get("meta", {}).get("count"))
    assert count == len(found)
    row = data.draw(st.sampled_from(world.rows[model]))
    item = caller.actor.get(f"{path}/{row['id']}")
    if not fields_of(caller, model, "read"):
        assert item.status_code == 403
    elif reference.is_visible(model, row, "read"):
        shown = {
            name for name, each in model.fields().items() if each.column is not None and each.spec.readable
            and reference.value(model, row, name, "read")[0]
        }  # fmt: skip
        known_fields = {field.name for field in model.fields().values() if field.attribute in shown}
        virtual = {field.name for field in model.fields().values() if field.column is None}
        assert set(item.json) - virtual == known_fields
    else:
        assert item.status_code == 404


def exact(record, model):
    """What the reference knows of a record: no virtual field, and expansions as they are."""
    virtual = {field.name for field in model.fields().values() if field.column is None}
    return {name: value for name, value in record.items() if name not in virtual}
