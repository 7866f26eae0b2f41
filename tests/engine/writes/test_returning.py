"""Records that are written and read back by one statement."""

from __future__ import annotations

import pytest

from app.engine.read.encoding import Projection
from app.engine.read.statements import RecordStatement
from app.engine.write import sql

CONTACT, COMPANY, DEAL = "/api/v1/crm/contact", "/api/v1/crm/company", "/api/v1/crm/deal"
ADA = {"firstName": "Ada", "lastName": "L", "email": "ada@example.com"}


@pytest.fixture
def company(owner):
    return owner.post(COMPANY, {"name": "Acme"}).json["id"]


def test_a_plain_create_is_one_statement_beside_the_credential(counting, owner, company):
    body = {**ADA, "companyId": company}
    owner.post(CONTACT, body)
    with counting() as asked:
        made = owner.post(CONTACT, body | {"email": "two@example.com"})
    assert made.status_code == 201
    assert len(asked) == 2
    assert made.json == owner.get(f"{CONTACT}/{made.json['id']}").json


def test_a_change_is_read_back_by_the_statement_that_writes_it(counting, owner, company):
    deal = owner.post(DEAL, {"name": "Crane", "companyId": company}).json
    with counting() as asked:
        changed = owner.patch(f"{DEAL}/{deal['id']}", {"stage": "qualified"})
    assert len([query for query in asked if "UPDATE crm_deal" in str(query)]) == 1
    assert len(asked) == 3, "the credential, the lock, and the change"
    assert changed.json == owner.get(f"{DEAL}/{deal['id']}").json
    assert changed.json["updatedAt"] > changed.json["createdAt"]


def test_what_hooks_change_is_written_with_what_was_sent(owner, company):
    deal = owner.post(DEAL, {"name": "Crane", "companyId": company}).json
    won = owner.patch(f"{DEAL}/{deal['id']}", {"stage": "won"})
    assert (won.json["probability"], won.headers["ETag"].split("-")[0]) == (100, '"2')
    assert won.json["closedAt"] is not None
    assert owner.get(f"{DEAL}/{deal['id']}").json == won.json


@pytest.mark.parametrize("stranger", [True, False])
def test_a_reference_that_the_caller_does_not_see_is_refused_and_nothing_is_written(cast, owner, stranger):
    company = cast.user().post(COMPANY, {"name": "Theirs"}).json["id"] if stranger else owner.user_id
    before = owner.get(CONTACT).json["meta"]["count"]
    refused = owner.post(CONTACT, {**ADA, "companyId": str(company)})
    assert (refused.status_code, refused.json["code"]) == (400, "FOREIGN_KEY_VIOLATION")
    assert list(refused.json["details"]["fields"]) == ["companyId"]
    assert owner.get(CONTACT).json["meta"]["count"] == before


def test_parameters_of_the_check_are_not_those_of_what_is_read():
    checking = RecordStatement(
        "%(param_1)s %(ref_company_id)s %(param_1)s", {"param_1": "judged"}, Projection((), (), ())
    )
    prefixed = sql._prefix_parameters(checking)
    assert prefixed.sql == "%(judged_param_1)s %(ref_company_id)s %(judged_param_1)s"
    assert prefixed.fixed == {"judged_param_1": "judged"}
