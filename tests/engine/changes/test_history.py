"""The history of a record: what each version changed, for whoever may see both that version and the record."""

from __future__ import annotations

import uuid

import pytest

from app.ai.models.chats import AiMessage
from app.crm.models import CrmCompany, CrmDeal
from app.testing.cast import Actor

COMPANY = "/api/v1/crm/company"


@pytest.fixture
def company(owner):
    """Returns the path of a company with three versions, and the moments of the first two."""
    made = owner.post(COMPANY, {"name": "Harbour Works"}).json
    path = f"{COMPANY}/{made['id']}"
    second = owner.put(path, {"industry": "shipping"}).json
    owner.put(path, {"industry": "food", "name": "Harbour Foods"})
    return path, made["createdAt"], second["updatedAt"]


def test_versions_are_listed_newest_first_with_what_each_changed(owner, company):
    found = owner.get(f"{company[0]}/_history").json["data"]
    assert [(each["version"], each["operation"], each["changed"]) for each in found] == [
        (3, "update", ["name", "industry"]), (2, "update", ["industry"]), (1, "create", [])
    ]  # fmt: skip
    assert found[0]["before"] == {"name": "Harbour Works", "industry": "shipping"}
    assert found[0]["after"] == {"name": "Harbour Foods", "industry": "food"}
    assert found[2]["before"] is None
    assert found[2]["after"]["name"] == "Harbour Works"


def test_a_history_is_walked_by_its_cursor(owner, company):
    seen, cursor = [], ""
    while cursor is not None:
        page = owner.get(f"{company[0]}/_history", query_string={"take": 1, "cursor": cursor}).json
        seen += [each["version"] for each in page["data"]]
        cursor = page["meta"]["next"]
    assert seen == [3, 2, 1]


def test_a_cursor_of_another_record_is_refused(owner, company):
    other = owner.post(COMPANY, {"name": "Other"}).json["id"]
    cursor = owner.get(f"{company[0]}/_history", query_string={"take": 1}).json["meta"]["next"]
    assert owner.get(f"{COMPANY}/{other}/_history", query_string={"cursor": cursor}).status_code == 400


def test_who_has_made_a_change_is_named_to_those_who_share_an_organization(cast, owner, workshop):
    colleague, stranger = cast.colleague(owner), cast.user()
    public = owner.post(COMPANY, {"name": "Harbour Works", "visibility": "public"}).json
    path = f"{COMPANY}/{public['id']}/_history"
    assert colleague.get(path).json["data"][0]["actor"] == {"type": "user", "id": str(owner.user_id)}
    assert stranger.get(path).json["data"][0]["actor"] == {"type": "user", "id": None}


def test_a_record_is_read_as_it_was(owner, company):
    path, first, second = company
    answers = [owner.get(path, query_string={"asOf": moment}) for moment in (first, second)]
    assert [answer.status_code for answer in answers] == [200, 200], [answer.json for answer in answers]
    assert [answer.json["industry"] for answer in answers] == [None, "shipping"]
    assert owner.get(path, query_string={"asOf": second, "fields": "industry"}).json.keys() == {"id", "industry"}
    assert owner.get(path, query_string={"asOf": "2027-01-01T00:00:00Z"}).json["industry"] == "food"


@pytest.mark.parametrize("moment", ["yesterday", "2026-01-01", ""])
def test_a_moment_that_is_none_is_refused(owner, company, moment):
    assert owner.get(company[0], query_string={"asOf": moment}).status_code == 400


def test_a_record_was_not_there_before_it_was_made(owner, company, workshop):
    younger = workshop.make(CrmCompany)
    assert owner.get(f"{COMPANY}/{younger['id']}", query_string={"asOf": company[2]}).status_code == 404
    assert owner.get(company[0], query_string={"asOf": "2020-01-01T00:00:00Z"}).status_code == 404


def test_what_is_expanded_has_a_history_of_its_own(owner, company):
    asked = {"asOf": company[2], "expand": "organization"}
    assert owner.get(company[0], query_string=asked).status_code == 400


def test_to_publish_a_record_does_not_publish_what_it_was(cast, owner):
    stranger = cast.user()
    made = owner.post(COMPANY, {"name": "Secret plan"}).json
    path = f"{COMPANY}/{made['id']}"
    draft = owner.put(path, {"industry": "drafts"}).json["updatedAt"]
    owner.put(path, {"name": "Harbour Works", "visibility": "public"})
    told = stranger.get(f"{path}/_history").json["data"]
    assert [each["version"] for each in told] == [3]
    assert told[0]["before"] is None
    assert stranger.get(path, query_string={"asOf": draft}).status_code == 404
    assert owner.get(path, query_string={"asOf": draft}).json["name"] == "Secret plan"


def test_to_publish_a_parent_does_not_publish_what_its_children_were(cast, owner, workshop):
    stranger, message = cast.user(), workshop.make(AiMessage, content="A secret")
    path = f"/api/v1/ai/message/{message['id']}"
    edited = owner.put(path, {"content": "Nothing"}).json["updatedAt"]
    owner.put(f"/api/v1/ai/chat/{message['chatId']}", {"visibility": "public"})
    assert stranger.get(path).status_code == 200
    assert stranger.get(f"{path}/_history").json["data"] == []
    for moment in (message["createdAt"], edited):
        assert "A secret" not in stranger.get(path, query_string={"asOf": moment}).text
    assert len(owner.get(f"{path}/_history").json["data"]) == 2


def test_nobody_without_a_credential_reads_what_was(build, cast, owner):
    company = owner.post(COMPANY, {"name": "Harbour Works", "visibility": "public"}).json
    stranger = Actor(build(anonymous_models="crm/company"))
    path = f"{COMPANY}/{company['id']}"
    assert stranger.get(path).status_code == 200
    assert stranger.get(f"{path}/_history").status_code == 401
    assert stranger.get(path, query_string={"asOf": company["createdAt"]}).status_code == 401


def test_what_was_public_is_hidden_with_the_record(cast, owner):
    stranger = cast.user()
    made = owner.post(COMPANY, {"name": "Harbour Works", "visibility": "public"}).json
    path = f"{COMPANY}/{made['id']}"
    assert stranger.get(f"{path}/_history").status_code == 200
    owner.put(path, {"visibility": "private"})
    assert stranger.get(f"{path}/_history").status_code == 404
    assert stranger.get(path, query_string={"asOf": made["createdAt"]}).status_code == 404


def test_the_history_of_what_is_gone_is_for_those_who_could_have_deleted_it(cast, owner):
    stranger = cast.user()
    made = owner.post(COMPANY, {"name": "Harbour Works", "visibility": "public"}).json
    path = f"{COMPANY}/{made['id']}"
    owner.delete(path)
    assert [each["operation"] for each in owner.get(f"{path}/_history").json["data"]] == ["delete", "create"]
    assert owner.get(path, query_string={"asOf": made["createdAt"]}).json["name"] == "Harbour Works"
    assert owner.get(path, query_string={"asOf": "2027-01-01T00:00:00Z"}).status_code == 404
    for asked in ({}, {"asOf": made["createdAt"]}):
        assert stranger.get(path if asked else f"{path}/_history", query_string=asked).status_code == 404


def test_fields_that_a_key_does_not_see_are_not_in_its_history(cast, owner, company):
    granted = [{"models": ["crm/company"], "operations": ["read"], "fields": ["id", "name"]}]
    key = cast.key(owner, "read", access=granted)
    told = key.get(f"{company[0]}/_history").json["data"]
    assert [(each["version"], each["changed"]) for each in told] == [(3, ["name"]), (1, [])]
    assert told[0]["before"].keys() == told[0]["after"].keys() == {"name"}
    assert told[1]["after"].keys() == {"id", "name"}


def test_versions_outside_of_the_conditions_of_a_key_are_not_told(cast, owner, company):
    granted = [{"models": ["crm/company"], "operations": ["read"], "where": {"industry": "food"}}]
    key = cast.key(owner, "read", access=granted)
    told = key.get(f"{company[0]}/_history").json["data"]
    assert [(each["version"], each["before"]) for each in told] == [(3, None)]
    assert key.get(company[0], query_string={"asOf": company[2]}).status_code == 404


def test_a_record_goes_back_to_a_version_as_an_ordinary_change(owner, company):
    path = company[0]
    reverted = owner.post(f"{path}/_revert", {"version": 2})
    assert reverted.status_code == 200
    assert (reverted.json["name"], reverted.json["industry"]) == ("Harbour Works", "shipping")
    assert owner.get(f"{path}/_history").json["data"][0]["version"] == 4


def test_going_back_heeds_the_version_that_is_known(owner, company):
    stale = owner.post(f"{company[0]}/_revert", {"version": 1}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412


def test_going_back_follows_the_rules_of_states(owner, workshop):
    deal = workshop.make(CrmDeal, stage="lead")
    path = f"/api/v1/crm/deal/{deal['id']}"
    for stage in ("qualified", "proposal", "negotiation", "won"):
        assert owner.put(path, {"stage": stage}).status_code == 200
    refused = owner.post(f"{path}/_revert", {"version": 1})
    assert refused.status_code == 400
    assert "stage" in refused.json["details"]["fields"]


@pytest.mark.parametrize(("body", "status"), [
    ({}, 400), ({"version": 0}, 400), ({"version": "2"}, 400), ({"version": 2, "more": 1}, 400), ({"version": 9}, 404),
])  # fmt: skip
def test_a_version_that_is_none_is_refused(owner, company, body, status):
    assert owner.post(f"{company[0]}/_revert", body).status_code == status


def test_who_may_not_change_a_record_takes_it_back_to_nothing(cast, owner, company):
    public = owner.put(company[0], {"visibility": "public"})
    assert public.status_code == 200
    assert cast.user().post(f"{company[0]}/_revert", {"version": 4}).status_code == 403


def test_nobody_learns_of_records_that_are_not_theirs(cast, owner, company):
    stranger = cast.user()
    for answer in (stranger.get(f"{company[0]}/_history"), stranger.post(f"{company[0]}/_revert", {"version": 1}),
                   stranger.get(f"{COMPANY}/{uuid.uuid4()}/_history")):  # fmt: skip
        assert answer.status_code == 404


def test_without_a_log_there_is_no_history(build, owner, company):
    off = build(changes_days=0)
    silent = type(owner)(off, owner.token, owner.user_id, owner.organization_id)
    for path in (f"{company[0]}/_history", "/api/v1/_changes"):
        answer = silent.get(path)
        assert (answer.status_code, "CHANGES_DAYS" in answer.json["error"]) == (404, True)
