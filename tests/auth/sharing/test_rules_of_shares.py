"""Who shares records, with whom, and until when."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from app.ai.models.chats import AiChat, AiMessage
from app.auth.models.sharing import AuthShare
from app.auth.sharing import recipient_checks, shares
from app.crm.models import CrmDeal
from app.foundation.clock import now, wire
from app.testing.database import transaction, unit_of_work
from tests import gone
from tests.auth.sharing.sharing import (
    NOTHING,
    PARTLY,
    READS,
    SHARED,
    SOMEBODY_ELSE,
    address,
    crew,
    ids,
    let_out,
    of,
    share,
    shared,
    statuses,
)


@pytest.mark.parametrize("model", [CrmDeal, AiChat])
def test_people_and_teams_are_those_of_the_organization(cast, owner, workshop, model):
    made, stranger = workshop.make(model)["id"], cast.user()
    strange = (
        {"userId": str(stranger.user_id)},
        {"teamId": crew(stranger)},
        SOMEBODY_ELSE,
        {"teamId": SOMEBODY_ELSE["userId"]},
    )
    for each in strange:
        refused = share(owner, model, made, ("read", each))
        (name,) = each
        assert (refused.status_code, refused.json["details"]["fields"]) == (
            400, {f"data.0.with.{name}": ["Must be one of the organization."]}
        )  # fmt: skip


@pytest.mark.parametrize("model", [CrmDeal, AiChat])
def test_addresses_are_for_organizations_that_let_records_out(cast, owner, workshop, model):
    made, guest = workshop.make(model)["id"], cast.user()
    asked = ("read", {"email": address(guest)})
    assert share(owner, model, made, asked).status_code == 403
    let_out(owner)
    shared(owner, model, made, asked)
    assert guest.get(of(model, made)).status_code == 200


def test_an_organization_that_keeps_its_records_ends_what_it_had_let_out(cast, guest, owner, deal):
    member = cast.colleague(owner)
    shared(owner, CrmDeal, deal, ("read", {"email": address(guest)}), ("read", member))
    let_out(owner, out=False)
    assert statuses(guest, CrmDeal, deal) == NOTHING
    let_out(owner)
    (left,) = owner.get(f"{of(CrmDeal, deal)}/_sharing").json["data"]
    assert left["with"] == {"userId": str(member.user_id)}
    assert statuses(guest, CrmDeal, deal) == NOTHING


@pytest.mark.parametrize("way", [gone.removed, gone.deleted])
def test_what_somebody_has_let_out_ends_when_they_leave(cast, guest, owner, deal, way):
    member = cast.colleague(owner)
    shared(member, CrmDeal, deal, ("read", {"email": address(guest)}))
    way(cast, owner, member)
    assert statuses(guest, CrmDeal, deal) == NOTHING


def test_somebody_who_is_narrowed_shares_nothing(cast, owner, deal):
    member, peer = cast.colleague(owner), cast.colleague(owner)
    row = gone.membership(owner, member)
    for access, status in (
        ([PARTLY], 403), ([PARTLY, {name: PARTLY[name] for name in ("models", "operations")}], 200), (None, 200),
    ):  # fmt: skip
        assert owner.put(f"/api/v1/auth/member/{row}/_access", {"access": access}).status_code == 200
        assert share(member, CrmDeal, deal, ("read", peer)).status_code == status
    key = cast.key(owner, "write", access=[{"models": ["crm/*"], "operations": ["read", "update"]}])
    assert share(key, CrmDeal, deal).status_code == 403


def test_a_share_ends_by_itself(app, guest, owner, deal):
    entry = {"with": {"email": address(guest)}, "may": "read", "until": wire(now() + timedelta(hours=1))}
    assert owner.put(f"{of(CrmDeal, deal)}/_sharing", {"data": [entry]}).status_code == 200
    assert statuses(guest, CrmDeal, deal) == READS
    with app.app_context(), transaction() as session:
        session.execute(update(AuthShare).where(AuthShare.record_id == deal).values(until=now() - timedelta(seconds=1)))
    assert statuses(guest, CrmDeal, deal) == NOTHING
    assert guest.get(SHARED).json["data"] == []
    assert owner.get(f"{of(CrmDeal, deal)}/_sharing").json["data"] == []


def test_what_is_over_or_gone_is_forgotten(app, guest, owner, workshop, deal):
    other = workshop.make(CrmDeal)["id"]
    for each in (deal, other):
        shared(owner, CrmDeal, each, ("read", {"email": address(guest)}))
    owner.delete(of(CrmDeal, other))
    assert ids(guest, CrmDeal) == [deal]
    assert [each["id"] for each in guest.get(SHARED).json["data"]] == [deal]
    count = select(func.count()).where(AuthShare.record_id.in_([deal, other]))
    for moved, left in ((None, 1), (now() - timedelta(seconds=1), 0)):
        with app.app_context(), unit_of_work() as unit:
            unit.bookkeep(update(AuthShare).where(AuthShare.record_id == deal).values(until=moved))
        with app.app_context():
            shares.forget()
        with app.app_context(), unit_of_work() as unit:
            assert unit.session.scalar(count) == left


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "data"), ({"data": {}}, "data"), ({"data": [{}]}, "data"),
        ({"data": [{"with": {}, "may": "read"}]}, "data"),
        ({"data": [{"with": SOMEBODY_ELSE | {"email": "a@example.com"}, "may": "read"}]}, "data"),
        ({"data": [{"with": SOMEBODY_ELSE, "may": "delete"}]}, "data"),
        ({"data": [{"with": SOMEBODY_ELSE, "may": "read", "until": "2020-01-01T00:00:00Z"}]}, "data"),
        ({"data": [{"with": SOMEBODY_ELSE, "may": "read"}] * 2}, "data"),
        ({"data": [{"with": {"email": f"a{n}@example.com"}, "may": "read"} for n in range(101)]}, "data"),
    ],
    ids=["nothing", "no list", "an empty share", "nobody", "two in one", "deletes", "over", "twice", "too many"],
)  # fmt: skip
def test_a_bad_list_changes_nothing(cast, owner, deal, body, field):
    before = shared(owner, CrmDeal, deal, ("read", cast.colleague(owner)))
    refused = owner.put(f"{of(CrmDeal, deal)}/_sharing", body)
    assert (refused.status_code, list(refused.json["details"]["fields"])) == (400, [field])
    assert owner.get(f"{of(CrmDeal, deal)}/_sharing").json["data"] == before


def test_models_without_shares_have_none(owner, workshop):
    message = workshop.make(AiMessage)["id"]
    assert owner.get(f"{of(AiMessage, message)}/_sharing").status_code == 404
    assert share(owner, AiMessage, message).status_code == 404


def test_sharing_is_evidence(cast, owner, deal):
    member = cast.colleague(owner)
    shared(owner, CrmDeal, deal, ("read", member))
    (row,) = owner.get("/api/v1/platform/audit-log", query_string={"action": "auth.share.set"}).json["data"]
    assert (row["targetId"], row["changes"]["before"]) == (deal, [])
    assert row["changes"]["after"] == [{"with": str(member.user_id), "may": "read", "until": None}]


def test_so_many_records_are_shared_with_one_recipient(cast, owner, workshop, monkeypatch):
    monkeypatch.setattr(recipient_checks, "MOST_WITH_ONE", 2)
    member, made = cast.colleague(owner), [workshop.make(CrmDeal)["id"] for _ in range(3)]
    asked = [share(owner, CrmDeal, each, ("read", member)).status_code for each in (*made, made[0])]
    assert asked == [200, 200, 409, 200]


@pytest.mark.parametrize("model", [AiChat, CrmDeal])
def test_what_was_let_out_ends_with_the_switch(cast, owner, workshop, model):
    let_out(owner)
    made, guest = workshop.make(model)["id"], cast.user()
    shared(owner, model, made, ("write", {"email": address(guest)}))
    assert guest.get(of(model, made)).status_code == 200
    let_out(owner, out=False)
    assert statuses(guest, model, made) == NOTHING
    assert owner.get(f"{of(model, made)}/_sharing").json["data"] == []


def test_a_colleague_has_a_personal_record_as_long_as_they_are_one(cast, owner, workshop):
    member, chat = cast.colleague(owner), workshop.make(AiChat)["id"]
    shared(owner, AiChat, chat, ("read", member))
    assert member.get(of(AiChat, chat)).status_code == 200
    gone.removed(cast, owner, member)
    assert statuses(member, AiChat, chat) == NOTHING
