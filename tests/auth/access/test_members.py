"""Members and teams that grants narrow, and who says so."""

from __future__ import annotations

import pytest

from app.ai_rag.models import AiRagDocument
from app.auth.models.organizations import AuthMember
from app.crm.models import CrmCompany, CrmDeal
from app.testing.database import transaction
from app.testing.workshop import Workshop

DEALS, COMPANIES, MEMBERS, TEAMS, JOINED = (
    "/api/v1/crm/deal", "/api/v1/crm/company", "/api/v1/auth/member", "/api/v1/auth/team", "/api/v1/auth/team-member",
)  # fmt: skip
READS = ["list", "read"]


def grant(model, operations=READS, **rest):
    return {"models": [model], "operations": operations, **rest}


@pytest.fixture
def member(cast, owner):
    return cast.colleague(owner)


def membership(owner, of):
    rows = owner.get(MEMBERS, query_string={"userId": str(of.user_id), "organizationId": str(owner.organization_id)})
    return rows.json["data"][0]["id"]


def narrow(owner, of, access, whose=MEMBERS):
    identifier = membership(owner, of) if whose == MEMBERS else of
    answer = owner.put(f"{whose}/{identifier}/_access", {"access": access})
    assert answer.status_code == 200, answer.json
    return answer.json


def team(owner, *people, access=None):
    made = owner.post(TEAMS, {"name": f"Team {len(owner.get(TEAMS).json['data'])}"}).json["id"]
    for person in people:
        assert owner.post(JOINED, {"teamId": made, "userId": str(person.user_id)}).status_code == 201
    if access is not None:
        narrow(owner, made, access, TEAMS)
    return made


def ids(answer):
    assert answer.status_code == 200, answer.json
    return {each["id"] for each in answer.json["data"]}


def test_a_list_narrows_rows_of_that_organization_alone(cast, owner, shop, member):
    theirs, mine = shop.make(CrmDeal), Workshop(cast, member).make(CrmDeal)
    assert ids(member.get(DEALS)) == {theirs["id"], mine["id"]}
    narrow(owner, member, [grant("crm/company")])
    assert ids(member.get(DEALS)) == {mine["id"]}
    assert member.get(f"{DEALS}/{theirs['id']}").status_code == 404
    assert member.get("/api/auth/session").status_code == 200
    narrow(owner, member, None)
    assert ids(member.get(DEALS)) == {theirs["id"], mine["id"]}


def test_a_list_leaves_what_follows_rows_of_ones_own_organization(cast, owner, member):
    mine = Workshop(cast, member).make(AiRagDocument)
    narrow(owner, member, [])
    assert member.get(f"/api/v1/ai-rag/document/{mine['id']}").status_code == 200


def test_conditions_look_at_all_of_the_organization(owner, shop, member):
    company = shop.make(CrmCompany, industry="steel")
    seen = shop.make(CrmDeal, companyId=company["id"])
    shop.make(CrmDeal, companyId=shop.make(CrmCompany, industry="ships")["id"])
    narrow(owner, member, [grant("crm/deal", where={"company": {"industry": "steel"}})])
    assert ids(member.get(DEALS)) == {seen["id"]}
    assert member.get(f"{DEALS}/{seen['id']}?expand=company").json.get("company", None) is None


def test_conditions_meet_what_the_organization_keeps_from_the_member(owner, shop, member):
    shop.make(CrmCompany)
    wanted = {"organization": {"invitations": {"some": {"email": f"sought-{member.user_id}@example.com"}}}}
    narrow(owner, member, [grant("crm/company", where=wanted)])
    assert ids(member.get(COMPANIES)) == set()
    invitation = {"email": f"sought-{member.user_id}@example.com", "organizationId": str(owner.organization_id)}
    assert owner.post("/api/v1/auth/invitation", invitation).status_code == 201
    assert ids(member.get(COMPANIES))


def test_conditions_meet_nothing_of_other_organizations(cast, owner, shop, member):
    other = cast.user()
    shop.make(CrmCompany)
    with cast.app.app_context(), transaction() as session:
        session.add(AuthMember(organization_id=other.organization_id, user_id=owner.user_id, role="member"))
    joined = {"createdBy": {"members": {"some": {"userId": str(owner.user_id), "role": "member"}}}}
    narrow(owner, member, [grant("crm/company", where=joined)])
    assert ids(member.get(COMPANIES)) == set()
    narrow(owner, member, [grant("crm/company", where={"createdBy": {"members": {"some": {"role": "owner"}}}})])
    assert ids(member.get(COMPANIES))


def test_conditions_tell_of_people_what_the_member_sees_of_them(owner, shop, member):
    made = shop.make(CrmDeal, ownerId=str(owner.user_id))
    person = owner.get("/api/auth/session").json["user"]
    for name, found in (("name", {made["id"]}), ("email", set())):
        narrow(owner, member, [grant("crm/deal", where={"owner": {name: person[name]}})])
        assert ids(member.get(DEALS)) == found


def test_a_list_leaves_keys_of_other_organizations(cast, owner, member):
    made, key = Workshop(cast, member).make(CrmDeal), cast.key(member, "read")
    narrow(owner, member, [])
    assert ids(key.get(DEALS)) == {made["id"]}


def test_a_change_counts_on_the_next_request_of_session_and_key_alike(cast, owner, shop, member):
    made = shop.make(CrmDeal)
    narrow(owner, member, [grant("crm/deal")])
    assert member.get(f"{DEALS}/{made['id']}").status_code == 200
    assert member.put(f"{DEALS}/{made['id']}", {"name": "x"}).status_code == 403
    narrow(owner, member, [])
    assert member.get(f"{DEALS}/{made['id']}").status_code == 404
    narrow(owner, member, [grant("crm/deal", [*READS, "update"])])
    assert member.put(f"{DEALS}/{made['id']}", {"name": "x"}).status_code == 200


def test_owners_and_admins_are_never_narrowed(cast, owner, shop):
    manager = cast.colleague(owner, "admin")
    made = shop.make(CrmDeal)
    narrow(owner, manager, [])
    assert manager.get(f"{DEALS}/{made['id']}").status_code == 200
    owner.put(f"{MEMBERS}/{membership(owner, manager)}", {"role": "member"})
    assert manager.get(f"{DEALS}/{made['id']}").status_code == 404


def test_managers_alone_say_what_members_may_do(cast, owner, member):
    stranger, path = cast.user(), f"{MEMBERS}/{membership(owner, member)}/_access"
    body = {"access": []}
    assert [each.put(path, body).status_code for each in (member, stranger, owner)] == [403, 404, 200]
    assert owner.get(path).json == {"access": [], "teamAccess": None}
    refused = owner.put(path, {"access": [grant("crm/nothing")]})
    assert "access[0].models[0]" in refused.json["details"]["fields"]
    assert owner.get(path).json["access"] == []


def test_teams_unite_and_the_own_list_comes_on_top(owner, shop, member):
    deal, company = shop.make(CrmDeal), shop.make(CrmCompany)
    team(owner, member, access=[grant("crm/deal")])
    assert (ids(member.get(DEALS)), ids(member.get(COMPANIES))) == ({deal["id"]}, set())
    team(owner, member, access=[grant("crm/company")])
    assert ids(member.get(DEALS)) == {deal["id"]}
    assert company["id"] in ids(member.get(COMPANIES))
    narrow(owner, member, [grant("crm/company")])
    assert (ids(member.get(DEALS)), company["id"] in ids(member.get(COMPANIES))) == (set(), True)


def test_who_leaves_a_team_that_narrows_is_not_widened_by_it(owner, shop, member):
    deal = shop.make(CrmDeal)
    first = team(owner, member, access=[grant("crm/deal")])
    second = team(owner, member, access=[grant("crm/company")])
    (joined,) = owner.get(JOINED, query_string={"teamId": second}).json["data"]
    assert owner.delete(f"{JOINED}/{joined['id']}").status_code == 200
    path = f"{MEMBERS}/{membership(owner, member)}/_access"
    assert owner.get(path).json["teamAccess"] == [grant("crm/deal")]
    assert owner.delete(f"{TEAMS}/{first}").status_code == 200
    assert owner.get(path).json["teamAccess"] == []
    assert member.get(f"{DEALS}/{deal['id']}").status_code == 404
    narrow(owner, member, None)
    assert owner.get(path).json == {"access": None, "teamAccess": None}
    assert member.get(f"{DEALS}/{deal['id']}").status_code == 200


def test_a_team_without_a_list_narrows_nobody_and_one_that_loses_its_list_no_longer(owner, shop, member):
    shop.make(CrmDeal)
    made = team(owner, member)
    assert len(ids(member.get(DEALS))) == 1
    narrow(owner, made, [], TEAMS)
    assert ids(member.get(DEALS)) == set()
    narrow(owner, made, None, TEAMS)
    assert len(ids(member.get(DEALS))) == 1


def team_access(manager, of):
    return manager.get(f"{MEMBERS}/{membership(manager, of)}/_access").json["teamAccess"]


@pytest.fixture
def elsewhere(cast, member):
    """The owner of another organization of the member."""
    other = cast.user()
    with cast.app.app_context(), transaction() as session:
        session.add(AuthMember(organization_id=other.organization_id, user_id=member.user_id, role="member"))
    return other


def test_teams_of_several_organizations_do_not_unite(owner, elsewhere, member):
    for manager, model in ((owner, "crm/deal"), (elsewhere, "crm/company"), (owner, "crm/deal")):
        team(manager, member, access=[grant(model)])
    assert team_access(owner, member) == [grant("crm/deal")]
    assert team_access(elsewhere, member) == [grant("crm/company")]


def test_what_becomes_of_teams_in_one_organization_changes_nothing_in_another(owner, elsewhere, member):
    left = team(owner, member, access=[grant("crm/company")])
    assert owner.delete(f"{TEAMS}/{left}").status_code == 200
    first = team(elsewhere, member, access=[grant("crm/company")])
    assert team_access(owner, member) == [], "a list elsewhere lifts nothing"
    second = team(elsewhere, access=[grant("crm/deal")])
    joined = elsewhere.post(JOINED, {"teamId": second, "userId": str(member.user_id)}).json["id"]
    assert team_access(owner, member) == [], "nor does joining elsewhere"
    narrow(owner, member, None)
    assert elsewhere.delete(f"{JOINED}/{joined}").status_code == 200
    assert team_access(owner, member) is None, "and leaving there narrows nothing"
    assert elsewhere.delete(f"{TEAMS}/{first}").status_code == 200
    assert team_access(owner, member) is None


def test_who_leaves_a_team_that_never_narrowed_is_not_narrowed(owner, member):
    first, second = team(owner, member), team(owner, member)
    (joined,) = owner.get(JOINED, query_string={"teamId": first}).json["data"]
    assert owner.delete(f"{JOINED}/{joined['id']}").status_code == 200
    assert team_access(owner, member) is None
    assert owner.delete(f"{TEAMS}/{second}").status_code == 200
    assert team_access(owner, member) is None


def test_who_is_narrowed_in_one_organization_manages_another(owner, member):
    narrow(owner, member, [grant("crm/company")])
    own = member.post(TEAMS, {"name": "Home"}).json["id"]
    assert member.put(f"{TEAMS}/{own}/_access", {"access": [grant("crm/deal")]}).status_code == 200
    assert member.put(f"{MEMBERS}/{membership(owner, member)}/_access", {"access": None}).status_code == 404


def test_an_invitation_carries_the_list(cast, owner, shop):
    deal, guest = shop.make(CrmDeal), cast.user()
    email = guest.get("/api/auth/session").json["user"]["email"]
    access = [grant("crm/deal", where={"name": "nothing"})]
    made = owner.post("/api/v1/auth/invitation", {"email": email, "access": access})
    assert (made.status_code, made.json["access"]) == (201, access)
    assert guest.put(f"/api/v1/auth/invitation/{made.json['id']}", {"status": "accepted"}).status_code == 200
    assert owner.get(f"{MEMBERS}/{membership(owner, guest)}/_access").json["access"] == access
    assert guest.get(f"{DEALS}/{deal['id']}").status_code == 404


def test_the_key_of_a_narrowed_member_is_narrowed_as_well(cast, owner, shop, member):
    made = shop.make(CrmDeal)
    switched = member.post("/api/auth/session/organization", {"organizationId": str(owner.organization_id)})
    assert switched.status_code == 200, switched.json
    key = member.post("/api/v1/auth/api-key", {"name": "K", "scopes": ["read"]}).json["key"]
    from app.testing.cast import Actor

    holder = Actor(member.app, key)
    assert ids(holder.get(DEALS)) == {made["id"]}
    narrow(owner, member, [grant("crm/company")])
    assert holder.get(DEALS).status_code == 403
    assert holder.get(COMPANIES).status_code == 200


def test_the_version_of_a_membership_is_not_raised_by_what_readers_do_not_see(owner, member):
    path = f"{MEMBERS}/{membership(owner, member)}"
    before = owner.get(path).headers["ETag"]
    narrow(owner, member, [])
    assert owner.get(path).headers["ETag"] == before


def test_a_change_is_evidence(owner, member):
    narrow(owner, member, [grant("crm/deal")])
    rows = owner.get("/api/v1/platform/audit-log", query_string={"action": "auth.member.access"}).json["data"]
    assert [each["changes"]["after"] for each in rows] == [[grant("crm/deal")]]
