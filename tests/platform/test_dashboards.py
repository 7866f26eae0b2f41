"""Dashboards: who keeps them, who sees them, and what they may hold. What they share with views is shown there."""

from __future__ import annotations

import pytest

from app.platform.kept import Kept

DASHBOARDS = "/api/v1/_dashboards"
DEFINITION = {"panels": [{"kind": "figure", "model": "crm/deal", "sum": ["amount"]}]}


def make(actor, **given):
    return actor.post(DASHBOARDS, {"name": "Sales", "definition": DEFINITION} | given)


def names(actor):
    return [each["name"] for each in actor.get(DASHBOARDS).json["data"]]


@pytest.fixture
def owner(cast):
    return cast.user()


def test_a_dashboard_is_made_read_changed_and_removed(owner):
    made = make(owner)
    assert (made.status_code, made.json["definition"], made.json["own"]) == (201, DEFINITION, True)
    place = f"{DASHBOARDS}/{made.json['id']}"
    changed = owner.put(place, {"name": "Forecast", "definition": {"panels": []}}).json
    assert (changed["name"], changed["definition"]) == ("Forecast", {"panels": []})
    assert owner.get(place).json == changed
    assert owner.delete(place).json == {"id": made.json["id"], "deleted": True}
    assert [owner.get(place).status_code, names(owner)] == [404, []]


def test_a_dashboard_is_its_makers_until_it_is_shared(cast, owner):
    colleague, stranger = cast.colleague(owner), cast.user()
    place = f"{DASHBOARDS}/{make(owner).json['id']}"
    assert colleague.get(place).status_code == 404
    assert owner.put(place, {"shared": True}).status_code == 200
    seen = colleague.get(place).json
    assert (seen["name"], seen["own"], seen["writable"]) == ("Sales", False, False)
    assert [each.status_code for each in (colleague.put(place, {"name": "x"}), colleague.delete(place))] == [403, 403]
    assert [stranger.get(place).status_code, names(stranger)] == [404, []]


def test_what_somebody_who_leaves_has_shared_is_for_managers(cast, owner):
    colleague = cast.colleague(owner)
    colleague.post("/api/auth/session/organization", {"organizationId": str(owner.organization_id)})
    place = f"{DASHBOARDS}/{make(colleague, shared=True).json['id']}"
    assert cast.admin.delete(f"/api/v1/auth/user/{colleague.user_id}").status_code == 200
    assert owner.put(place, {"name": "Ours"}).json["name"] == "Ours"


@pytest.mark.parametrize(
    "given",
    [{"name": ""}, {"name": "x" * 121}, {"definition": []}, {"definition": {"x": "y" * 70_000}}, {"model": "x"}],
)
def test_what_is_no_dashboard_is_refused_by_field(owner, given):
    answer = make(owner, **given)
    assert (answer.status_code, list(answer.json["details"]["fields"])) == (400, list(given))


def test_a_user_keeps_a_bounded_number_of_dashboards(owner, monkeypatch):
    monkeypatch.setattr(Kept, "most", 1)
    assert [make(owner).status_code for _ in range(2)] == [201, 409]


def test_dashboards_come_in_pages_by_name(owner):
    for name in ("c", "A", "b"):
        make(owner, name=name)
    page = owner.get(f"{DASHBOARDS}?take=2").json
    assert ([each["name"] for each in page["data"]], page["meta"]["count"]) == (["A", "b"], 3)
    assert owner.get(f"{DASHBOARDS}?take=21").status_code == 400


def test_a_key_that_reads_changes_none(cast, owner):
    make(owner)
    reads = cast.key(owner, "read")
    assert (names(reads), make(reads).status_code) == (["Sales"], 403)
