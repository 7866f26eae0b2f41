"""Records that are shared with people, teams and addresses: who reads them, and who writes them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from app.ai.models.chats import AiArtifact, AiChat, AiMessage
from app.ai_agent.models import AiAgentConfig
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.crm.models import CrmCompany, CrmDeal
from app.engine.declare.catalogue import every_model
from app.engine.declare.record import camel
from app.foundation.clock import now, wire
from app.testing.database import transaction
from tests import gone
from tests.auth.sharing.sharing import (
    NOTHING,
    PARTLY,
    READS,
    SHARED,
    WRITES,
    address,
    crew,
    ids,
    of,
    shared,
    statuses,
)

MODELS = [model for model in every_model() if model.policy.shares]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
def test_whoever_a_record_is_shared_with_reads_it_or_writes_it_as_well(guest, owner, workshop, model):
    made, other = workshop.make(model)["id"], workshop.make(model)["id"]
    assert statuses(guest, model, made) == NOTHING
    shared(owner, model, made, ("read", {"email": address(guest)}))
    assert statuses(guest, model, made) == READS
    assert guest.get(of(model, made)).json.keys() == owner.get(of(model, made)).json.keys()
    shared(owner, model, made, ("write", {"email": address(guest)}))
    assert statuses(guest, model, made) == WRITES
    assert statuses(guest, model, other) == NOTHING
    shared(owner, model, made)
    assert statuses(guest, model, made) == NOTHING


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
def test_whoever_may_change_a_record_that_is_shared_neither_takes_it_nor_makes_it_public(guest, owner, workshop, model):
    made = workshop.make(model)
    shared(owner, model, made["id"], ("write", {"email": address(guest)}))
    path, columns = of(model, made["id"]), {camel(each) for each in model.policy.scope.columns()}
    wanted = {"organizationId": str(guest.organization_id), "visibility": "public", "userId": str(guest.user_id)}
    for name in columns & wanted.keys() & made.keys():
        refused = guest.patch(path, {name: wanted[name]})
        assert refused.status_code in (400, 403), refused.json
    assert {each: owner.get(path).json[each] for each in columns} == {each: made[each] for each in columns}
    if "visibility" in columns:
        assert owner.patch(path, {"visibility": "public"}).status_code == 200


def test_a_share_is_read_back_as_it_was_set_and_what_is_left_out_ends(cast, owner, workshop):
    chat, until = workshop.make(AiChat)["id"], wire(now() + timedelta(days=3))
    listed = [
        {"with": {"userId": str(cast.colleague(owner).user_id)}, "may": "write", "until": until},
        {"with": {"teamId": crew(owner)}, "may": "read", "until": None},
    ]
    for body in (listed, [{**listed[0], "may": "read"}, listed[1]], [listed[1]], listed[::-1], []):
        assert owner.put(f"{of(AiChat, chat)}/_sharing", {"data": body}).json["data"] == body
        assert owner.get(f"{of(AiChat, chat)}/_sharing").json["data"] == body


def test_a_team_has_what_is_shared_with_it_as_long_as_one_is_in_it(cast, owner, workshop):
    member, chat = cast.colleague(owner), workshop.make(AiChat)["id"]
    team = crew(owner)
    shared(owner, AiChat, chat, ("read", {"teamId": team}))
    assert statuses(member, AiChat, chat) == NOTHING
    joined = owner.post("/api/v1/auth/team-member", {"teamId": team, "userId": str(member.user_id)}).json["id"]
    assert statuses(member, AiChat, chat) == READS
    assert owner.delete(f"/api/v1/auth/team-member/{joined}").status_code == 200
    assert statuses(member, AiChat, chat) == NOTHING


def test_a_team_counts_for_nothing_where_a_second_factor_is_asked_for(app, cast, owner, workshop):
    member, chat = cast.colleague(owner), workshop.make(AiChat)["id"]
    shared(owner, AiChat, chat, ("read", {"teamId": crew(owner, member)}))
    with app.app_context(), transaction() as session:
        session.execute(
            update(AuthOrganization).where(AuthOrganization.id == owner.organization_id).values(require_two_factor=True)
        )
    assert statuses(member, AiChat, chat) == NOTHING


def test_a_member_writes_what_only_managers_do_once_it_is_shared(cast, owner, workshop):
    member, agent = cast.colleague(owner), workshop.make(AiAgentConfig)["id"]
    assert statuses(member, AiAgentConfig, agent) == READS
    shared(owner, AiAgentConfig, agent, ("write", member))
    assert statuses(member, AiAgentConfig, agent) == WRITES
    question = {"model": "ai-agent/config", "operation": "update", "id": agent}
    assert member.post("/api/v1/_access", question).json["allowed"] is True
    assert owner.delete(f"/api/v1/auth/member/{gone.membership(owner, member)}").status_code == 200
    assert statuses(member, AiAgentConfig, agent) == NOTHING


def test_what_belongs_to_a_record_follows_it(cast, owner, workshop):
    friend, chat = cast.colleague(owner), workshop.make(AiChat)["id"]
    messages = {workshop.make(AiMessage, chatId=chat)["id"] for _ in range(3)}
    workshop.make(AiMessage)
    new = {"chatId": chat, "role": "user", "content": "Ahoy"}
    assert (ids(friend, AiMessage), friend.post(AiMessage.collection_path(), new).status_code) == ([], 400)
    shared(owner, AiChat, chat, ("read", friend))
    assert (set(ids(friend, AiMessage)), set(ids(friend, AiMessage, chatId=chat))) == (messages, messages)
    changed = of(AiMessage, next(iter(messages))), {"content": "Avast"}
    assert friend.post(AiMessage.collection_path(), new).status_code == 403
    assert friend.patch(*changed).status_code == 403
    shared(owner, AiChat, chat, ("write", friend))
    made = friend.post(AiMessage.collection_path(), new)
    assert (made.status_code, friend.patch(*changed).status_code) == (201, 200), made.json
    assert friend.delete(of(AiMessage, made.json["id"])).status_code == 403
    shared(owner, AiChat, chat)
    assert ids(friend, AiMessage) == []


@pytest.mark.full
def test_a_thousand_children_of_a_shared_record_are_walked_as_all_others_are(cast, owner, workshop):
    friend, chat = cast.colleague(owner), workshop.make(AiChat)["id"]
    bodies = [{"chatId": chat, "role": "user", "content": "Ahoy"}] * 1000
    assert owner.post(AiMessage.collection_path(), bodies).status_code == 201
    shared(owner, AiChat, chat, ("read", friend))
    found, cursor = [], ""
    while cursor is not None:
        page = friend.get(AiMessage.collection_path(), query_string={"take": 300, "cursor": cursor}).json
        found += [each["id"] for each in page["data"]]
        cursor = page["meta"]["next"]
    assert len(found) == len(set(found)) == 1000


def test_conditions_and_expansions_reach_what_is_shared_and_nothing_else(guest, owner, workshop):
    company = workshop.make(CrmCompany, name="Slipway")["id"]
    deal = workshop.make(CrmDeal, companyId=company)["id"]
    shared(owner, CrmDeal, deal, ("read", {"email": address(guest)}))
    asked = {"company.name": "Slipway", "expand": "company"}
    assert ids(guest, CrmDeal, **asked) == []
    assert guest.get(of(CrmDeal, deal), query_string={"expand": "company"}).json["company"] is None
    shared(owner, CrmCompany, company, ("read", {"email": address(guest)}))
    assert ids(guest, CrmDeal, **asked) == [deal]
    assert guest.get(of(CrmDeal, deal), query_string={"expand": "company"}).json["company"]["name"] == "Slipway"


def test_grants_bound_what_is_shared(cast, guest, owner, workshop):
    deals = [workshop.make(CrmDeal, name=name)["id"] for name in ("Crane", "Winch")]
    for each in deals:
        shared(owner, CrmDeal, each, ("write", {"email": address(guest)}))
    access = [{"models": ["crm/deal"], "operations": ["list", "read"], "fields": ["name"], "where": {"name": "Crane"}}]
    key = cast.key(guest, "write", access=access)
    assert ids(key, CrmDeal) == deals[:1]
    assert set(key.get(of(CrmDeal, deals[0])).json) == {"id", "name"}
    assert key.get(of(CrmDeal, deals[1])).status_code == 404
    assert key.patch(of(CrmDeal, deals[0]), {"name": "X"}).status_code == 403
    assert ids(cast.key(guest, "read"), CrmDeal) == deals[::-1]
    assert {each["id"] for each in key.get(SHARED).json["data"]} == {deals[0]}


def test_a_narrowed_member_sees_all_of_what_others_share(cast, owner, guest, deal):
    boss = cast.user()
    member = guest
    with boss.app.app_context(), transaction() as session:
        joined = AuthMember(organization_id=boss.organization_id, user_id=member.user_id, role="member")
        joined.access = [PARTLY]
        session.add(joined)
    shared(owner, CrmDeal, deal, ("read", {"email": address(member)}))
    assert member.get(of(CrmDeal, deal)).json.keys() == owner.get(of(CrmDeal, deal)).json.keys()


def test_what_is_shared_with_somebody_is_listed_the_last_first(cast, guest, owner, workshop):
    made = [(model, workshop.make(model)["id"]) for model in (CrmDeal, AiArtifact, CrmCompany)]
    for may, (model, identifier) in zip(("read", "write", "read"), made, strict=True):
        shared(owner, model, identifier, (may, {"email": address(guest)}))
    listed = guest.get(SHARED).json["data"]
    assert [(each["model"], each["id"], each["may"]) for each in listed] == [
        ("crm/company", made[2][1], "read"), ("ai/artifact", made[1][1], "write"), ("crm/deal", made[0][1], "read"),
    ]  # fmt: skip
    assert {each["sharedBy"]["id"] for each in listed} == {str(owner.user_id)}
    assert [each["id"] for each in guest.get(SHARED, query_string={"take": 1, "skip": 1}).json["data"]] == [made[1][1]]
    assert owner.get(SHARED).json["data"] == []
    assert cast.nobody.get(SHARED).status_code == 401


def test_a_record_that_is_shared_in_two_ways_is_there_once(cast, owner, workshop):
    member = cast.colleague(owner)
    team, chat = crew(owner, member), workshop.make(AiChat)["id"]
    shared(owner, AiChat, chat, ("read", member), ("write", {"teamId": team}))
    assert ids(member, AiChat) == [chat]
    assert statuses(member, AiChat, chat) == WRITES
    assert [(each["id"], each["may"]) for each in member.get(SHARED).json["data"]] == [(chat, "write")]
