"""The audit log: changes to keys, flags, roles, memberships and ways to sign in leave a row, in their transaction."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import select

from app.auth.models.identity import AuthUser
from app.engine.declare.catalogue import every_model
from app.engine.write import audit
from app.platform import flags
from app.platform.models import PlatformAuditLog
from app.testing.database import transaction, unit_of_work
from tests.auth.sign_in.visitors import sign_up, visit

LOG = "/api/v1/platform/audit-log"
KEYS = "/api/v1/auth/api-key"


def rows(reader, **filters):
    response = reader.get(LOG, query_string=filters)
    assert response.status_code == 200
    return response.json["data"]


def membership(owner, member):
    found = owner.get("/api/v1/auth/member", query_string={"userId": str(member.user_id)}).json["data"]
    return next(row for row in found if row["organizationId"] == str(owner.organization_id))


def test_a_change_of_role_says_who_what_when_and_from_where(cast, owner):
    member = membership(owner, cast.colleague(owner))
    response = owner.put(f"/api/v1/auth/member/{member['id']}", {"role": "admin"}, headers={"User-Agent": "probe/1"})
    (row,) = rows(owner, targetId=member["id"])
    assert (row["actorType"], row["actorId"]) == ("user", str(owner.user_id))
    assert row["actorName"].startswith("User ")
    assert (row["action"], row["targetType"], row["outcome"]) == ("auth.member.update", "auth/member", "success")
    assert row["changes"] == {"role": {"before": "member", "after": "admin"}}
    assert row["requestId"] == response.headers["X-Request-Id"]
    assert row["organizationId"] == str(owner.organization_id)
    (full,) = rows(cast.admin, targetId=member["id"])
    assert (full["ipAddress"], full["userAgent"]) == ("127.0.0.1", "probe/1")
    assert not {"ipAddress", "userAgent"} & set(row)


def test_managers_read_what_happened_in_their_organization_and_others_nothing(cast, owner):
    colleague, manager, stranger = cast.colleague(owner), cast.colleague(owner, "admin"), cast.user()
    team = owner.post("/api/v1/auth/team", {"name": "Crew"}).json
    for reader, seen in ((owner, 1), (manager, 1), (cast.admin, 1), (colleague, 0), (stranger, 0)):
        assert len(rows(reader, targetId=team["id"])) == seen


@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH", "DELETE"])
def test_nobody_writes_changes_or_deletes_a_row(cast, owner, verb):
    team = owner.post("/api/v1/auth/team", {"name": "Crew"}).json
    (row,) = rows(cast.admin, targetId=team["id"])
    path = LOG if verb == "POST" else f"{LOG}/{row['id']}"
    assert cast.admin.send(verb, path, json={}).status_code == 405


def test_every_change_that_is_evidence_leaves_a_row(cast, app, owner):
    guest, colleague = cast.user(), cast.colleague(owner)
    founded = owner.post("/api/v1/auth/organization", {"name": f"Works {uuid4().hex[:6]}"}).json
    team = owner.post("/api/v1/auth/team", {"name": "Crew"}).json
    joined = owner.post("/api/v1/auth/team-member", {"teamId": team["id"], "userId": str(colleague.user_id)}).json
    owner.delete(f"/api/v1/auth/team-member/{joined['id']}")
    member = membership(owner, colleague)
    owner.delete(f"/api/v1/auth/member/{member['id']}")
    invitation = invite(app, owner, guest)
    guest.put(f"/api/v1/auth/invitation/{invitation}", {"status": "accepted"})
    actions = {row["action"] for row in rows(owner, take=1000)}
    assert actions >= {
        "auth.organization.create", "auth.member.create", "auth.team.create", "auth.team_member.create",
        "auth.team_member.delete", "auth.member.delete", "auth.invitation.create", "auth.invitation.update",
    }  # fmt: skip
    assert rows(owner, targetId=founded["id"])


def invite(app, owner, guest):
    with app.app_context(), transaction() as session:
        address = session.get_one(AuthUser, guest.user_id).email
    return owner.post("/api/v1/auth/invitation", {"email": address}).json["id"]


def test_what_admins_do_to_accounts_and_flags_is_for_admins_to_read(cast, owner):
    cast.admin.put(f"/api/v1/auth/user/{owner.user_id}", {"role": "admin"})
    cast.admin.put(f"/api/v1/auth/user/{owner.user_id}", {"role": "user", "banned": True, "banReason": "spam"})
    changes = [row["changes"] for row in rows(cast.admin, targetId=str(owner.user_id))]
    assert changes == [
        {
            "role": {"before": "admin", "after": "user"},
            "banned": {"before": False, "after": True},
            "banReason": {"before": None, "after": "spam"},
        },
        {"role": {"before": "user", "after": "admin"}},
    ]
    flag = cast.admin.post("/api/v1/platform/feature-flag", {"key": f"f-{uuid4().hex[:8]}", "name": "F"}).json
    cast.admin.put(f"/api/v1/platform/feature-flag/{flag['id']}", {"enabled": True})
    cast.admin.delete(f"/api/v1/platform/feature-flag/{flag['id']}")
    actions = [row["action"] for row in rows(cast.admin, targetId=flag["id"])]
    assert actions == [f"platform.feature_flag.{verb}" for verb in ("delete", "update", "create")]


def test_a_change_made_with_a_key_names_the_key(cast, owner):
    key = cast.key(owner, "write")
    team = key.post("/api/v1/auth/team", {"name": "Crew"}).json
    (row,) = rows(owner, targetId=team["id"])
    told = key.get(f"{KEYS}/self").json
    assert (row["actorType"], row["actorId"], row["actorName"]) == ("api_key", told["id"], told["name"])


def test_a_change_on_the_command_line_is_the_systems(app, cast):
    with app.app_context(), unit_of_work() as unit:
        flag = flags.switch(unit, flags.ANONYMOUS_KEYS, enabled=True)
        identifier = str(flag.id)
    with app.app_context(), unit_of_work() as unit:
        flags.switch(unit, flags.ANONYMOUS_KEYS, enabled=False)
    row = rows(cast.admin, targetId=identifier)[0]
    assert (row["actorType"], row["actorId"], row["requestId"]) == ("system", None, None)
    assert row["changes"] == {"enabled": {"before": True, "after": False}}


def test_signing_up_and_unlinking_leave_rows_without_secrets(app, cast):
    browser = visit(app)
    made = sign_up(browser).json
    user = made["user"]["id"]
    found = rows(cast.admin, actorId=user, take=100)
    assert {row["action"] for row in found} == {"auth.user.create", "auth.account.create", "auth.session.create"}
    text = str(found)
    assert "argon2" not in text
    assert "rg_sess_" not in text


def test_a_key_leaves_its_whole_life_and_no_secret(cast, owner):
    key = owner.post(KEYS, {"name": "K", "metadata": {"a": "private"}}).json
    owner.put(f"{KEYS}/{key['id']}", {"name": "L"})
    owner.post(f"{KEYS}/{key['id']}/rotate", {"graceSeconds": 5})
    owner.delete(f"{KEYS}/{key['id']}")
    found = rows(owner, targetId=key["id"])
    assert [row["action"].rpartition(".")[2] for row in found] == ["revoke", "rotate", "update", "create"]
    assert key["key"] not in str(found)
    assert "keyHash" not in str(found)
    assert "private" not in str(found)


def test_a_change_that_comes_to_nothing_leaves_no_row(cast, owner):
    member = membership(owner, owner)
    assert owner.put(f"/api/v1/auth/member/{member['id']}", {"role": "member"}).status_code == 400
    assert rows(owner, targetId=member["id"]) == []


def test_a_change_whose_row_cannot_be_written_comes_to_nothing(cast, owner, monkeypatch):
    team = owner.post("/api/v1/auth/team", {"name": "Crew"}).json

    def fail(*arguments, **options):
        raise RuntimeError

    monkeypatch.setattr(audit, "record_write", fail)
    assert owner.put(f"/api/v1/auth/team/{team['id']}", {"name": "Other"}).status_code == 500
    assert owner.get(f"/api/v1/auth/team/{team['id']}").json["name"] == "Crew"


def test_an_update_that_changes_nothing_leaves_no_row(owner):
    team = owner.post("/api/v1/auth/team", {"name": "Crew"}).json
    owner.put(f"/api/v1/auth/team/{team['id']}", {"name": "Crew"})
    assert len(rows(owner, targetId=team["id"])) == 1


def test_texts_over_two_thousand_characters_are_left_out(app, cast):
    flag = cast.admin.post(
        "/api/v1/platform/feature-flag", {"key": f"f-{uuid4().hex[:8]}", "name": "F", "description": "x" * 1000}
    ).json
    assert "description" in rows(cast.admin, targetId=flag["id"])[0]["changes"]
    organization = cast.admin.post("/api/v1/auth/organization", {"name": "F", "logo": "https://x/" + "y" * 2030}).json
    assert "logo" not in rows(cast.admin, targetId=organization["id"])[0]["changes"]


def test_the_models_of_keys_flags_roles_memberships_and_sign_in_are_audited():
    audited = {model.qualified_name() for model in every_model() if model.audited}
    assert audited == {
        "auth/user", "auth/session", "auth/account", "auth/verification", "auth/two-factor", "auth/passkey",
        "auth/api-key", "auth/organization", "auth/member", "auth/invitation", "auth/team", "auth/team-member",
        "platform/feature-flag",
    }  # fmt: skip


def test_a_row_outlives_what_it_is_about(app, cast):
    gone = cast.user()
    team = gone.post("/api/v1/auth/team", {"name": "Crew"}).json
    assert gone.delete(f"/api/v1/auth/user/{gone.user_id}").status_code == 200
    with app.app_context(), transaction() as session:
        row = session.scalar(select(PlatformAuditLog).where(PlatformAuditLog.target_id == team["id"]))
        assert (row.actor_id, row.organization_id) == (str(gone.user_id), None)
