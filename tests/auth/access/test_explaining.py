"""What a caller may do, and why: in words."""

from __future__ import annotations

import pytest

from app.crm.models import CrmCompany, CrmDeal
from app.testing.workshop import Workshop

ASK = "/api/v1/_access"


@pytest.fixture(scope="module")
def owner(cast):
    return cast.user()


@pytest.fixture(scope="module")
def deal(cast, owner):
    return Workshop(cast, owner).make(CrmDeal, name="Crane")


def ask(actor, operation, model="crm/deal", **rest):
    answer = actor.post(ASK, {"model": model, "operation": operation, **rest})
    assert answer.status_code == 200, answer.json
    return answer.json


def test_what_a_key_may_do_is_told_with_its_fields(cast, owner):
    key = cast.key(owner, "read", access=[{"models": ["crm/deal"], "fields": ["name"]}])
    assert key.get(ASK).json == {
        "scopes": ["read"], "narrowed": True,
        "models": [{"model": "crm/deal", "operations": ["list", "read"], "fields": ["id", "name"]}],
    }  # fmt: skip
    whole = {each["model"]: each for each in owner.get(ASK).json["models"]}
    assert whole["crm/deal"]["operations"] == ["list", "read", "create", "update", "delete", "export", "import"]
    assert whole["crm/deal"]["fields"] is None
    assert "platform/audit-log" in whole


@pytest.mark.parametrize(
    ("access", "scopes", "operation", "because"),
    [
        ([{"models": ["crm/deal"]}], ["read"], "update", "The credential does not have the scope write."),
        ([{"models": ["crm/deal"]}], ["write"], "update", "No grant of the key opens update on crm/deal."),
        ([{"models": ["crm/deal"], "where": {"name": "x"}}], ["read"], "read",
         "The record meets the condition of no grant that opens read."),
    ],
)  # fmt: skip
def test_a_refusal_says_what_closes_it(cast, owner, deal, access, scopes, operation, because):
    cast.key(owner, *scopes, access=access)
    identifier = owner.get("/api/v1/auth/api-key").json["data"][0]["id"]
    told = ask(owner, operation, id=deal["id"], **{"as": {"keyId": identifier}})
    assert told["allowed"] is False
    assert because in told["because"]


def test_what_is_allowed_says_what_admits_it(cast, owner, deal):
    key = cast.key(owner, "read", access=[{"models": ["crm/company"]}, {"models": ["crm/deal"]}])
    assert ask(key, "read", id=deal["id"]) == {
        "allowed": True,
        "because": ["The policy of crm/deal admits it: scope.", "Grant 2 of the key opens it."],
    }
    assert ask(owner, "update", id=deal["id"])["allowed"] is True


def test_managers_ask_of_members_and_others_of_nobody(cast, owner, deal):
    member, stranger = cast.colleague(owner), cast.user()
    asked = {"userId": str(member.user_id), "organizationId": str(owner.organization_id)}
    row = owner.get("/api/v1/auth/member", query_string=asked).json["data"][0]["id"]
    owner.put(f"/api/v1/auth/member/{row}/_access", {"access": []})
    told = ask(owner, "list", **{"as": {"memberId": row}})
    assert told["allowed"] is False
    assert str(owner.organization_id) in told["because"][0]
    for actor, status in ((member, 403), (stranger, 404)):
        answer = actor.post(ASK, {"model": "crm/deal", "operation": "list", "as": {"memberId": row}})
        assert answer.status_code in (status, 404)


def test_a_record_that_the_asker_does_not_see_is_absent(cast, owner, deal):
    answer = cast.user().post(ASK, {"model": "crm/deal", "operation": "read", "id": deal["id"]})
    assert answer.status_code == 404
    refused = owner.post(ASK, {"model": "crm/nothing", "operation": "read"})
    assert refused.json["details"]["fields"] == {"model": ["There is no such model."]}


def test_rules_of_models_are_told_too(cast, owner):
    member = cast.colleague(owner)
    assert ask(member, "create", "ai/provider")["because"] == ["Only platform admins create records of ai/provider."]
    assert ask(owner, "update", "platform/audit-log")["because"] == ["Nobody may update records of platform/audit-log."]


def test_a_rule_for_some_roles_or_for_sessions_is_told(cast, owner):
    assert ask(cast.colleague(owner), "update", "ai-agent/config")["allowed"] is True, "an owner of his own"
    key = cast.key(cast.colleague(owner), "write", organization_id=owner.organization_id)
    assert ask(key, "update", "ai-agent/config") == {
        "allowed": False, "because": ["Only members with the role owner or admin update records of ai-agent/config."],
    }  # fmt: skip
    assert ask(key, "list", "auth/session") == {
        "allowed": False, "because": ["auth/session needs a session in place of a key."],
    }  # fmt: skip


@pytest.mark.parametrize("operation", ["update", "delete"])
def test_what_is_seen_and_not_written_is_told(cast, owner, operation):
    public, stranger = Workshop(cast, owner).make(CrmCompany, visibility="public"), cast.user()
    assert ask(stranger, "read", "crm/company", id=public["id"])["allowed"] is True
    assert ask(stranger, operation, "crm/company", id=public["id"]) == {
        "allowed": False, "because": [f"The policy of crm/company does not let the caller {operation} this record."],
    }  # fmt: skip


def test_a_record_that_is_listed_and_not_exported_is_told(cast, owner, deal):
    listed = {"models": ["crm/deal"], "operations": ["list", "read"]}
    exported = {"models": ["crm/deal"], "operations": ["export"], "where": {"name": "x"}}
    key = cast.key(owner, "read", access=[listed, exported])
    assert ask(key, "list", id=deal["id"])["allowed"] is True
    assert ask(key, "export", id=deal["id"]) == {
        "allowed": False, "because": ["The record meets the condition of no grant that opens export."],
    }  # fmt: skip
