"""Impersonation: an admin sees what a user sees, for half an hour, does nothing there, and is written down."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import update

from app.auth.models.identity import AuthSession, AuthUser
from app.foundation.clock import now
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.sign_in.visitors import CONTACTS, session_of, visit
from tests.mail import letters

LOG = "/api/v1/platform/audit-log"


def told(answer):
    return answer.status_code, answer.json["code"]


@pytest.fixture
def admin(cast):
    """An admin of this test alone."""
    return cast.user(role="admin")


@pytest.fixture
def seen(app, admin, ada):
    """The eyes of Ada: a session of the admin."""
    answer = admin.post("/api/auth/impersonate", {"userId": ada.id})
    assert answer.status_code == 200, answer.json
    return Actor(app, answer.json["token"], ada.id)


def test_an_admin_gets_a_bearer_of_half_an_hour_and_no_cookie(app, admin, ada):
    client = visit(app)
    headers = {"Authorization": f"Bearer {admin.token}"}
    answer = client.post("/api/auth/impersonate", json={"userId": ada.id}, headers=headers)
    assert set(answer.json) == {"token", "user", "expiresAt"}
    assert answer.json["user"]["id"] == ada.id
    ends = datetime.fromisoformat(answer.json["expiresAt"])
    assert timedelta(minutes=29) < ends - now() <= timedelta(minutes=30)
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers


def test_the_session_sees_what_the_user_sees_and_nothing_of_an_admins(seen, ada, cast):
    made = ada.actor.post("/api/v1/crm/company", {"name": "Acme"}).json
    assert seen.get(f"/api/v1/crm/company/{made['id']}").status_code == 200
    foreign = cast.user().post("/api/v1/crm/company", {"name": "Other"}).json
    assert seen.get(f"/api/v1/crm/company/{foreign['id']}").status_code == 404
    assert seen.get(LOG).json == ada.actor.get(LOG).json
    assert seen.get("/api/auth/session").json["user"]["id"] == ada.id


def test_reading_by_every_verb_is_allowed(seen):
    assert seen.get(CONTACTS).status_code == 200
    assert seen.send("HEAD", CONTACTS).status_code == 200
    assert seen.send("QUERY", CONTACTS, json={}).status_code == 200
    assert seen.post(f"{CONTACTS}/_query").status_code == 200
    assert seen.post(f"{CONTACTS}/_aggregate", {"group": [{"field": "createdAt", "by": "day"}]}).status_code == 200
    assert seen.get("/api/documents").status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/crm/company"),
        ("PUT", "/api/v1/auth/user/{id}"),
        ("PATCH", "/api/v1/auth/user/{id}"),
        ("DELETE", "/api/v1/auth/user/{id}"),
        ("POST", "/api/v1/auth/api-key"),
        ("POST", "/api/auth/token"),
        ("POST", "/api/auth/revoke-other-sessions"),
        ("POST", "/api/auth/session/organization"),
        ("POST", "/api/auth/change-password"),
        ("POST", "/api/auth/change-email"),
        ("POST", "/api/auth/verify-email"),
        ("POST", "/api/auth/reauthenticate"),
        ("POST", "/api/auth/two-factor/enroll"),
        ("POST", "/api/auth/two-factor/disable"),
        ("POST", "/api/auth/passkey/register/options"),
        ("POST", "/api/auth/account/delete"),
        ("POST", "/api/auth/account/delete/cancel"),
        ("POST", "/api/auth/invitation/accept"),
        ("POST", "/api/auth/impersonate"),
        ("POST", "/api/integrations/teams/notifications/stream/ticket"),
        ("GET", "/api/integrations/teams/notifications/stream"),
    ],
)
def test_writes_secrets_and_streams_are_refused(seen, ada, method, path):
    assert seen.send(method, path.replace("{id}", ada.id), json={}).status_code == 403


def test_every_other_route_of_people_that_writes_is_refused(seen, app):
    paths = {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in rule.methods & {"POST", "PUT", "PATCH", "DELETE"}
        if (access := app.view_functions[rule.endpoint].access).people and not access.reads
    }
    assert len(paths) > 20
    gap = "01a1fedd-47f3-7536-a333-810773c4a6d4"
    statuses = {}
    for method, rule in paths:
        filled = "/".join(gap if part.startswith("<") else part for part in rule.split("/"))
        statuses[method, rule] = seen.send(method, filled, json={}).status_code
    assert {route: status for route, status in statuses.items() if status != 403} == {}


def test_whatever_exports_or_streams_is_refused_by_every_route(seen, app):
    closed = {
        (min(rule.methods - {"HEAD", "OPTIONS"}), rule.rule)
        for rule in app.url_map.iter_rules()
        if "export" in rule.rule or "stream" in rule.rule.split("/") or "/ticket" in rule.rule
        if not rule.rule.startswith("/api/v1/ai/stream")  # the records of answers, which are read like others
    }
    assert {"/api/v1/crm/deal/_export", "/account/export", "/api/auth/account/export"} < {rule for _, rule in closed}
    gap = "01a1fedd-47f3-7536-a333-810773c4a6d4"
    statuses = {
        (method, rule): seen.send(method, rule.replace("<string:id>", gap)).status_code for method, rule in closed
    }
    assert {route: status for route, status in statuses.items() if status != 403} == {}


def test_the_head_of_an_export_is_refused_as_well(seen):
    assert seen.send("HEAD", f"{CONTACTS}/_export").status_code == 403


def test_a_batch_holds_what_may_be_asked_singly_and_nothing_else(seen):
    requests = [
        ({"method": "GET", "path": CONTACTS}, 200),
        ({"method": "GET", "path": f"{CONTACTS}/_export"}, 400),
        ({"method": "POST", "path": CONTACTS, "body": {"email": "a@example.com"}}, 403),
        ({"method": "GET", "path": "/api/v1/_imports"}, 400),
        ({"method": "GET", "path": "/api/auth/account/export"}, 400),
    ]
    answers = seen.post("/api/v1/_batch", {"atomic": False, "requests": [each for each, _ in requests]}).json["data"]
    assert [each["status"] for each in answers] == [status for _, status in requests]


def test_signing_out_ends_it(seen, ada):
    assert seen.post("/api/auth/signout").json == {"success": True}
    assert seen.get(CONTACTS).status_code == 401
    assert ada.is_signed_in()


def test_it_ends_after_half_an_hour_however_much_it_is_used(seen, app, ada):
    own = (AuthSession.user_id == ada.id, AuthSession.impersonated_by.is_not(None))

    def move(span):
        with app.app_context(), transaction() as session:
            session.execute(update(AuthSession).where(*own).values(expires_at=AuthSession.expires_at - span))

    move(timedelta(minutes=29))
    assert seen.get(CONTACTS).status_code == 200
    move(timedelta(minutes=1))
    assert seen.get(CONTACTS).status_code == 401


@pytest.mark.parametrize("end", ["demoted", "banned", "deleted"])
def test_it_ends_with_the_rights_of_the_admin(seen, cast, admin, end):
    assert seen.get(CONTACTS).status_code == 200
    path = f"/api/v1/auth/user/{admin.user_id}"
    if end == "deleted":
        assert cast.admin.delete(path).status_code == 200
    else:
        body = {"role": "user"} if end == "demoted" else {"banned": True}
        assert cast.admin.put(path, body).status_code == 200
    assert seen.get(CONTACTS).status_code == 401


def test_it_ends_with_the_ban_of_the_user(seen, cast, ada):
    cast.admin.put(f"/api/v1/auth/user/{ada.id}", {"banned": True})
    assert seen.get(CONTACTS).status_code == 401


def test_the_user_sees_and_ends_it(seen, ada, admin):
    rows = ada.actor.get("/api/v1/auth/session").json["data"]
    (row,) = [each for each in rows if each["impersonatedBy"]]
    assert (row["impersonatedBy"], row["signInMethod"]) == (str(admin.user_id), "impersonation")
    assert ada.actor.delete(f"/api/v1/auth/session/{row['id']}").status_code == 200
    assert seen.get(CONTACTS).status_code == 401


def test_the_user_is_told_by_mail_by_whom_and_until_when(seen, ada, app, admin):
    assert ada.mails()[-1] == "impersonated"
    said = letters.text(app, ada.email, "impersonated")
    with app.app_context(), transaction() as session:
        assert session.get_one(AuthUser, admin.user_id).name in said


def test_nobody_looks_through_the_eyes_of_an_admin(admin, cast):
    for other in (admin, cast.user(role="admin")):
        assert told(admin.post("/api/auth/impersonate", {"userId": str(other.user_id)})) == (403, "FORBIDDEN")


def test_only_admins_with_recent_proof_impersonate(app, admin, ada, cast):
    body = {"userId": ada.id}
    assert told(cast.user().post("/api/auth/impersonate", body)) == (403, "FORBIDDEN")
    assert cast.nobody.post("/api/auth/impersonate", body).status_code == 401
    key = cast.key(admin, "admin")
    assert key.post("/api/auth/impersonate", body).status_code == 403
    with app.app_context(), transaction() as session:
        aged = {"authenticated_at": now() - timedelta(minutes=11)}
        session.execute(update(AuthSession).where(AuthSession.user_id == admin.user_id).values(aged))
    assert told(admin.post("/api/auth/impersonate", body)) == (403, "REAUTHENTICATION_REQUIRED")


@pytest.mark.parametrize("who", ["unknown", "banned"])
def test_who_is_not_there_cannot_be_looked_at(admin, ada, who):
    ada.set(banned=True)
    user_id = ada.id if who == "banned" else "01a1fedd-47f3-7536-a333-810773c4a6d4"
    assert told(admin.post("/api/auth/impersonate", {"userId": user_id})) == (404, "NOT_FOUND")


def test_each_request_is_written_down_with_its_route_under_the_name_of_the_admin(seen, admin, ada, cast):
    contact = "01a1fedd-47f3-7536-a333-810773c4a6d4"
    seen.get(f"{CONTACTS}/{contact}")
    seen.get("/api/auth/session")
    seen.post("/api/v1/crm/company", {"name": "Acme"})
    query = {"actorId": str(admin.user_id), "take": 100}
    rows = cast.admin.get(LOG, query_string=query).json["data"]
    begun = [row for row in rows if row["action"] == "auth.user.impersonate"]
    assert [row["targetId"] for row in begun] == [ada.id]
    asked = [row for row in rows if row["action"] == "auth.session.impersonated_request"]
    assert {(row["changes"]["route"], row["outcome"]) for row in asked} == {
        ("GET /api/v1/crm/contact/<string:id>", "success"),
        ("GET /api/auth/session", "success"),
        ("POST /api/v1/crm/company", "denied"),
    }
    assert not any(contact in str(row["changes"]) for row in asked)


def requests_noted(cast, admin):
    query = {"actorId": str(admin.user_id), "action": "auth.session.impersonated_request", "take": 100}
    return [(row["changes"], row["outcome"]) for row in cast.admin.get(LOG, query_string=query).json["data"]]


def test_a_batch_is_written_down_once_with_the_routes_of_its_parts(seen, admin, cast):
    contact = "01a1fedd-47f3-7536-a333-810773c4a6d4"
    requests = [
        {"method": "GET", "path": f"{CONTACTS}?take=1"},
        {"method": "GET", "path": f"{CONTACTS}/{contact}"},
        {"method": "DELETE", "path": f"{CONTACTS}/{contact}"},
        {"method": "GET", "path": "/nothing/of/the/kind"},
    ]
    seen.post("/api/v1/_batch", {"atomic": False, "requests": requests})
    ((changes, outcome),) = requests_noted(cast, admin)
    item = "/api/v1/crm/contact/<string:id>"
    assert changes["parts"] == [f"GET {CONTACTS}", f"GET {item}", f"DELETE {item}", "GET unmatched"]
    assert (changes["route"], changes["by"], outcome) == ("POST /api/v1/_batch", str(admin.user_id), "success")


def test_a_batch_that_fails_is_written_down_with_its_parts(seen, admin, cast):
    refused = seen.post("/api/v1/_batch", {"requests": [{"method": "POST", "path": CONTACTS, "body": {}}]})
    assert refused.status_code == 403
    assert [(each["parts"], told) for each, told in requests_noted(cast, admin)] == [([f"POST {CONTACTS}"], "denied")]


def test_a_batch_without_readable_requests_is_written_down(seen, admin, cast):
    assert seen.post("/api/v1/_batch", {"requests": "all"}).status_code == 400
    assert [changes["route"] for changes, _ in requests_noted(cast, admin)] == ["POST /api/v1/_batch"]


def test_the_longest_batch_is_written_down_whole(seen, admin, cast):
    path = f"{CONTACTS}/01a1fedd-47f3-7536-a333-810773c4a6d4?fields=" + "x" * 1900
    seen.post("/api/v1/_batch", {"atomic": False, "requests": [{"method": "GET", "path": path}] * 100})
    ((changes, _),) = requests_noted(cast, admin)
    assert changes["parts"] == ["GET /api/v1/crm/contact/<string:id>"] * 100


def test_it_is_no_new_device_and_no_last_sign_in(seen, ada):
    assert "new-device" not in ada.mails()
    before = ada.row().last_login_at
    seen.get(CONTACTS)
    assert ada.row().last_login_at == before


def test_it_counts_as_no_session_of_a_cookie(app, seen):
    client = visit(app)
    client.set_cookie("session", seen.token)
    assert session_of(client) is None
