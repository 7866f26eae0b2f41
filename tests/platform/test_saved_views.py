"""Saved views: who keeps them, who sees them, and what they may hold."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from sqlalchemy import select, text

from app.auth.models.organizations import AuthMember
from app.platform.kept import Kept
from app.testing.database import transaction, unit_of_work
from app.testing.waiting import await_true

WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
VIEWS = "/api/v1/_views"
DEFINITION = {"where": {"stage": "lead"}, "columns": ["name", "amount"]}


def save(actor, **given):
    return actor.post(VIEWS, {"model": "crm/deal", "name": "Mine", "definition": DEFINITION} | given)


def names(actor, model="crm/deal"):
    return [each["name"] for each in actor.get(f"{VIEWS}?model={model}").json["data"]]


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture
def colleague(cast, owner):
    return cast.colleague(owner)


def test_a_view_is_kept_changed_and_removed(owner):
    made = save(owner)
    assert (made.status_code, made.json["definition"], made.json["own"]) == (201, DEFINITION, True)
    place = f"{VIEWS}/{made.json['id']}"
    changed = owner.put(place, {"name": "Open", "definition": {"columns": ["name"]}}).json
    assert (changed["name"], changed["definition"], changed["model"]) == ("Open", {"columns": ["name"]}, "crm/deal")
    assert owner.get(VIEWS).json["data"] == [changed]
    assert owner.delete(place).json == {"id": made.json["id"], "deleted": True}
    assert owner.get(VIEWS).json["data"] == []
    assert owner.delete(place).status_code == 404


def test_views_come_by_name_for_the_model_that_is_asked_for(owner):
    for model, name in (("crm/deal", "c"), ("crm/contact", "b"), ("crm/deal", "A")):
        save(owner, model=model, name=name)
    assert names(owner) == ["A", "c"]
    assert [each["name"] for each in owner.get(VIEWS).json["data"]] == ["A", "b", "c"]


def test_a_private_view_is_its_makers_alone(owner, colleague):
    place = f"{VIEWS}/{save(owner).json['id']}"
    assert names(colleague) == []
    assert [each.status_code for each in (colleague.put(place, {"name": "x"}), colleague.delete(place))] == [404, 404]


def test_a_shared_view_is_the_organizations_and_nobody_elses(cast, owner, colleague):
    save(owner, shared=True)
    (seen,) = colleague.get(VIEWS).json["data"]
    assert (seen["name"], seen["own"], seen["shared"]) == ("Mine", False, True)
    assert names(cast.user()) == []


def test_of_a_shared_view_its_maker_decides_and_managers_remove_it(cast, owner, colleague):
    made = save(colleague).json
    shared = colleague.post("/api/auth/session/organization", {"organizationId": str(owner.organization_id)})
    assert shared.status_code == 200
    place = f"{VIEWS}/{made['id']}"
    assert colleague.put(place, {"shared": True}).status_code == 200
    another = cast.colleague(owner)
    assert [each.status_code for each in (another.put(place, {"name": "x"}), another.delete(place))] == [403, 403]
    assert owner.put(place, {"name": "x"}).status_code == 403
    assert owner.delete(place).status_code == 200


def members_row(app, actor, organization):
    own = (AuthMember.user_id == actor.user_id, AuthMember.organization_id == organization)
    with app.app_context(), transaction() as session:
        return f"/api/v1/auth/member/{session.scalar(select(AuthMember.id).where(*own))}"


def shared_by(colleague, owner, **given):
    """The place of a view that a member shares in the owner's organization."""
    colleague.post("/api/auth/session/organization", {"organizationId": str(owner.organization_id)})
    return f"{VIEWS}/{save(colleague, shared=True, **given).json['id']}"


@pytest.fixture
def former(app, owner, colleague):
    """Somebody who has shared a view and left, with the place of that view."""
    place = shared_by(colleague, owner)
    save(colleague, name="Private")
    assert colleague.delete(members_row(app, colleague, owner.organization_id)).status_code == 200
    return colleague, place


def test_who_left_an_organization_neither_sees_nor_changes_what_they_shared_there(former, owner):
    gone, place = former
    assert [gone.put(place, {"name": "x"}).status_code, gone.delete(place).status_code] == [404, 404]
    assert (names(gone), names(owner)) == (["Private"], ["Mine"])


def test_who_is_removed_from_an_organization_loses_the_views_there_as_well(app, owner, colleague):
    place = shared_by(colleague, owner)
    assert owner.delete(members_row(app, colleague, owner.organization_id)).status_code == 200
    assert colleague.put(place, {"name": "x"}).status_code == 404


def test_a_view_that_was_left_behind_is_for_managers_to_change(cast, former, owner):
    _, place = former
    (seen,) = owner.get(VIEWS).json["data"]
    assert (seen["own"], seen["writable"], seen["shared"]) == (False, True, True)
    assert owner.put(place, {"name": "Ours"}).json["name"] == "Ours"
    other = cast.colleague(owner)
    assert other.get(VIEWS).json["data"][0]["writable"] is False
    assert [other.put(place, {"name": "x"}).status_code, other.delete(place).status_code] == [403, 403]
    assert owner.delete(place).status_code == 200


def test_a_view_that_was_left_behind_stays_shared(former, owner):
    _, place = former
    refused = owner.put(place, {"shared": False})
    assert (refused.status_code, list(refused.json["details"]["fields"])) == (400, ["shared"])
    assert owner.put(place, {"shared": True, "name": "Ours"}).status_code == 200
    assert names(owner) == ["Ours"]


def test_who_comes_back_finds_the_views_of_the_organization_as_everybody_does(app, former, owner):
    gone, place = former
    with app.app_context(), unit_of_work() as unit:
        unit.store(AuthMember(user_id=gone.user_id, organization_id=owner.organization_id, role="member"))
    assert {each["name"]: each["own"] for each in gone.get(VIEWS).json["data"]} == {"Mine": False, "Private": True}
    assert gone.put(place, {"name": "x"}).status_code == 403


def test_what_a_deleted_account_has_shared_stays_with_the_organization(cast, owner, colleague):
    shared_by(colleague, owner)
    assert cast.admin.delete(f"/api/v1/auth/user/{colleague.user_id}").status_code == 200
    assert names(owner) == ["Mine"]


def test_a_key_that_acts_elsewhere_does_not_change_what_its_owner_has_shared(app, cast, owner, colleague):
    place = shared_by(colleague, owner)
    elsewhere = cast.key(colleague, "write")
    assert elsewhere.put(place, {"name": "x"}).status_code == 404


def test_an_organization_that_goes_takes_no_private_view_with_it(app, cast, owner):
    made = owner.post("/api/v1/auth/organization", {"name": "Short-lived"}).json
    owner.post("/api/auth/session/organization", {"organizationId": made["id"]})
    place = f"{VIEWS}/{save(owner, shared=True).json['id']}"
    owner.put(place, {"shared": False})
    assert owner.delete(f"/api/v1/auth/organization/{made['id']}").status_code == 200
    assert names(owner) == ["Mine"]


def test_sharing_while_being_removed_leaves_no_view_that_nobody_may_change(app, owner, colleague):
    colleague.post("/api/auth/session/organization", {"organizationId": str(owner.organization_id)})
    row = members_row(app, colleague, owner.organization_id)
    with app.app_context(), transaction() as session:
        removed = select(AuthMember).where(AuthMember.id == UUID(row.rpartition("/")[2])).with_for_update()
        session.delete(session.scalar(removed))
        session.flush()
        with ThreadPoolExecutor(1) as pool:
            sharing = pool.submit(save, colleague, shared=True)
            await_true(lambda: session.scalar(WAITING))
            session.commit()
            assert sharing.result().status_code == 400
    assert names(owner) == []


def test_views_come_in_pages_of_bounded_length(owner):
    for number in range(22):
        save(owner, name=f"{number:02}")
    first = owner.get(VIEWS).json
    assert (len(first["data"]), first["meta"]) == (20, {"count": 22, "take": 20, "skip": 0})
    rest = owner.get(f"{VIEWS}?take=5&skip=20").json
    assert ([each["name"] for each in rest["data"]], rest["meta"]["count"]) == (["20", "21"], 22)


@pytest.mark.parametrize("query", ["take=0", "take=101", "take=x", "skip=-1", "take=1&take=2"])
def test_a_page_of_views_that_cannot_be_is_refused(owner, query):
    refused = owner.get(f"{VIEWS}?{query}")
    assert (refused.status_code, refused.json["code"]) == (400, "INVALID_PAGINATION")


def test_a_view_that_is_no_longer_shared_is_private_again(owner, colleague):
    place = f"{VIEWS}/{save(owner, shared=True).json['id']}"
    owner.put(place, {"shared": False})
    assert (names(owner), names(colleague)) == (["Mine"], [])


def test_a_view_of_what_one_may_not_read_is_not_told_of(cast):
    model, colleague = "auth/verification", cast.colleague(cast.admin)
    save(cast.admin, model=model, shared=True)
    assert (names(cast.admin, model), names(colleague, model)) == (["Mine"], [])
    refused = save(colleague, model=model)
    assert (refused.status_code, refused.json["details"]["fields"]) == (
        400, {"model": ["Is no model that you may read."]}
    )  # fmt: skip


@pytest.mark.parametrize(
    "given",
    [
        {"model": "crm/nothing"}, {"name": ""}, {"name": "x" * 121}, {"definition": []}, {"shared": "yes"},
        {"definition": {"x": "y" * 20_000}}, {"extra": 1},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_view_is_refused_by_field(owner, given):
    answer = save(owner, **given)
    assert (answer.status_code, list(answer.json["details"]["fields"])) == (400, list(given))
    assert names(owner) == []


def test_a_user_keeps_a_bounded_number_of_views(owner, monkeypatch):
    monkeypatch.setattr(Kept, "most", 2)
    assert [save(owner, name=name).status_code for name in "abc"] == [201, 201, 409]


def test_nobodys_key_keeps_no_view(cast):
    assert cast.anonymous.get(VIEWS).json["data"] == []
    assert save(cast.anonymous).status_code == 403


def test_a_view_goes_with_its_user(app, cast, owner):
    save(owner)
    cast.admin.delete(f"/api/v1/auth/user/{owner.user_id}")
    assert owner.get(VIEWS).status_code == 401
