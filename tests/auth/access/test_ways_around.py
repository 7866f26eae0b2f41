"""What goes around the engine, or around one list by way of another, is bound by grants as well."""

from __future__ import annotations

import pytest

from app.ai_rag import search
from app.ai_rag.models import AiRagDocument
from app.ai_rag.wording import Wording
from app.analytics.models import AnalyticsReport
from app.analytics.reports import RIGHTS_REDUCED
from app.auth.credentials import credentials
from app.crm.models import CrmCompany, CrmDeal
from app.engine.read import grant_parser
from app.engine.write.unit_of_work import run_unit
from app.foundation.crypto import vault
from app.testing.cast import Actor
from app.testing.waiting import work
from app.testing.workshop import Workshop
from tests.auth.access.granting import ALL, DEALS, FORBIDDEN, READS, grant, ids, narrow, told
from tests.auth.access.test_members import JOINED, MEMBERS, TEAMS, membership, team
from tests.auth.access.test_members import narrow as narrow_member

REPORTS = "/api/v1/analytics/report"


@pytest.mark.parametrize("narrower", [{"where": {"title": "x"}}, {"fields": ["title"]}], ids=["rows", "fields"])
def test_routes_by_hand_want_grants_of_all_rows_and_fields(cast, owner, narrower):
    whole = narrow(cast, owner, grant("ai/chat", ALL), grant("ai/message", ALL))
    part = narrow(cast, owner, grant("ai/chat", ALL, **narrower), grant("ai/message", ALL))
    chats_alone = narrow(cast, owner, grant("ai/chat", ALL))
    asked = {"take": 10}
    answers = [each.post("/api/chat/history", asked).status_code for each in (whole, part, chats_alone)]
    assert answers == [200, 403, 403]


def test_a_file_and_a_document_are_made_by_hand_with_whole_grants_alone(cast, owner):
    key = narrow(cast, owner, grant("storage/document", ALL, where={"kind": "code"}), grant("storage/upload", ALL))
    assert key.post("/api/documents", {"title": "T", "kind": "sheet", "content": "x"}).status_code == 403
    assert key.get("/api/documents").status_code == 403


def test_the_conditions_of_a_key_tell_its_narrowed_owner_nothing(cast, owner, shop):
    member = cast.colleague(owner)
    shop.make(CrmDeal, name="visible", amount=777)
    narrow_member(owner, member, [grant("crm/deal", fields=["name"])])
    switched = member.post("/api/auth/session/organization", {"organizationId": str(owner.organization_id)})
    assert switched.status_code == 200

    def found(where):
        access = [grant("crm/deal", where=where)]
        made = member.post("/api/v1/auth/api-key", {"name": "K", "scopes": ["read"], "access": access})
        return ids(Actor(owner.app, made.json["key"]).get(DEALS))

    assert len(found({"name": "visible"})) == 1
    assert found({"amount": {"lte": 777}}) == found({"amount": {"lte": 776}}) == set()


def test_a_key_asks_by_no_more_than_it_sees_though_its_conditions_see_more(cast, owner, shop):
    member = cast.colleague(owner)
    company = shop.make(CrmCompany, industry="steel")
    made = shop.make(CrmDeal, companyId=company["id"])
    narrow_member(owner, member, [grant("crm/deal"), grant("crm/company")])
    access = [grant("crm/deal", where={"company": {"industry": "steel"}}), grant("crm/company", where={"name": "x"})]
    key = cast.key(member, "read", access=access, organization_id=owner.organization_id)
    assert ids(key.get(DEALS)) == {made["id"]}
    assert ids(key.get(DEALS, query_string={"company.industry": "steel"})) == set()


def test_a_field_is_shown_where_the_lists_of_a_key_and_of_its_owner_both_show_it(cast, owner, shop):
    member = cast.colleague(owner)
    for name in ("A", "B"):
        for position in (1, 2):
            shop.make(CrmDeal, name=f"{name}{position}", amount=5, currency="EUR" if position == 1 else "USD")
    by_name = [grant("crm/deal", fields=["name"]), grant("crm/deal", where={"name": {"startsWith": "A"}})]
    by_currency = [grant("crm/deal", fields=["name"]), grant("crm/deal", where={"currency": "EUR"})]
    for of_member, of_key in ((by_name, by_currency), (by_currency, by_name)):
        narrow_member(owner, member, of_member)
        key = cast.key(member, "read", access=of_key, organization_id=owner.organization_id)
        listed = key.get(DEALS).json["data"]
        assert {each["name"]: each.get("amount") for each in listed} == {"A1": 5, "A2": None, "B1": None, "B2": None}


def test_the_same_list_of_a_member_and_of_a_key_is_another(cast, owner, shop):
    made, member = shop.make(CrmDeal, name="Seen"), cast.colleague(owner)
    access = [grant("crm/deal", where={"and": [{"name": "Seen"}, {"not": {"name": "Hidden"}}]})]
    narrow_member(owner, member, access)
    for holder, own in ((member, None), (owner, access)):
        key = cast.key(holder, "read", access=own, organization_id=owner.organization_id)
        assert ids(key.get(DEALS)) == {made["id"]}
        assert key.get(f"{DEALS}/{made['id']}").status_code == 200


def test_the_teams_of_a_member_have_no_more_grants_together_than_a_list(cast, owner):
    member = cast.colleague(owner)
    lists = [[grant("crm/deal", where={"name": f"{n} {m}"}) for m in range(30)] for n in range(2)]
    team(owner, member, access=lists[0])
    second = team(owner, member)
    refused = owner.put(f"{TEAMS}/{second}/_access", {"access": lists[1]})
    assert refused.status_code == 409
    assert owner.get(f"{TEAMS}/{second}/_access").json == {"access": None}
    third = team(owner, access=lists[1])
    joined = owner.post(JOINED, {"teamId": third, "userId": str(member.user_id)})
    assert joined.status_code == 409


def test_what_a_left_team_leaves_behind_is_lifted_by_no_team_that_never_narrowed(cast, owner, shop):
    member, made = cast.colleague(owner), shop.make(CrmDeal)
    narrowing = team(owner, member, access=[grant("crm/company")])
    other = team(owner, member)
    assert owner.delete(f"{TEAMS}/{narrowing}").status_code == 200
    assert owner.put(f"{TEAMS}/{other}/_access", {"access": None}).status_code == 200
    assert owner.get(f"{MEMBERS}/{membership(owner, member)}/_access").json["teamAccess"] == []
    assert member.get(f"{DEALS}/{made['id']}").status_code == 404


def test_reports_of_everybody_are_not_for_members_with_grants(cast, owner):
    member = cast.colleague(owner)
    period = {"periodStart": "2026-01-01T00:00:00Z", "periodEnd": "2026-12-31T00:00:00Z"}
    body = {"name": "R", "kind": "usage", "organizationId": str(owner.organization_id), **period}
    assert member.post(REPORTS, body).status_code == 201
    narrow_member(owner, member, [grant("analytics/report", ALL), grant("auth/organization")])
    assert told(member.post(REPORTS, body)) == FORBIDDEN


def test_a_report_of_somebody_who_is_narrowed_meanwhile_fails(cast, owner, shop):
    member = cast.colleague(owner)
    body = shop.body(AnalyticsReport) | {"organizationId": str(owner.organization_id)}
    made = member.post(REPORTS, body)
    assert made.status_code == 201, made.json
    narrow_member(owner, member, [grant("analytics/report", ALL)])
    work(cast.app)
    told_of = owner.get(f"{REPORTS}/{made.json['id']}").json
    assert (told_of["status"], told_of["errorMessage"]) == ("failed", RIGHTS_REDUCED)


def test_a_text_is_taken_over_from_documents_that_are_read_whole(cast, owner):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Port"}).json["id"]
    document = owner.post("/api/documents", {"title": "T", "content": "Secret"}).json["id"]
    body = {"indexId": index, "title": "T", "sourceType": "document", "storageDocumentId": document}
    titles = narrow(cast, owner, grant("ai-rag/*", ALL), grant("storage/document", fields=["title"]))
    refused = titles.post("/api/v1/ai-rag/document", body)
    assert (refused.status_code, list(refused.json["details"]["fields"])) == (400, ["storageDocumentId"])
    whole = narrow(cast, owner, grant("ai-rag/*", ALL), grant("storage/document"))
    assert whole.post("/api/v1/ai-rag/document", body).status_code == 201


def test_the_same_list_in_another_organization_is_another(cast, owner, shop):
    access = '[{"models": ["crm/deal"]}]'
    with cast.app.app_context():
        one, other = (grant_parser.load([(each.organization_id, access)]) for each in (owner, cast.user()))
    assert one.hash != other.hash


def test_a_transition_and_a_repetition_tell_nothing_of_what_is_not_read(cast, owner, shop):
    made = shop.make(CrmDeal)
    for stage in ("qualified", "proposal", "negotiation", "won"):
        owner.put(f"{DEALS}/{made['id']}", {"stage": stage})
    key = narrow(cast, owner, grant("crm/deal", ["update"]))
    refused = key.put(f"{DEALS}/{made['id']}", {"stage": "lead"})
    assert refused.json["error"] == "Invalid stage: Cannot go to lead."
    own = {"organizationId": str(owner.organization_id)}
    assert key.put(f"{DEALS}/{made['id']}", own).status_code == 400
    assert owner.put(f"{DEALS}/{made['id']}", own).status_code == 200


def test_a_list_in_one_organization_leaves_the_archive_of_ones_own(cast, owner):
    member = cast.colleague(owner)
    Workshop(cast, member).make(CrmDeal, name="Mine")
    narrow_member(owner, member, [])
    assert [each["name"] for each in member.get(f"{DEALS}/_export?as=json").json] == ["Mine"]


def test_conditions_over_relations_take_a_slot_and_plain_ones_none(cast, owner):
    def reaches(where):
        with cast.app.app_context():
            return grant_parser.load([(None, f'[{{"models": ["crm/deal"], "where": {where}}}]')]).reaches

    assert not reaches('{"name": "x"}')
    assert reaches('{"or": [{"name": "x"}, {"not": {"company": {"name": "x"}}}]}')


def test_a_key_asks_of_itself_alone(cast, owner):
    key = narrow(cast, owner, grant("crm/deal"), grant("auth/api-key", READS))
    identifier = owner.get("/api/v1/auth/api-key").json["data"][0]["id"]
    asked = {"model": "crm/deal", "operation": "list", "as": {"keyId": identifier}}
    assert key.post("/api/v1/_access", asked).status_code == 403
    export = {"model": "crm/deal", "operation": "export"}
    exports = narrow(cast, owner, grant("crm/deal", ["export"]))
    assert exports.post("/api/v1/_access", export).json["allowed"] is False


def test_passages_show_what_the_grants_of_their_fields_leave(cast, owner):
    shop = Workshop(cast, owner)
    document = shop.plant(AiRagDocument)
    chunk = {"documentId": str(document["id"]), "position": 7000, "content": "zebra giraffe"}
    made = owner.post("/api/v1/ai-rag/chunk", chunk)
    assert made.status_code == 201, made.json
    hidden = [
        grant("ai-rag/document"), grant("ai-rag/chunk", fields=["documentId"]),
        grant("ai-rag/chunk", fields=["content"], where={"position": 1}),
    ]  # fmt: skip
    whole = [grant("ai-rag/document"), grant("ai-rag/chunk")]
    found = []
    for access in (whole, hidden):
        key = cast.key(owner, "read", access=access)
        with cast.app.test_request_context():
            principal = credentials.key_principal(vault().digest(key.token), from_query=False)
            hits = run_unit(principal, search.search, principal, Wording("zebra"), [document["id"]], 5)
        found.append([hit.content for hit in hits])
    assert found == [["zebra giraffe"], []]


def test_a_field_is_judged_on_the_row_as_it_was_too(cast, owner, shop):
    """Whoever may move a row, and set a field of where it goes, does not do both at once."""
    made = shop.make(CrmDeal, stage="lead", amount=1)
    key = narrow(
        cast, owner,
        grant("crm/deal", ["read", "update"], fields=["stage"], where={"stage": "lead"}),
        grant("crm/deal", ["read", "update"], fields=["stage", "amount"], where={"stage": "qualified"}),
    )  # fmt: skip
    path = f"{DEALS}/{made['id']}"
    assert told(key.put(path, {"stage": "qualified", "amount": 5})) == FORBIDDEN
    assert owner.get(path).json["stage"] == "lead"
    for change in ({"stage": "qualified"}, {"amount": 5}):
        assert key.put(path, change).status_code == 200
