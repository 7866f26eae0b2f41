"""Made-up changes of callers with made-up grants: the service allows what the contract in plain Python does, and what
it refuses changes nothing."""

from __future__ import annotations

from itertools import count
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, select, text, update

from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.foundation.clock import now
from app.testing.database import transaction
from tests.engine.queries import asking, writing
from tests.engine.queries.asking import PATIENT
from tests.engine.queries.comparing import attribute_of, names_of, wire
from tests.engine.queries.reference import Reference
from tests.engine.queries.test_grants import MODELS, grant
from tests.engine.queries.world import WORDS

WRITES = (["update", "delete"], ["create"], ["create", "update", "delete", "read"])
CONDITIONS = {
    CrmCompany: ("name", "visibility", "industry"),
    CrmContact: ("firstName", "title", "lastName"),
    CrmDeal: ("name", "currency", "priority", "stage"),
}
numbers = count()


@st.composite
def changes(draw, world, model):
    """Values for some fields by wire name, a reference among them."""
    names = draw(st.lists(st.sampled_from(writing.CHANGED[model]), min_size=1, max_size=3, unique=True))
    sent = {}
    for name in names:
        stored = [row[attribute_of(model, name)] for row in world.rows[model]]
        sent[name] = draw(st.sampled_from([value for value in stored if value] or [WORDS[0]]))
    return sent


@st.composite
def grants_of(draw, world, model):
    """A list that opens writes of a model, of other fields on other rows, and reads what its rows name."""
    named = {"models": [CrmCompany.qualified_name()], "operations": ["read"]}
    if draw(st.booleans()):
        named["where"] = draw(condition(world, CrmCompany))
    openings = draw(st.lists(opening(world, model), min_size=1, max_size=3))
    return [*openings, named, *draw(st.lists(grant(world, WRITES), max_size=1))]


@st.composite
def opening(draw, world, model):
    found = {"models": [model.qualified_name()], "operations": draw(st.sampled_from(WRITES))}
    if draw(st.booleans()):
        names = [*writing.CHANGED[model], "lastName", "email", "companyId"]
        left = draw(st.sets(st.sampled_from(names), max_size=2))
        found["fields"] = [name for name in names if name in {*names_of(model)} - left]
    if draw(st.integers(0, 2)):
        found["where"] = draw(condition(world, model))
    return found


@st.composite
def condition(draw, world, model):
    """One of a field that is changed, or any."""
    if draw(st.integers(0, 3)) == 0:
        return draw(asking.where(world, model, 2))
    name = draw(st.sampled_from(CONDITIONS[model]))
    values = sorted({row[attribute_of(model, name)] or "" for row in world.rows[model]})
    wanted = draw(st.lists(st.sampled_from(values), min_size=1, max_size=4, unique=True))
    return {name: {draw(st.sampled_from(("in", "nin"))): wanted}}


def row_of(data, world, caller, model):
    """A row, of the caller's organizations more often than not."""
    near = [row for row in world.rows[model] if row["organization_id"] in caller.roles]
    return data.draw(st.sampled_from([*near, *near, *world.rows[model]]))


@pytest.fixture(params=["key", "member", "teams"])
def whose(request):
    return request.param


@pytest.fixture
def every_caller(known, narrowed, whose, examples):
    """Ask a question of made-up callers of one sort."""

    def ask(models, question):
        @settings(max_examples=examples // 10, **PATIENT)
        @given(st.data())
        def asked(data):
            model = data.draw(st.sampled_from(models))
            caller = narrowed[whose](data.draw(grants_of(known, model)))
            for _ in range(5):
                question(caller, model, data)

        asked()

    return ask


def test_rows_change_as_the_contract_of_grants_says(known, every_caller):
    def question(caller, model, data):
        row = row_of(data, known, caller, model)
        sent = data.draw(changes(known, model))
        expected = writing.status_of_update(known, caller, model, row, sent)
        answer = caller.actor.patch(f"{model.collection_path()}/{row['id']}", sent)
        changed = {attribute_of(model, name): value for name, value in sent.items()} if expected == 200 else {}
        found = stored(caller, model, row["id"])
        put_back(caller, update(model).where(model.id == row["id"]).values(**row))
        assert answer.status_code == expected, (row, sent, answer.json)
        assert found == row | changed | {"updated_at": found["updated_at"]}
        if expected == 200:
            check_shown(known, caller, model, found, answer)

    every_caller(MODELS, question)


def test_rows_go_as_the_contract_of_grants_says(known, every_caller):
    def question(caller, model, data):
        row = row_of(data, known, caller, model)
        expected = writing.status_of_delete(known, caller, CrmDeal, row)
        answer = caller.actor.delete(f"{CrmDeal.collection_path()}/{row['id']}")
        is_gone = stored(caller, CrmDeal, row["id"]) is None
        if is_gone:
            put_back(caller, insert(CrmDeal).values(**row))
        assert (answer.status_code, is_gone) == (expected, expected == 200), (row, answer.json)

    every_caller([CrmDeal], question)


def test_rows_are_made_as_the_contract_of_grants_says(known, every_caller):
    def question(caller, model, data):
        sent = data.draw(changes(known, model)) | {
            "firstName": data.draw(st.sampled_from(WORDS[:-1])),
            "lastName": data.draw(st.sampled_from(WORDS[:-1])),
            "email": f"made{next(numbers)}@quay.example",
            "companyId": str(row_of(data, known, caller, CrmCompany)["id"]),
        }
        row = dict.fromkeys(known.rows[model][0]) | {attribute_of(model, name): sent[name] for name in sent}
        row |= {"id": uuid4(), "company_id": UUID(sent["companyId"]), "version": 1, "created_at": now(),
                "updated_at": now(), "created_by_id": caller.user_id,
                "organization_id": caller.actor.organization_id}  # fmt: skip
        expected = writing.status_of_create(known, caller, model, row, sent)
        answer = caller.actor.post(model.collection_path(), sent)
        with caller.actor.app.app_context(), transaction() as session:
            made = session.scalar(select(model.id).where(model.email == sent["email"]))
        put_back(caller, delete(model).where(model.email == sent["email"]))
        assert (answer.status_code, made is not None) == (expected, expected == 201), (sent, answer.json)

    every_caller([CrmContact], question)


def stored(caller, model, identifier):
    """The row as the table has it, or None."""
    names = [name for name, field in model.fields().items() if field.column is not None]
    statement = select(*(model.fields()[name].column for name in names)).where(model.id == identifier)
    with caller.actor.app.app_context(), transaction() as session:
        found = session.execute(statement).one_or_none()
    return None if found is None else dict(zip(names, found, strict=True))


def put_back(caller, statement):
    """Undo a change, with the time that the row had, so that a world is asked about once more."""
    with caller.actor.app.app_context(), transaction() as session:
        session.execute(text("SET LOCAL session_replication_role = replica"))
        session.execute(statement)


def check_shown(world, caller, model, row, answer):
    """A write answers what an item would show of the row, and of one that it would not, id and version alone."""
    reference = Reference(writing.with_row(world, model, row), caller)
    if not reference.is_visible(model, row, "read"):
        assert set(answer.json) <= {"id", "version"}
        return
    for name, attribute in names_of(model).items():
        is_shown, value = reference.value(model, row, attribute, "read")
        assert (name in answer.json) is is_shown
        assert not is_shown or answer.json[name] == wire(value)
