"""Made-up queries of callers with made-up grants: the service answers as the contract in plain Python does, and what
grants keep from a caller changes no byte of an answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare import relations
from app.engine.declare.fields import FILTERABLE, SORTABLE
from tests.engine.queries import asking
from tests.engine.queries.asking import PATIENT
from tests.engine.queries.reference import Reference
from tests.engine.queries.writing import fields_of

MODELS = (CrmCompany, CrmContact, CrmDeal)
READS = (["list"], ["read"], ["list", "read"], ["list", "read"])


@st.composite
def grant(draw, world, operations=READS):
    """A grant of one model, with some of its fields, and a condition."""
    model = draw(st.sampled_from(MODELS))
    operations = draw(st.sampled_from(operations))
    found = {"models": [model.qualified_name()], "operations": operations}
    if draw(st.booleans()):
        names = sorted(field.name for field in model.fields().values() if field.spec.readable)
        found["fields"] = draw(st.lists(st.sampled_from(names), min_size=1, max_size=12, unique=True))
    if draw(st.integers(0, 2)):
        found["where"] = draw(asking.where(world, model, 2))
    return found


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


@pytest.mark.parametrize("whose", ["key", "member", "teams"])
def test_lists_and_items_answer_as_the_contract_of_grants_says(known, narrowed, examples, whose):
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
