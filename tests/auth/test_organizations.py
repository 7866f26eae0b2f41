"""Tenants: who joins, who leaves, who may grant what."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from app.auth.models.identity import AuthAccount, AuthSession, AuthUser
from app.foundation.clock import now
from app.testing.cast import Actor
from app.testing.database import transaction

ORGANIZATIONS, MEMBERS, INVITATIONS = "/api/v1/auth/organization", "/api/v1/auth/member", "/api/v1/auth/invitation"


@pytest.fixture
def founder(owner):
    """The owner at work in an organization that is not the personal one."""
    made = owner.post(ORGANIZATIONS, {"name": "Harbour"}).json
    return replace(owner, organization_id=UUID(made["id"]))


def membership(viewer, actor, organization_id):
    query = {"userId": str(actor.user_id), "organizationId": str(organization_id)}
    return viewer.get(MEMBERS, query_string=query).json["data"][0]


def address(cast, actor):
    return cast.admin.get(f"/api/v1/auth/user/{actor.user_id}").json["email"]


def invite(owner, email, **body):
    return owner.post(INVITATIONS, {"email": email, "organizationId": str(owner.organization_id), **body})


def test_founding_an_organization_makes_the_caller_its_owner(owner):
    made = owner.post(ORGANIZATIONS, {"name": "Harbour Works"}).json
    member = membership(owner, owner, made["id"])
    assert (member["role"], member["user"]["id"]) == ("owner", str(owner.user_id))
    assert owner.put(f"{ORGANIZATIONS}/{made['id']}", {"name": "Harbour"}).status_code == 200
    assert owner.delete(f"{ORGANIZATIONS}/{made['id']}").status_code == 200


def test_a_personal_organization_cannot_be_removed(owner):
    assert owner.delete(f"{ORGANIZATIONS}/{owner.organization_id}").status_code == 409


def test_an_organization_is_removed_by_its_owners_alone(cast, founder):
    path = f"{ORGANIZATIONS}/{founder.organization_id}"
    assert [cast.colleague(founder, role).delete(path).status_code for role in ("member", "admin")] == [403, 403]
    assert founder.delete(path).status_code == 200


def test_an_organization_goes_with_all_that_is_in_it(owner):
    home = owner.post(ORGANIZATIONS, {"name": "Short-lived"}).json["id"]
    company = owner.post("/api/v1/crm/company", {"name": "Acme", "organizationId": home}).json
    person = {"firstName": "A", "lastName": "B", "email": "a@b.example", "companyId": company["id"]}
    assert owner.post("/api/v1/crm/contact", {**person, "organizationId": home}).status_code == 201
    assert owner.delete(f"{ORGANIZATIONS}/{home}").status_code == 200
    assert owner.get(f"/api/v1/crm/company/{company['id']}").status_code == 404


@pytest.mark.parametrize(
    ("actor_role", "before", "after", "status"),
    [
        ("owner", "member", "owner", 200),
        ("owner", "admin", "member", 200),
        ("admin", "member", "admin", 403),
        ("admin", "member", "owner", 403),
        ("admin", "owner", "member", 403),
        ("admin", "admin", "member", 403),
        ("member", "member", "admin", 403),
    ],
)
def test_v15_nobody_but_an_owner_grants_a_role_at_or_above_their_own(cast, founder, actor_role, before, after, status):
    actor = founder if actor_role == "owner" else cast.colleague(founder, actor_role)
    target = cast.colleague(founder, before)
    member = membership(founder, target, founder.organization_id)
    assert actor.put(f"{MEMBERS}/{member['id']}", {"role": after}).status_code == status


@pytest.mark.parametrize(("role", "status"), [("owner", 403), ("admin", 403), ("member", 200)])
def test_v15_an_admin_removes_only_whom_they_outrank(cast, founder, role, status):
    member = membership(founder, cast.colleague(founder, role), founder.organization_id)
    assert cast.colleague(founder, "admin").delete(f"{MEMBERS}/{member['id']}").status_code == status


def test_v15_an_unknown_role_is_refused(cast, owner):
    member = membership(owner, cast.colleague(owner), owner.organization_id)
    assert owner.put(f"{MEMBERS}/{member['id']}", {"role": "superuser"}).status_code == 400


def test_the_last_owner_stays(owner):
    member = membership(owner, owner, owner.organization_id)
    assert owner.put(f"{MEMBERS}/{member['id']}", {"role": "member"}).status_code == 400
    assert owner.delete(f"{MEMBERS}/{member['id']}").status_code == 400


def test_members_may_leave_and_may_not_remove_others(cast, owner):
    first, second = cast.colleague(owner), cast.colleague(owner)
    other = membership(owner, second, owner.organization_id)
    own = membership(owner, first, owner.organization_id)
    assert first.delete(f"{MEMBERS}/{other['id']}").status_code == 403
    assert first.delete(f"{MEMBERS}/{own['id']}").status_code == 200
    assert first.get(f"{MEMBERS}/{other['id']}").status_code == 404


def test_an_invitation_is_accepted_by_the_address_it_names(cast, owner):
    guest = cast.user()
    team = owner.post("/api/v1/auth/team", {"name": "Crew"}).json
    made = invite(owner, address(cast, guest), teamId=team["id"]).json
    path = f"{INVITATIONS}/{made['id']}"
    assert cast.user().put(path, {"status": "accepted"}).status_code == 404
    assert owner.put(path, {"status": "accepted"}).status_code == 403
    assert guest.put(path, {"status": "accepted"}).json["status"] == "accepted"
    assert membership(guest, guest, owner.organization_id)["role"] == "member"
    assert guest.get("/api/v1/auth/team-member").json["meta"]["count"] == 1


def test_v13_an_address_that_is_not_verified_takes_no_invitation(cast, app, owner):
    guest = cast.user()
    made = invite(owner, address(cast, guest)).json
    with app.app_context(), transaction() as session:
        session.get_one(AuthUser, guest.user_id).email_verified = False
    assert guest.put(f"{INVITATIONS}/{made['id']}", {"status": "accepted"}).status_code == 404


def test_v14_ten_accepts_at_once_make_one_member(cast, owner):
    guest = cast.user()
    path = f"{INVITATIONS}/{invite(owner, address(cast, guest)).json['id']}"
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: guest.put(path, {"status": "accepted"}).status_code, range(10)))
    assert set(answers) == {200}
    rows = owner.get(MEMBERS, query_string={"userId": str(guest.user_id)}).json
    assert rows["meta"]["count"] == 1


def test_an_invitation_is_withdrawn_by_managers_and_answered_once(cast, owner):
    guest = cast.user()
    path = f"{INVITATIONS}/{invite(owner, address(cast, guest)).json['id']}"
    assert guest.delete(path).status_code == 403
    assert owner.put(path, {"status": "canceled"}).status_code == 200
    assert guest.put(path, {"status": "accepted"}).status_code == 400


def test_who_leaves_leaves_no_key_and_no_invitation_behind(cast, owner):
    manager, guest = cast.colleague(owner, "admin"), cast.user()
    manager.post("/api/auth/session/organization", {"organizationId": str(owner.organization_id)})
    key = Actor(owner.app, manager.post("/api/v1/auth/api-key").json["key"])
    made = invite(manager, address(cast, guest), organizationId=str(owner.organization_id)).json
    own = membership(owner, manager, owner.organization_id)
    assert owner.delete(f"{MEMBERS}/{own['id']}").status_code == 200
    cast.admin.post(MEMBERS, {"organizationId": str(owner.organization_id), "userId": str(manager.user_id)})
    assert key.get("/api/v1/crm/contact").status_code == 401
    assert guest.put(f"{INVITATIONS}/{made['id']}", {"status": "accepted"}).status_code == 400


def test_an_invitation_ends_in_the_future(cast, owner):
    response = invite(owner, address(cast, cast.user()), expiresAt="2020-01-01T00:00:00Z")
    assert response.status_code == 400


def test_an_organization_has_a_hundred_open_invitations_at_most(app, owner):
    with app.app_context(), transaction() as session:
        session.get_one(AuthUser, owner.user_id).created_at = now() - timedelta(days=2)
    statuses = [invite(owner, f"guest{number}@many.example").status_code for number in range(101)]
    assert statuses == [201] * 100 + [409]


def test_only_an_owner_invites_an_owner(cast, founder):
    admin = cast.colleague(founder, "admin")
    body = {"email": "new@example.com", "organizationId": str(founder.organization_id)}
    assert admin.post(INVITATIONS, {**body, "role": "owner"}).status_code == 403
    assert admin.post(INVITATIONS, body).status_code == 201
    assert admin.post(INVITATIONS, body).status_code == 409


def test_a_team_takes_members_of_its_organization_only(cast, owner):
    team = owner.post("/api/v1/auth/team", {"name": "Crew"}).json["id"]
    colleague, stranger = cast.colleague(owner), cast.user()
    path = "/api/v1/auth/team-member"
    assert owner.post(path, {"teamId": team, "userId": str(colleague.user_id)}).status_code == 201
    assert owner.post(path, {"teamId": team, "userId": str(stranger.user_id)}).status_code == 400


def test_v22_another_tenant_answers_like_nothing_at_all(cast, owner):
    member = membership(owner, owner, owner.organization_id)
    stranger = cast.user()
    unknown = stranger.get(f"{MEMBERS}/0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11")
    foreign = stranger.get(f"{MEMBERS}/{member['id']}")
    assert (foreign.status_code, foreign.data) == (unknown.status_code, unknown.data)
    body = {"name": "X", "organizationId": str(owner.organization_id)}
    assert stranger.post("/api/v1/auth/team", body).json["code"] == "FOREIGN_KEY_VIOLATION"


def test_an_account_made_by_an_admin_has_a_home(cast):
    made = cast.admin.post("/api/v1/auth/user", {"name": "New", "email": "New.Person@Example.com"}).json
    assert made["email"] == "new.person@example.com"
    homes = cast.admin.get(MEMBERS, query_string={"userId": made["id"]}).json["data"]
    assert [home["role"] for home in homes] == ["owner"]


def test_removing_oneself_needs_a_fresh_sign_in_and_takes_the_home_along(cast, app, owner):
    with app.app_context(), transaction() as session:
        rows = session.query(AuthSession).filter(AuthSession.user_id == owner.user_id)
        rows.update({"authenticated_at": "2020-01-01T00:00:00Z"})
    path = f"/api/v1/auth/user/{owner.user_id}"
    refused = owner.delete(path)
    assert (refused.status_code, refused.json["code"]) == (403, "REAUTHENTICATION_REQUIRED")
    assert cast.admin.delete(path).status_code == 200
    assert cast.admin.get(f"{ORGANIZATIONS}/{owner.organization_id}").status_code == 404


def test_the_sole_owner_of_a_shared_organization_stays(owner):
    owner.post(ORGANIZATIONS, {"name": "Shared"})
    assert owner.delete(f"/api/v1/auth/user/{owner.user_id}").status_code == 409


def test_nobody_changes_the_own_role_or_what_only_admins_set(cast, owner):
    own = f"/api/v1/auth/user/{owner.user_id}"
    assert owner.put(own, {"role": "admin"}).status_code == 400
    assert owner.put(own, {"banReason": "x"}).status_code == 400
    admin = cast.user(role="admin")
    assert admin.put(f"/api/v1/auth/user/{admin.user_id}", {"role": "user"}).status_code == 400
    assert admin.put(own, {"role": "admin"}).json["role"] == "admin"


def test_the_last_way_to_sign_in_stays(app, owner):
    with app.app_context(), transaction() as session:
        account = AuthAccount(user_id=owner.user_id, provider_id="credential", issuer="local")
        account.account_id = str(owner.user_id)
        session.add(account)
    row = owner.get("/api/v1/auth/account").json["data"][0]
    assert owner.delete(f"/api/v1/auth/account/{row['id']}").status_code == 409


def test_records_are_made_in_the_own_name(cast, owner):
    other = cast.user()
    assert owner.post("/api/v1/ai/chat", {"userId": str(owner.user_id)}).status_code == 201
    assert owner.post("/api/v1/ai/chat", {"userId": str(other.user_id)}).status_code == 403
    made = cast.admin.post("/api/v1/ai/chat", {"userId": str(other.user_id)}).json
    assert other.get(f"/api/v1/ai/chat/{made['id']}").status_code == 200


def test_a_personal_organization_keeps_its_one_owner(cast, owner):
    guest = cast.colleague(owner)
    member = membership(owner, guest, owner.organization_id)
    assert owner.put(f"{MEMBERS}/{member['id']}", {"role": "owner"}).status_code == 400
    assert invite(owner, "x@example.com", role="owner").status_code == 400
    assert guest.delete(f"/api/v1/auth/user/{guest.user_id}").status_code == 200
    assert owner.get(f"{ORGANIZATIONS}/{owner.organization_id}").status_code == 200


def test_v19_two_owners_who_leave_at_once_do_not_leave_an_organization_without_one(cast, founder):
    other = cast.colleague(founder, "owner")
    with ThreadPoolExecutor(2) as pool:
        paths = [f"/api/v1/auth/user/{actor.user_id}" for actor in (founder, other)]
        answers = pool.map(lambda pair: pair[0].delete(pair[1]).status_code, zip((founder, other), paths, strict=True))
    assert sorted(answers) == [200, 409]


def test_twins_founded_at_once_get_slugs_of_their_own(owner):
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda _: owner.post(ORGANIZATIONS, {"name": "Twin Peaks"}), range(5)))
    assert [answer.status_code for answer in answers] == [201] * 5
    assert len({answer.json["slug"] for answer in answers}) == 5


def test_space_in_a_shared_bucket_comes_back_with_the_removal_of_a_user(cast, owner):
    guest = cast.colleague(owner)
    bucket = owner.get("/api/v1/storage/bucket").json["data"][0]
    body = {"filename": "a.txt", "contentBase64": "SGVsbG8=", "bucketId": bucket["id"]}
    assert guest.post("/api/v1/storage/upload", body).status_code == 201
    assert cast.admin.delete(f"/api/v1/auth/user/{guest.user_id}").status_code == 200
    after = owner.get(f"/api/v1/storage/bucket/{bucket['id']}").json
    assert (after["usedBytes"], after["uploadCount"]) == (0, 0)
