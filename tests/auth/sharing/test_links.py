"""Links that show one record to whoever has them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.ai.models.chats import AiChat, AiMessage
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.crm.models import CrmCompany, CrmDeal
from app.engine.declare.catalogue import every_model
from app.foundation.clock import now, wire
from app.testing.cast import Actor
from app.testing.clock import moved
from tests import gone

SHARED, ORGANIZATIONS = "/api/v1/_shared", "/api/v1/auth/organization"
MODELS = [model for model in every_model() if model.policy.links]


def of(model, identifier):
    return f"{model.collection_path()}/{identifier}/_link"


def linked(actor, model, identifier, **body):
    made = actor.post(of(model, identifier), body)
    assert made.status_code == 201, made.json
    return made.json


@pytest.fixture
def deal(workshop):
    return workshop.make(CrmDeal, name="Crane")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
def test_a_link_shows_a_record_as_readers_of_public_ones_see_it(cast, owner, workshop, model):
    made = workshop.make(model)
    link = linked(owner, model, made["id"])
    shown = cast.nobody.get(f"{SHARED}/{link['token']}")
    assert (shown.status_code, shown.json["model"]) == (200, model.qualified_name())
    hidden = {field.name for field in model.fields().values() if "readableBy scope" in map(str, field.spec.flags)}
    assert shown.json["record"].items() >= {name: made[name] for name in made if name not in hidden}.items()
    assert not hidden & set(shown.json["record"])


def test_what_belongs_to_a_record_is_shown_with_it_and_nothing_else(cast, owner, workshop):
    chat = workshop.make(AiChat)
    message = workshop.make(AiMessage, chatId=chat["id"])
    workshop.make(AiMessage)
    shown = cast.nobody.get(f"{SHARED}/{linked(owner, AiChat, chat['id'])['token']}").json["record"]
    assert [each["id"] for each in shown["aiMessages"]] == [message["id"]]
    assert not {"systemPrompt", "streams"} & set(shown)


def test_documents_follow_their_index(cast, owner, workshop):
    index = workshop.make(AiRagIndex)
    document = workshop.make(AiRagDocument, indexId=index["id"])
    shown = cast.nobody.get(f"{SHARED}/{linked(owner, AiRagIndex, index['id'])['token']}").json["record"]
    assert [each["id"] for each in shown["aiRagDocuments"]] == [document["id"]]


def test_a_link_is_no_credential_for_anything_else(app, owner, deal):
    holder = Actor(app, linked(owner, CrmDeal, deal["id"])["token"])
    assert holder.get(f"{CrmDeal.collection_path()}/{deal['id']}").status_code == 401


def test_nobody_keeps_or_lists_what_a_link_shows(cast, owner, deal):
    headers = cast.nobody.get(f"{SHARED}/{linked(owner, CrmDeal, deal['id'])['token']}").headers
    assert headers["X-Robots-Tag"] == "noindex, nofollow"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "private, no-store"


def test_links_are_counted_listed_and_ended(cast, owner, deal):
    link = linked(owner, CrmDeal, deal["id"])
    for _ in range(2):
        cast.nobody.get(f"{SHARED}/{link['token']}")
    (listed,) = owner.get(of(CrmDeal, deal["id"])).json["data"]
    assert (listed["id"], listed["uses"], listed["createdById"]) == (link["id"], 2, str(owner.user_id))
    assert listed["lastUsedAt"]
    assert "token" not in listed
    assert owner.delete(f"{of(CrmDeal, deal['id'])}/{link['id']}").status_code == 200
    assert cast.nobody.get(f"{SHARED}/{link['token']}").status_code == 404
    assert owner.get(of(CrmDeal, deal["id"])).json["data"] == []


def test_a_link_ends_by_itself(cast, owner, deal):
    link = linked(owner, CrmDeal, deal["id"], until=wire(now() + timedelta(hours=1)))
    assert cast.nobody.get(f"{SHARED}/{link['token']}").status_code == 200
    with moved() as clock:
        clock.move(hours=2)
        assert cast.nobody.get(f"{SHARED}/{link['token']}").status_code == 404


@pytest.mark.parametrize("away", [timedelta(seconds=-1), timedelta(days=400)])
def test_a_link_lasts_neither_for_years_nor_into_the_past(owner, deal, away):
    refused = owner.post(of(CrmDeal, deal["id"]), {"until": wire(now() + away)})
    assert list(refused.json["details"]["fields"]) == ["until"]


@pytest.mark.parametrize("way", [gone.banned, gone.deleted, gone.removed])
def test_links_of_whoever_goes_show_nothing(cast, owner, workshop, way):
    member = cast.colleague(owner)
    company = workshop.make(CrmCompany)
    link = linked(member, CrmCompany, company["id"])
    assert cast.nobody.get(f"{SHARED}/{link['token']}").status_code == 200
    way(cast, owner, member)
    assert cast.nobody.get(f"{SHARED}/{link['token']}").status_code == 404


def test_a_link_shows_what_its_maker_sees_by_now(cast, owner, workshop):
    member = cast.colleague(owner)
    company = workshop.make(CrmCompany, industry="ships")
    link = linked(member, CrmCompany, company["id"])
    row = owner.get(f"/api/v1/auth/member?userId={member.user_id}").json["data"][0]["id"]
    for access, found in (([{"models": ["crm/company"], "fields": ["name"]}], {"id", "name"}), ([], None)):
        assert owner.put(f"/api/v1/auth/member/{row}/_access", {"access": access}).status_code == 200
        shown = cast.nobody.get(f"{SHARED}/{link['token']}")
        assert shown.status_code == (404 if found is None else 200)
        assert found is None or set(shown.json["record"]) == found


def test_an_organization_switches_its_links_off_and_on(cast, owner, deal):
    link = linked(owner, CrmDeal, deal["id"])
    path = f"{ORGANIZATIONS}/{owner.organization_id}"
    assert owner.put(path, {"publicLinks": False}).status_code == 200
    assert cast.nobody.get(f"{SHARED}/{link['token']}").status_code == 404
    assert owner.post(of(CrmDeal, deal["id"]), {}).status_code == 403
    assert owner.put(path, {"publicLinks": True}).status_code == 200
    assert cast.nobody.get(f"{SHARED}/{link['token']}").status_code == 200


def test_whoever_may_not_change_a_record_makes_no_link_of_it(cast, owner, workshop):
    public, private = (workshop.make(CrmCompany, visibility=each)["id"] for each in ("public", "private"))
    stranger = cast.user()
    for path, status in ((of(CrmCompany, public), 403), (of(CrmCompany, private), 404)):
        assert [stranger.send(method, path, json={}).status_code for method in ("GET", "POST")] == [status, status]
    link = linked(owner, CrmCompany, public)
    assert stranger.delete(f"{of(CrmCompany, public)}/{link['id']}").status_code == 403


def test_a_narrowed_key_makes_no_link(cast, owner, deal):
    key = cast.key(owner, "write", access=[{"models": ["crm/*"], "operations": ["read", "update"]}])
    assert key.post(of(CrmDeal, deal["id"]), {}).status_code == 403


def test_making_and_ending_a_link_is_evidence(owner, deal):
    link = linked(owner, CrmDeal, deal["id"])
    owner.delete(f"{of(CrmDeal, deal['id'])}/{link['id']}")
    for action in ("auth.link.create", "auth.link.delete"):
        (row,) = owner.get("/api/v1/platform/audit-log", query_string={"action": action}).json["data"]
        assert (row["changes"]["link"], row["targetId"]) == (link["id"], deal["id"])


def test_a_record_that_is_gone_is_shown_by_no_link(cast, owner, deal):
    link = linked(owner, CrmDeal, deal["id"])
    owner.delete(f"{CrmDeal.collection_path()}/{deal['id']}")
    assert cast.nobody.get(f"{SHARED}/{link['token']}").status_code == 404


def test_a_record_has_so_many_links(owner, deal):
    statuses = [owner.post(of(CrmDeal, deal["id"]), {}).status_code for _ in range(21)]
    assert statuses == [201] * 20 + [409]


def test_models_without_links_have_none(owner, workshop):
    assert owner.get(f"/api/v1/auth/user/{owner.user_id}/_link").status_code == 404
    assert owner.get("/api/v1/nothing/there/1/_link").status_code == 404


@pytest.mark.parametrize("token", ["x", "x" * 200, "3QmP0dXkV7cWb1rTnYeZ4uLhJ8sGfA2oC6iE9vRxKqB"])
def test_a_guess_finds_nothing(cast, token):
    assert cast.nobody.get(f"{SHARED}/{token}").status_code == 404
