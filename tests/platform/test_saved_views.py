"""Saved views: who keeps them, who sees them, and what they may hold."""

from __future__ import annotations

import pytest

from app.platform import saved_views

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
    monkeypatch.setattr(saved_views, "MAX_VIEWS", 2)
    assert [save(owner, name=name).status_code for name in "abc"] == [201, 201, 409]


def test_nobodys_key_keeps_no_view(cast):
    assert cast.anonymous.get(VIEWS).json["data"] == []
    assert save(cast.anonymous).status_code == 403


def test_a_view_goes_with_its_user(app, cast, owner):
    save(owner)
    cast.admin.delete(f"/api/v1/auth/user/{owner.user_id}")
    assert owner.get(VIEWS).status_code == 401
