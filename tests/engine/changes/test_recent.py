"""The latest versions of all records: what the histories of the records tell, in one list."""

from __future__ import annotations

from random import Random

import pytest

from app.ai.models.chats import AiChat
from app.crm.models import CrmCompany, CrmContact
from tests.engine.changes.world import GRANTS, MODELS, World

RECENT = "/api/v1/_history"
STEPS = 40


def latest(actor, since=0, **asked):
    """Everything that is told, page by page; what is before the position ``since`` is of other tests."""
    found, cursor = [], None
    while True:
        page = actor.get(RECENT, query_string=asked | ({"cursor": cursor} if cursor else {}))
        assert page.status_code == 200, page.json
        found += page.json["data"]
        cursor = page.json["meta"]["next"]
        if cursor is None or any(int(each["id"]) <= since for each in page.json["data"]):
            return found


def of_records(actor, known, model):
    """What the history of each record tells."""
    found = {}
    for name, identifier in known:
        answer = actor.get(f"{MODELS[name]}/{identifier}/_history", query_string={"take": 100})
        if name == model and answer.status_code == 200:
            found |= {(identifier, each["version"], each["operation"]): each for each in answer.json["data"]}
    return found


@pytest.mark.parametrize("seed", range(2))
def test_nobody_is_told_more_or_less_than_by_the_histories_of_the_records(cast, seed):
    since = int(cast.admin.get(RECENT, query_string={"take": 1}).json["data"][0]["id"])
    world = World(cast, Random(seed))
    for _ in range(STEPS):
        world.step()
    key = cast.key(world.owners[0], "read", access=GRANTS)
    for actor in [
        *world.owners,
        world.colleague,
        cast.user(),
        cast.admin,
        cast.anonymous,
        type(key)(key.app, key.token),
    ]:
        for model in ("crm/company", "ai/message") if actor.user_id is None else MODELS:
            known = {identifier for _, identifier in world.known}
            told = [each for each in latest(actor, since, models=model, take=7) if each["recordId"] in known]
            keyed = {(each["recordId"], each["version"], each["operation"]): each for each in told}
            expected = of_records(actor, world.known, model)
            assert keyed.keys() == expected.keys()
            for place, each in keyed.items():
                about = {name: each.pop(name) for name in ("id", "model", "recordId")}
                assert (each, about["model"]) == (expected[place], model)


def test_pages_of_any_size_have_the_same_of_one_actor(cast):
    since = int(cast.admin.get(RECENT, query_string={"take": 1}).json["data"][0]["id"])
    owner, chance = cast.user(), Random(3)
    colleague = cast.colleague(owner)
    works = [owner.post(MODELS["crm/company"], {"name": name}).json["id"] for name in ("One", "Two")]
    for step in range(STEPS):
        writer = chance.choice((owner, colleague))
        if chance.random() < 0.2:
            writer.post(MODELS["ai/chat"], {"title": f"Quay {step}"})
        else:
            path = f"{MODELS['crm/company']}/{chance.choice(works)}"
            assert writer.put(path, {"industry": f"of {step}"}).status_code == 200
    every = [each["id"] for each in latest(owner, since, take=100) if each["actor"]["id"] == str(colleague.user_id)]
    assert len(every) > 2
    for take in (1, 2, 3):
        told = latest(owner, since, take=take, actorId=str(colleague.user_id))
        assert [each["id"] for each in told] == every


def test_it_is_newest_first_over_all_models(owner, workshop):
    company, chat = workshop.make(CrmCompany), workshop.make(AiChat)
    owner.put(f"{CrmCompany.collection_path()}/{company['id']}", {"industry": "food"})
    told = [(each["model"], each["recordId"], each["operation"]) for each in latest(owner, take=2)]
    assert told[:3] == [
        ("crm/company", company["id"], "update"), ("ai/chat", chat["id"], "create"),
        ("crm/company", company["id"], "create"),
    ]  # fmt: skip


def test_it_is_of_one_organization_or_of_one_actor(cast, owner, workshop):
    colleague = cast.colleague(owner)
    company = workshop.make(CrmCompany)
    path = f"{CrmCompany.collection_path()}/{company['id']}"
    assert colleague.put(path, {"industry": "food"}).status_code == 200
    (change,) = latest(owner, actorId=str(colleague.user_id), models="crm/company")
    assert change["changed"] == ["industry"]
    told = latest(colleague, organizationId=str(owner.organization_id), models="crm/company,crm/contact")
    assert [each["operation"] for each in told] == ["update", "create"]
    assert latest(colleague, organizationId=str(colleague.organization_id), models="crm/company") == []


def test_a_page_passes_over_changes_of_others_and_of_other_actors(cast, owner):
    colleague = cast.colleague(owner)
    made = [colleague.post("/api/v1/crm/company", {"name": name, "organizationId": str(owner.organization_id)})
            for name in ("One", "Two", "Three")]  # fmt: skip
    assert [answer.status_code for answer in made] == [201] * 3
    owner.post("/api/v1/crm/company", [{"name": f"Number {number}"} for number in range(40)])
    cast.user().post("/api/v1/crm/company", [{"name": f"Number {number}"} for number in range(40)])
    asked = {"actorId": str(colleague.user_id), "models": "crm/company", "take": 2}
    page = owner.get(RECENT, query_string=asked).json
    told = [each["after"]["name"] for each in page["data"]]
    assert told == ["Three", "Two"]
    assert [each["after"]["name"] for each in latest(owner, **asked)] == ["Three", "Two", "One"]


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"models": "crm/none"}, 400), ({"organizationId": "x"}, 400), ({"actorId": ""}, 400), ({"cursor": "x"}, 400),
        ({"take": "101"}, 400), ({"other": "1"}, 400),
        ({"organizationId": "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"}, 403),
    ],
)  # fmt: skip
def test_bad_questions_are_refused(owner, asked, status):
    assert owner.get(RECENT, query_string=asked).status_code == status


def test_a_cursor_is_for_whoever_got_it(cast, owner, workshop):
    for _ in range(2):
        workshop.make(CrmContact)
    cursor = owner.get(RECENT, query_string={"take": 1}).json["meta"]["next"]
    assert owner.get(RECENT, query_string={"cursor": cursor}).status_code == 200
    assert cast.user().get(RECENT, query_string={"cursor": cursor}).status_code == 400


def test_it_is_closed_without_a_credential(cast):
    assert cast.nobody.get(RECENT).status_code == 401
