"""Queries that code asks: what they find is what the same request answers."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.auth.credentials.credentials import principal_of
from app.crm.models import CrmCompany, CrmDeal
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.read.encoding import dumps
from app.foundation.errors import InvalidExpand, InvalidFilter, InvalidPagination, NotFound
from rowgate import aggregate, count, find, find_each, get, run_unit, visible
from tests.engine.queries import asking
from tests.engine.queries.asking import PATIENT
from tests.writes import created


def test_code_finds_what_a_request_is_answered(known, examples, asked_cast):
    @settings(max_examples=examples // 4, **PATIENT)
    @given(st.data())
    def ask(data):
        caller, model, asked = asking.drawn(data, known, asking.query)
        path = model.collection_path()
        answer = caller.actor.post(f"{path}/_query", {**asked, "take": 5, "count": "exact"})
        assert answer.status_code == 200, answer.json
        with asked_cast.app.test_request_context():
            principal = principal_of(caller.actor.token)
            page = find(model, principal, take=5, count="exact", **asked)
            where, search = asked.get("where"), asked.get("search", "")
            assert count(model, principal, where, search=search) == page.count
            if not search:
                again = {name: asked[name] for name in ("sort", "fields", "expand") if name in asked}
                assert len(list(find_each(model, principal, where, **again))) == page.count
            with reading() as session:
                seen = session.scalars(select(model.id).where(visible(model, principal))).all()
        assert json.loads(dumps(page.records)) == answer.json["data"]
        assert {each["id"] for each in page.records if "id" in each} <= set(seen)

    ask()


def test_code_sums_up_what_a_request_is_answered(known, examples, asked_cast):
    @settings(max_examples=examples // 8, **PATIENT)
    @given(st.data())
    def ask(data):
        caller, model, asked = asking.drawn(data, known, asking.sum_query)
        answer = caller.actor.post(f"{model.collection_path()}/_aggregate", asked)
        zone = {"time_zone": asked["timeZone"]} if "timeZone" in asked else {}
        with asked_cast.app.test_request_context():
            principal = principal_of(caller.actor.token)
            given_ = {name: value for name, value in asked.items() if name != "timeZone"}
            assert json.loads(dumps(aggregate(model, principal, **given_, **zone))) == answer.json["data"]

    ask()


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture
def deals(owner):
    company = created(owner, "crm/company", name="Harbour")
    for number in range(3):
        created(owner, "crm/deal", name=f"Crane {number}", amount=number, companyId=company["id"])
    return company


def test_conditions_take_values_of_python(app, owner, deals):
    class Stage(Enum):
        LEAD = "lead"

    now = datetime.now(UTC)
    conditions = [
        {"companyId": UUID(deals["id"]), "stage": {"in": {Stage.LEAD}}},
        {"createdAt": {"gte": now - timedelta(hours=1), "lte": now + timedelta(hours=1)}},
        {"amount": {"lt": Decimal(3)}}, {"organizationId": owner.organization_id},
    ]  # fmt: skip
    with app.app_context():
        for where in conditions:
            found = find(CrmDeal, owner.principal, where, sort=("-amount",), fields=("name",))
            assert [each["name"] for each in found.records] == ["Crane 2", "Crane 1", "Crane 0"], where
        with pytest.raises(InvalidFilter, match=r"createdAt\.gte"):
            find(CrmDeal, owner.principal, {"createdAt": {"gte": datetime(2026, 1, 1)}})


def test_what_a_request_may_not_ask_code_may_not(app, owner, cast, deals):
    with app.app_context():
        for failure, asked in (
            (InvalidFilter, {"where": {"nothing": 1}}), (InvalidPagination, {"take": 100_000}),
            (InvalidExpand, {"expand": ["nothing"]}),
        ):  # fmt: skip
            with pytest.raises(failure):
                find(CrmDeal, owner.principal, **asked)
        assert find(CrmDeal, cast.user().principal).records == []


def test_a_record_is_read_with_what_stands_beside_it(app, owner, cast, deals):
    with app.app_context():
        (deal,) = find(CrmDeal, owner.principal, {"name": "Crane 1"}).records
        found = get(CrmDeal, owner.principal, deal["id"], fields=["name", "company.name"], expand=["company"])
        company = {"id": UUID(deals["id"]), "name": "Harbour"}
        assert found == {"id": deal["id"], "name": "Crane 1", "company": company}
        assert get(CrmDeal, SYSTEM, deal["id"])["name"] == "Crane 1"
        with pytest.raises(NotFound):
            get(CrmDeal, cast.user().principal, deal["id"])


def test_code_finds_what_its_unit_has_written(app, owner):
    def work(unit):
        made = unit.create(CrmCompany, {"name": "Quay"})["id"]
        assert [each["id"] for each in find(CrmCompany, unit.principal, {"name": "Quay"}).records] == [made]
        assert count(CrmCompany, unit.principal) == 1
        return made

    with app.app_context():
        made = run_unit(owner.principal, work)
        assert get(CrmCompany, owner.principal, made)["name"] == "Quay"


def test_all_pages_are_walked_through(app, owner, deals):
    with app.app_context():
        companies = find_each(CrmCompany, owner.principal, expand={"deals": {"sort": ["amount"], "take": 2}})
        assert [[each["name"] for each in company["deals"]] for company in companies] == [["Crane 0", "Crane 1"]]
        assert count(CrmDeal, owner.principal, {"amount": {"gte": 1}}) == 2
        stages = aggregate(CrmDeal, owner.principal, group=["stage"], measures={"count": True, "sum": ["amount"]})
        assert [(each["count"], each["sum"]["amount"]) for each in stages] == [(3, 3)]
