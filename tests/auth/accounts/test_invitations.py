"""Invitations by mail: for somebody with an account, for somebody without, and for nobody else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from app.auth.accounts import users
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthInvitation
from app.foundation.clock import now
from app.testing.cast import Actor
from app.testing.database import transaction, unit_of_work
from tests import gone
from tests.auth.accounts.people import NEW_PASSWORD, sign_up_person
from tests.auth.sign_in.visitors import SAME_ORIGIN, address, session_of, visit
from tests.mail import letters

INVITATIONS, MEMBERS = "/api/v1/auth/invitation", "/api/v1/auth/member"
INVALID = (400, "INVALID_TOKEN")


def told(answer):
    return answer.status_code, answer.json["code"]


@pytest.fixture
def team(owner):
    return owner.post("/api/v1/auth/team", {"name": "Crew"}).json["id"]


@pytest.fixture
def invite(app, owner):
    """Invites an address and returns the secret of the mail."""

    def send(email, **body):
        sent = {"email": email, "organizationId": str(owner.organization_id), **body}
        made = owner.post(INVITATIONS, sent)
        assert made.status_code == 201, made.json
        return letters.secret(app, email, "invitation")

    return send


def memberships(owner, user_id):
    query = {"userId": str(user_id), "organizationId": str(owner.organization_id)}
    return [row["role"] for row in owner.get(MEMBERS, query_string=query).json["data"]]


def test_who_holds_the_mail_sees_the_organization_the_inviter_and_the_role(app, owner, invite):
    email = address()
    secret = invite(email, role="admin")
    shown = visit(app).post("/api/auth/invitation", json={"token": secret}).json
    assert (shown["email"], shown["role"]) == (email, "admin")
    assert shown["organization"]["id"] == str(owner.organization_id)
    assert set(shown["organization"]) == {"id", "name", "slug", "logo"}
    assert set(shown["inviter"]) == {"name"}
    assert shown["inviter"]["name"].startswith("User ")


def test_the_mail_says_who_invites_where_to_and_in_which_role(app, owner, invite):
    email = address()
    invite(email, role="admin")
    said = letters.text(app, email, "invitation")
    name = owner.get(f"/api/v1/auth/organization/{owner.organization_id}").json["name"]
    assert name in said
    assert "/account/invitation?token=" in said


def test_the_secret_shows_in_no_answer_and_is_stored_as_a_digest(app, owner, invite):
    secret = invite(address())
    assert secret not in owner.get(INVITATIONS).text
    with app.app_context(), transaction() as session:
        assert secret not in session.scalars(select(AuthInvitation.secret_hash)).all()


def test_somebody_with_the_account_joins_with_the_session(ada, owner, invite, team):
    answer = ada.post("invitation/accept", token=invite(ada.email, teamId=team))
    assert (answer.status_code, answer.json) == (200, {"organizationId": str(owner.organization_id)})
    assert memberships(owner, ada.id) == ["member"]
    teams = owner.get("/api/v1/auth/team-member", query_string={"teamId": team}).json["data"]
    assert [row["userId"] for row in teams] == [ada.id]


def test_the_mail_of_an_invitation_and_the_session_prove_the_address(newcomer, owner, invite):
    assert newcomer.post("invitation/accept", token=invite(newcomer.email)).status_code == 200
    assert newcomer.is_verified()
    assert memberships(owner, newcomer.id) == ["member"]


def test_another_account_gets_nowhere_with_the_mail(app, ada, owner, invite):
    guest = sign_up_person(app)
    secret = invite(guest.email)
    refused = ada.post("invitation/accept", token=secret)
    assert told(refused) == (403, "FORBIDDEN")
    assert memberships(owner, ada.id) == []
    assert guest.post("invitation/accept", token=secret).status_code == 200


def test_a_cookie_accepts_from_our_own_pages(ada, owner, invite):
    secret = invite(ada.email)
    foreign = {"Sec-Fetch-Site": "cross-site"}
    path = "/api/auth/invitation/accept"
    assert ada.browser.post(path, json={"token": secret}, headers=foreign).status_code == 403
    assert ada.browser.post(path, json={"token": secret}, headers=SAME_ORIGIN).status_code == 200
    assert memberships(owner, ada.id) == ["member"]


def test_the_mail_alone_lets_nobody_in_who_has_an_account(app, ada, owner, invite):
    secret = invite(ada.email)
    assert visit(app).post("/api/auth/invitation/accept", json={"token": secret}).status_code == 401
    body = {"token": secret, "name": "Ada", "password": NEW_PASSWORD}
    refused = visit(app).post("/api/auth/invitation/accept", json=body)
    assert told(refused) == (422, "USER_ALREADY_EXISTS")
    assert memberships(owner, ada.id) == []
    assert ada.post("invitation/accept", token=secret).status_code == 200


def test_somebody_without_an_account_signs_up_and_joins(app, owner, invite):
    email, client = address(), visit(app)
    body = {"token": invite(email), "name": "Grace", "password": NEW_PASSWORD}
    answer = client.post("/api/auth/invitation/accept", json=body)
    assert answer.status_code == 200
    assert answer.json["organizationId"] == str(owner.organization_id)
    user = answer.json["user"]
    assert (user["email"], user["name"], user["emailVerified"]) == (email, "Grace", True)
    assert session_of(client)["user"]["id"] == user["id"]
    assert Actor(app, answer.json["token"]).get("/api/v1/crm/contact").status_code == 200
    assert memberships(owner, user["id"]) == ["member"]
    assert letters.kinds(app, email) == ["invitation"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"password": "short"}, "password"), ({"password": "password1"}, "password"), ({"name": " "}, "name"),
     ({"name": None}, "name"), ({"password": None}, "password")],
)  # fmt: skip
def test_a_bad_sign_up_leaves_the_invitation_good(app, owner, invite, changes, field):
    secret = invite(address())
    body = {"token": secret, "name": "Grace", "password": NEW_PASSWORD}
    given = {name: value for name, value in (body | changes).items() if value is not None}
    refused = visit(app).post("/api/auth/invitation/accept", json=given)
    assert refused.status_code == 400
    assert field in refused.json["details"]["fields"]
    assert visit(app).post("/api/auth/invitation/accept", json=body).status_code == 200


def test_another_site_signs_nobody_up_with_an_invitation(app, invite):
    body = {"token": invite(address()), "name": "Grace", "password": NEW_PASSWORD}
    client = visit(app)
    answer = client.post("/api/auth/invitation/accept", json=body, headers={"Sec-Fetch-Site": "cross-site"})
    assert client.get_cookie("session") is None
    assert "Set-Cookie" not in answer.headers


def test_an_invitation_is_declined_by_whoever_holds_the_mail(app, ada, owner, invite):
    secret = invite(ada.email)
    assert visit(app).post("/api/auth/invitation/reject", json={"token": secret}).json == {}
    (row,) = [each for each in owner.get(INVITATIONS).json["data"] if each["email"] == ada.email]
    assert row["status"] == "rejected"
    assert told(ada.post("invitation/accept", token=secret)) == INVALID
    assert memberships(owner, ada.id) == []


WAYS = {
    "inviter left": gone.removed, "inviter banned": gone.banned, "inviter deleted": gone.deleted,
    "inviter demoted": gone.demoted,
}  # fmt: skip
ENDS = ("canceled", "deleted", "expired", "organization gone", "inviter banned by a command", *WAYS)


@pytest.mark.parametrize("end", ENDS)
def test_an_invitation_that_is_over_lets_nobody_in(app, cast, ada, end):
    owner = cast.user()
    home = owner.post("/api/v1/auth/organization", {"name": "Harbour"}).json["id"]
    inviter = cast.user()
    cast.admin.post(MEMBERS, {"organizationId": home, "userId": str(inviter.user_id), "role": "admin"})
    made = inviter.post(INVITATIONS, {"email": ada.email, "organizationId": home}).json
    secret = letters.secret(app, ada.email, "invitation")
    path = f"{INVITATIONS}/{made['id']}"
    if end == "canceled":
        assert owner.put(path, {"status": "canceled"}).status_code == 200
    elif end == "deleted":
        assert owner.delete(path).status_code == 200
    elif end == "organization gone":
        assert owner.delete(f"/api/v1/auth/organization/{home}").status_code == 200
    elif end in WAYS:
        WAYS[end](cast, replace(owner, organization_id=home), inviter)
    elif end == "inviter banned by a command":
        with app.app_context(), unit_of_work() as unit:
            users.ban(unit, unit.session.get_one(AuthUser, inviter.user_id))
    else:
        with app.app_context(), transaction() as session:
            over = {"expires_at": now() - timedelta(seconds=1)}
            session.execute(update(AuthInvitation).where(AuthInvitation.id == made["id"]).values(over))
    for route in ("invitation", "invitation/accept", "invitation/reject"):
        assert told(ada.post(route, token=secret)) == INVALID


def test_a_lower_role_takes_back_the_invitations_that_go_beyond_it(app, cast, ada, newcomer):
    owner = cast.user()
    home = owner.post("/api/v1/auth/organization", {"name": "Harbour"}).json["id"]
    inviter = cast.user()
    cast.admin.post(MEMBERS, {"organizationId": home, "userId": str(inviter.user_id), "role": "owner"})
    for person, role in ((ada, "member"), (newcomer, "admin")):
        sent = {"email": person.email, "organizationId": home, "role": role}
        assert inviter.post(INVITATIONS, sent).status_code == 201
    there = replace(owner, organization_id=home)
    row = gone.membership(there, inviter)
    assert owner.patch(f"{MEMBERS}/{row}", {"role": "admin"}).status_code == 200
    waiting = {each["role"]: each["status"] for each in owner.get(INVITATIONS).json["data"]}
    assert waiting == {"member": "pending", "admin": "canceled"}


def test_who_is_no_platform_admin_any_more_invites_to_nothing_but_what_they_manage(cast, ada, newcomer, owner):
    admin = cast.user(role="admin")
    for organization, person in ((owner.organization_id, ada), (admin.organization_id, newcomer)):
        sent = {"email": person.email, "organizationId": str(organization)}
        assert admin.post(INVITATIONS, sent).status_code == 201
    assert cast.admin.patch(f"{gone.USER}/{admin.user_id}", {"role": "user"}).status_code == 200
    rows = cast.admin.get(f"{INVITATIONS}?inviterId={admin.user_id}").json["data"]
    shown = {each["email"]: each["status"] for each in rows}
    assert shown == {ada.email: "canceled", newcomer.email: "pending"}


def test_the_generic_route_goes_on_to_work_for_verified_accounts(ada, newcomer, owner, invite):
    for person, status in ((ada, 200), (newcomer, 404)):
        invite(person.email)
        (row,) = [each for each in owner.get(INVITATIONS).json["data"] if each["email"] == person.email]
        answered = person.actor.put(f"{INVITATIONS}/{row['id']}", {"status": "accepted"})
        assert answered.status_code == status
    assert memberships(owner, ada.id) == ["member"]


def test_who_is_a_member_already_keeps_the_role(app, cast, owner, invite):
    colleague = cast.colleague(owner, "admin")
    email = cast.admin.get(f"/api/v1/auth/user/{colleague.user_id}").json["email"]
    answer = Actor(app, colleague.token).post("/api/auth/invitation/accept", {"token": invite(email)})
    assert answer.status_code == 200
    assert memberships(owner, colleague.user_id) == ["admin"]


def test_somebody_with_an_account_is_invited_in_their_own_language(app, owner, invite):
    guest = sign_up_person(app)
    guest.set(locale="de")
    invite(guest.email)
    assert letters.rows(app, guest.email, "invitation")[0]["locale"] == "de"


def test_a_key_accepts_no_invitation(ada, invite):
    key = Actor(ada.app, ada.actor.post("/api/v1/auth/api-key", {"name": "mine", "scopes": ["write"]}).json["key"])
    assert key.post("/api/auth/invitation/accept", {"token": invite(ada.email)}).status_code == 403


def test_invitations_of_one_user_are_counted(build, cast):
    thrifty = build(invitation_limit="2 per hour")
    owner = Actor(thrifty, cast.user().token)
    statuses = [owner.post(INVITATIONS, {"email": address()}).status_code for _ in range(3)]
    assert statuses == [201, 201, 429]
