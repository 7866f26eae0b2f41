"""Writes that are one statement and its own transaction."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from sqlalchemy import select, text, update

from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare.catalogue import DOMAINS
from app.engine.declare.principal import Reader
from app.engine.declare.scopes import Parent
from app.engine.read.database import LostRace, OutcomeUnknown
from app.engine.write import hooks, plan, single
from app.engine.write.preconditions import UNCONDITIONAL
from app.engine.write.unit_of_work import TRIES
from app.foundation.errors import DatabaseFailure
from app.testing.database import transaction
from app.testing.waiting import await_true

CONTACT, COMPANY = "/api/v1/crm/contact", "/api/v1/crm/company"
ADA = {"firstName": "Ada", "lastName": "L", "email": "ada@example.com"}
BLOCKED = text("SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))")
MODELS = [model for domain in DOMAINS for model in domain.models]


@pytest.fixture
def company(owner):
    return owner.post(COMPANY, {"name": "Acme"}).json["id"]


@pytest.fixture
def contact(owner, company):
    return owner.post(CONTACT, {**ADA, "companyId": company}).json


def version(answer) -> int:
    return int(answer.headers["ETag"].strip('"').split("-")[0])


@pytest.mark.parametrize("repeated", [(), ("companyId", "ownerId", "createdAt")])
def test_a_plain_change_is_one_statement_beside_the_credential(counting, owner, contact, repeated):
    given = {name: contact[name] for name in repeated if name in contact} | {"firstName": "Augusta"}
    with counting() as asked:
        changed = owner.patch(f"{CONTACT}/{contact['id']}", given)
    assert (changed.status_code, len(asked), version(changed)) == (200, 2, 2)
    assert changed.json == contact | {"firstName": "Augusta", "updatedAt": changed.json["updatedAt"]}
    assert changed.json == owner.get(f"{CONTACT}/{contact['id']}").json
    assert changed.json["updatedAt"] > contact["updatedAt"]


def test_what_is_as_it_was_makes_no_version(owner, contact):
    same = owner.patch(f"{CONTACT}/{contact['id']}", {"firstName": "Ada"})
    assert (same.status_code, version(same), same.json) == (200, 1, contact)


def test_a_change_of_case_is_a_change(owner, contact):
    assert owner.patch(f"{CONTACT}/{contact['id']}", {"firstName": "ADA"}).json["firstName"] == "ADA"


def test_a_condition_is_judged_by_the_statement_that_writes(counting, owner, contact):
    path = f"{CONTACT}/{contact['id']}"
    assert owner.patch(path, {"firstName": "Augusta"}, headers={"If-Match": '"1"'}).status_code == 200
    with counting() as asked:
        assert owner.patch(path, {"firstName": "Ada"}, headers={"If-Match": '"2"'}).status_code == 200
    assert len(asked) == 2
    refused = owner.patch(path, {"firstName": "Byron"}, headers={"If-Match": '"2"'})
    assert (refused.status_code, refused.json["details"]["version"]) == (412, 3)
    assert owner.get(path).json["firstName"] == "Ada"


def test_a_plain_removal_is_one_statement_beside_the_credential(counting, owner, contact):
    path = f"{CONTACT}/{contact['id']}"
    refused = owner.delete(path, headers={"If-Match": '"2"'})
    assert (refused.status_code, refused.json["details"]["version"]) == (412, 1)
    with counting() as asked:
        removed = owner.delete(path, headers={"If-Match": '"1"'})
    assert (removed.status_code, removed.json, len(asked)) == (200, {"id": contact["id"], "deleted": True}, 2)
    assert owner.get(path).status_code == owner.delete(path).status_code == 404


def test_a_change_that_a_hook_judges_is_left_to_the_unit(app, owner, company, contact):
    with app.app_context():
        asked = owner.principal, CrmContact, contact["id"]
        assert single.update(*asked, {"first_name": "Augusta", "company_id": None}, UNCONDITIONAL) is None
    assert owner.get(f"{CONTACT}/{contact['id']}").json == contact


def test_a_row_that_goes_to_somebody_else_meanwhile_is_not_changed(app, cast, owner, contact):
    """The statement waits for whoever has locked the row, and then judges the row as it is."""
    others = cast.user().organization_id
    wanted = CrmContact.id == contact["id"]
    with app.app_context(), ThreadPoolExecutor(1) as pool:
        with transaction() as session:
            session.execute(update(CrmContact).where(wanted).values(organization_id=others))
            answer = pool.submit(owner.patch, f"{CONTACT}/{contact['id']}", {"firstName": "Eve"})
            await_true(lambda: session.scalar(BLOCKED) > 0, 10)
        assert answer.result(20).status_code == 404
        with transaction() as session:
            assert session.scalar(select(CrmContact.first_name).where(wanted)) == "Ada"


def failing(monkeypatch, *errors):
    """Have the first statements fail; returns how many were asked."""
    asked, plain = [], plan.insert_with_checks

    def insert(*arguments):
        asked.append(arguments)
        if len(asked) <= len(errors):
            raise errors[len(asked) - 1]
        return plain(*arguments)

    monkeypatch.setattr(single.plan, "insert_with_checks", insert)
    return asked


def test_a_race_that_is_lost_is_run_again(app, owner, monkeypatch):
    asked = failing(monkeypatch, psycopg.errors.SerializationFailure(), psycopg.errors.DeadlockDetected())
    with app.app_context():
        assert single.create(owner.principal, CrmCompany, {"name": "Acme"})["name"] == "Acme"
    assert len(asked) == 3


def test_races_that_are_lost_again_and_again_end(app, owner, monkeypatch):
    asked = failing(monkeypatch, *[psycopg.errors.LockNotAvailable() for _ in range(TRIES)])
    with app.app_context(), pytest.raises(LostRace):
        single.create(owner.principal, CrmCompany, {"name": "Acme"})
    assert len(asked) == TRIES


@pytest.mark.parametrize(
    ("error", "failure"),
    [(psycopg.OperationalError("gone"), OutcomeUnknown), (psycopg.errors.UndefinedTable(), DatabaseFailure)],
)
def test_a_lost_answer_is_no_failure_of_the_statement(app, owner, monkeypatch, error, failure):
    asked = failing(monkeypatch, error)
    with app.app_context(), pytest.raises(failure):
        single.create(owner.principal, CrmCompany, {"name": "Acme"})
    assert len(asked) == 1


def test_hooks_audit_and_parents_keep_their_unit_of_work():
    plain = {model for model in MODELS if single.creates_in_one_statement(model, Reader.MEMBER)}
    assert {CrmCompany, CrmContact} <= plain
    assert CrmDeal not in plain
    assert not [model for model in plain if model.audited or isinstance(model.policy.scope, Parent)]


def test_changes_that_hooks_or_audit_follow_keep_their_unit_of_work():
    watched = {model: single._watched(model, Reader.MEMBER) for model in MODELS}
    assert "company_id" in watched[CrmContact]
    assert "stage" in watched[CrmDeal]
    assert not [model for model in MODELS if model.audited and watched[model] is not None]


def test_what_a_hook_watches_is_said_for_each_event_and_model(monkeypatch):
    monkeypatch.setattr(hooks, "_hooks", hooks.defaultdict(list))
    monkeypatch.setattr(hooks, "_changing", {})
    seen = []

    def hook(record, write):
        seen.append(type(record))

    hooks.on_create(CrmCompany)(hooks.on_update(CrmCompany, changing=["name"])(hooks.on_update(CrmContact)(hook)))
    assert (hooks.watched("update", CrmCompany), hooks.watched("update", CrmContact)) == (frozenset({"name"}), None)
    hooks.run("create", CrmCompany, [CrmCompany()], [hooks.Write(None)])
    hooks.run("update", CrmContact, [CrmContact()], [hooks.Write(None, before={"email": "a"})])
    hooks.run("update", CrmCompany, [CrmCompany()], [hooks.Write(None, before={"industry": "a"})])
    assert seen == [CrmCompany, CrmContact]
