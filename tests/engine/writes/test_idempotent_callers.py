"""Who is answered under an idempotency key: its user, with the rights that the answer was given by."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.auth.models.organizations import AuthMember, AuthOrganization
from app.crm.models import CrmContact
from app.testing.database import transaction
from app.testing.workshop import Workshop
from tests.engine.writes.keys import CONTACTS, REPLAYED, count, is_new, is_replay_of, kept, keyed, new_key
from tests.writes import created

ORGANIZATIONS, MEMBERS = AuthOrganization.collection_path(), AuthMember.collection_path()


@pytest.fixture
def body(workshop):
    return workshop.body(CrmContact)


@pytest.fixture
def guest(cast, workshop):
    """An admin of somebody else's organization."""
    return cast.colleague(workshop.owner, role="admin")


@pytest.fixture
def written(workshop, guest):
    """Has the guest write into the organization, once and again."""
    path, key = workshop.path(CrmContact), new_key()

    def write(actor=guest):
        return keyed(actor, "PUT", path, key, {"lastName": "King"})

    return write


def change(app, statement, **binds):
    with app.app_context(), transaction() as session:
        assert session.execute(text(statement), binds).rowcount == 1


def refused(answer):
    return answer.status_code == 403 and REPLAYED not in answer.headers and "lastName" not in answer.json


def test_another_user_has_keys_of_their_own(cast, workshop, body):
    other, key = cast.user(), new_key()
    assert is_new(keyed(workshop.owner, "POST", CONTACTS, key, body))
    theirs = Workshop(cast, other).body(CrmContact)
    assert is_new(keyed(other, "POST", CONTACTS, key, theirs))
    assert [count(each) for each in (workshop.owner, other)] == [1, 1]


def test_another_credential_of_the_user_is_answered(cast, workshop, body):
    owner, key = workshop.owner, new_key()
    held = cast.key(owner, "write", organization_id=owner.organization_id)
    first = keyed(owner, "POST", CONTACTS, key, body)
    assert is_replay_of(keyed(held, "POST", CONTACTS, key, body), first)
    assert count(owner) == 1


def test_a_credential_without_the_scope_is_refused(cast, workshop, body):
    owner, key = workshop.owner, new_key()
    assert is_new(keyed(owner, "POST", CONTACTS, key, body))
    reading = cast.key(owner, "read", organization_id=owner.organization_id)
    assert refused(keyed(reading, "POST", CONTACTS, key, body))


def test_a_key_of_another_organization_is_refused(cast, workshop, body):
    owner, key = workshop.owner, new_key()
    assert is_new(keyed(owner, "POST", CONTACTS, key, body))
    elsewhere = cast.key(owner, "write", organization_id=workshop.make(AuthOrganization)["id"])
    assert keyed(elsewhere, "POST", CONTACTS, key, body).status_code == 422


def test_the_answer_is_kept_from_whoever_has_left_the_organization(app, workshop, guest, written):
    first = written()
    assert is_new(first)
    assert is_replay_of(written(), first)
    where = {"user": guest.user_id, "organization": workshop.owner.organization_id}
    change(app, "DELETE FROM auth_member WHERE user_id = :user AND organization_id = :organization", **where)
    assert refused(written())


@pytest.mark.parametrize(("role", "is_answered"), [("owner", True), ("admin", True), ("member", False)])
def test_the_answer_is_kept_from_whoever_has_a_lower_role_by_now(app, workshop, guest, written, role, is_answered):
    first = written()
    where = {"user": guest.user_id, "organization": workshop.owner.organization_id, "role": role}
    change(
        app, "UPDATE auth_member SET role = :role WHERE user_id = :user AND organization_id = :organization", **where
    )
    assert is_replay_of(written(), first) if is_answered else refused(written())


def test_a_new_membership_takes_no_answer_away(workshop, guest, written):
    first = written()
    created(guest, "auth/organization", name="Another", slug=new_key()[:30].lower())
    assert is_replay_of(written(), first)


def test_the_answer_to_an_admin_is_kept_from_one_who_is_none_by_now(app, cast, workshop):
    admin, path, key = cast.user(role="admin"), workshop.path(CrmContact), new_key()
    first = keyed(admin, "PUT", path, key, {"lastName": "King"})
    assert is_replay_of(keyed(admin, "PUT", path, key, {"lastName": "King"}), first)
    change(app, "UPDATE auth_user SET role = 'user' WHERE id = :user", user=admin.user_id)
    assert refused(keyed(admin, "PUT", path, key, {"lastName": "King"}))


def test_the_answer_to_an_admin_is_kept_from_a_key_without_that_scope(cast, workshop):
    admin, path, key = cast.user(role="admin"), workshop.path(CrmContact), new_key()
    assert is_new(keyed(admin, "PUT", path, key, {"lastName": "King"}))
    plain = cast.key(admin, "write", organization_id=admin.organization_id)
    assert refused(keyed(plain, "PUT", path, key, {"lastName": "King"}))


def test_a_banned_user_is_told_nothing(app, guest, written):
    assert is_new(written())
    change(app, "UPDATE auth_user SET banned = true WHERE id = :user", user=guest.user_id)
    assert written().status_code == 401


def test_who_leaves_an_organization_is_answered_again(workshop, guest):
    members = guest.get(MEMBERS, query_string={"userId": str(guest.user_id)}).json["data"]
    (own,) = (each for each in members if each["organizationId"] == str(workshop.owner.organization_id))
    key = new_key()
    first, again = (keyed(guest, "DELETE", f"{MEMBERS}/{own['id']}", key) for _ in range(2))
    assert first.status_code == 200, first.json
    assert is_replay_of(again, first)


def test_who_removes_an_organization_is_answered_again(workshop):
    path, key = f"{ORGANIZATIONS}/{workshop.make(AuthOrganization)['id']}", new_key()
    first, again = (keyed(workshop.owner, "DELETE", path, key) for _ in range(2))
    assert first.status_code == 200, first.json
    assert is_replay_of(again, first)


def test_keys_are_for_users(cast, body):
    for nobody, status in ((cast.nobody, 401), (cast.anonymous, 403)):
        answer = keyed(nobody, "POST", CONTACTS, new_key(), body)
        assert (answer.status_code, REPLAYED in answer.headers) == (status, False)
    made = keyed(cast.nobody, "POST", "/api/v1/auth/api-key", new_key(), {"anonymous": True})
    assert made.status_code in (400, 403), made.json


def test_a_key_of_a_user_who_is_gone_is_no_key_of_the_next(cast, workshop, body):
    """Users are told apart by their ids, whatever their keys are called."""
    owner, other = workshop.owner, cast.user()
    assert is_new(keyed(owner, "POST", CONTACTS, f"x user:{other.user_id} y", body))
    assert (len(kept(owner)), kept(other)) == (1, [])


def test_repetitions_count_against_the_limit(cast, workshop, body):
    owner, key = workshop.owner, new_key()
    held = cast.key(owner, "write", organization_id=owner.organization_id, rate_limit_enabled=True, rate_limit_max=3)
    answers = [keyed(held, "POST", CONTACTS, key, body).status_code for _ in range(5)]
    assert answers == [201, 201, 201, 429, 429]
