"""Deleting one's account: recent proof, a week to think about it, and nothing left ownerless."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from app.auth.accounts import deletion, users
from app.foundation.clock import now
from app.foundation.errors import NotFound
from app.schema.histories import upgrade
from app.testing.cast import Actor
from app.testing.database import unit_of_work
from tests.auth.accounts.people import sign_up_person
from tests.auth.sign_in.visitors import address, session_of, sign_up, visit

ORGANIZATIONS = "/api/v1/auth/organization"


def told(answer):
    return answer.status_code, answer.json["code"]


def carry_out(app):
    with app.app_context():
        deletion.carry_out()


def exists(cast, person):
    return cast.admin.get(f"/api/v1/auth/user/{person.id}").status_code == 200


def test_a_deletion_wants_recent_proof(ada):
    ada.grow_stale()
    assert told(ada.post("account/delete")) == (403, "REAUTHENTICATION_REQUIRED")
    assert ada.row().delete_after is None


def test_a_deletion_begins_a_week_of_grace_and_is_told(ada):
    answer = ada.post("account/delete")
    ends = datetime.fromisoformat(answer.json["deletionAt"])
    assert timedelta(days=6, hours=23) < ends - now() <= timedelta(days=7)
    assert ada.mails()[-1] == "deletion"


def test_during_the_grace_one_signs_in_and_is_told_of_the_deletion(ada):
    ends = ada.post("account/delete").json["deletionAt"]
    entered = ada.sign_in()
    assert (entered.status_code, entered.json["deletionAt"]) == (200, ends)
    assert session_of(ada.browser)["deletionAt"] == ends
    assert ada.is_signed_in()


def test_asking_again_does_not_put_a_deletion_off(ada):
    first = ada.post("account/delete").json["deletionAt"]
    assert ada.post("account/delete").json["deletionAt"] == first
    assert ada.mails().count("deletion") == 1


def test_a_deletion_is_cancelled_without_recent_proof(ada, cast):
    ada.post("account/delete")
    ada.grow_stale()
    assert ada.post("account/delete/cancel").json == {}
    assert "deletionAt" not in session_of(ada.browser)
    assert "deletionAt" not in ada.sign_in().json
    carry_out(ada.app)
    assert exists(cast, ada)


def test_an_account_goes_with_all_that_is_its_own_once_the_week_is_over(ada, cast):
    home = ada.actor.get(ORGANIZATIONS).json["data"][0]["id"]
    key = Actor(ada.app, ada.actor.post("/api/v1/auth/api-key", {"name": "mine"}).json["key"])
    ada.post("account/delete")
    carry_out(ada.app)
    assert exists(cast, ada)
    ada.set(delete_after=now() - timedelta(seconds=1))
    carry_out(ada.app)
    assert not exists(cast, ada)
    assert cast.admin.get(f"{ORGANIZATIONS}/{home}").status_code == 404
    assert key.get("/api/v1/crm/contact").status_code == 401
    assert not ada.is_signed_in()
    assert ada.sign_in().status_code == 401
    assert sign_up(visit(ada.app), email=ada.email).status_code == 200


def test_organizations_that_nobody_else_owns_are_named_first(ada, cast):
    sole, shared = (ada.actor.post(ORGANIZATIONS, {"name": name}).json for name in ("Harbour", "Shipyard"))
    for home, role in ((sole, "admin"), (shared, "owner")):
        member = {"organizationId": home["id"], "userId": str(cast.user().user_id), "role": role}
        assert cast.admin.post("/api/v1/auth/member", member).status_code == 201
    refused = ada.post("account/delete")
    assert told(refused) == (409, "CONFLICT")
    assert refused.json["details"] == {"organizations": [{"id": sole["id"], "slug": sole["slug"], "name": "Harbour"}]}
    assert ada.row().delete_after is None
    assert ada.actor.delete(f"{ORGANIZATIONS}/{sole['id']}").status_code == 200
    assert ada.post("account/delete").status_code == 200


def test_an_account_that_came_to_own_something_meanwhile_stays_and_others_go(ada, cast, caplog):
    other = sign_up_person(ada.app)
    ada.post("account/delete")
    home = ada.actor.post(ORGANIZATIONS, {"name": "Harbour"}).json["id"]
    for person in (ada, other):
        person.set(delete_after=now() - timedelta(days=1))
    carry_out(ada.app)
    assert (exists(cast, ada), exists(cast, other)) == (True, False)
    assert ada.id in caplog.text
    ada.actor.delete(f"{ORGANIZATIONS}/{home}")
    carry_out(ada.app)
    assert not exists(cast, ada)


def test_accounts_that_stay_do_not_keep_others_from_going(ada, cast, monkeypatch):
    monkeypatch.setattr(deletion, "BATCH_SIZE", 1)
    others = [sign_up_person(ada.app) for _ in range(2)]
    ada.actor.post(ORGANIZATIONS, {"name": "Harbour"})
    for person in (ada, *others):
        person.set(delete_after=now() - timedelta(days=1))
    carry_out(ada.app)
    assert [exists(cast, person) for person in (ada, *others)] == [True, False, False]
    ada.set(delete_after=None)


def test_an_account_whose_deletion_is_cancelled_in_the_last_second_stays(ada, cast, monkeypatch):
    ada.set(delete_after=now() - timedelta(seconds=1))
    run = deletion.run_unit

    def cancel_first(principal, work, user_id):
        ada.set(delete_after=None)
        return run(principal, work, user_id)

    monkeypatch.setattr(deletion, "run_unit", cancel_first)
    carry_out(ada.app)
    assert exists(cast, ada)


def test_an_account_that_is_banned_in_its_week_goes_all_the_same(ada, cast):
    ada.post("account/delete")
    assert cast.admin.patch(f"/api/v1/auth/user/{ada.id}", {"banned": True}).status_code == 200
    ada.set(delete_after=now() - timedelta(seconds=1))
    carry_out(cast.app)
    assert not exists(cast, ada)


@pytest.mark.full
def test_the_last_admin_is_not_deleted(empty):
    with empty.app_context():
        upgrade()
        with unit_of_work() as unit:
            admin = users.register(unit, email="admin@example.com", password="a wise old heron", admin=True)
            admin.delete_after = now() - timedelta(days=1)
        deletion.carry_out()
        with unit_of_work() as unit:
            assert users.by_email(unit.session, "admin@example.com").role == "admin"
            with pytest.raises(NotFound):
                users.by_email(unit.session, address())


def test_the_generic_route_deletes_at_once_on_recent_proof(ada, cast):
    ada.grow_stale()
    path = f"/api/v1/auth/user/{ada.id}"
    assert told(ada.actor.delete(path)) == (403, "REAUTHENTICATION_REQUIRED")
    ada.grow_stale(minutes=0)
    assert ada.actor.delete(path).status_code == 200
    assert not exists(cast, ada)


def test_a_key_deletes_no_account(ada):
    key = Actor(ada.app, ada.actor.post("/api/v1/auth/api-key", {"name": "mine", "scopes": ["write"]}).json["key"])
    assert key.post("/api/auth/account/delete").status_code == 403
    assert key.post("/api/auth/account/delete/cancel").status_code == 403
