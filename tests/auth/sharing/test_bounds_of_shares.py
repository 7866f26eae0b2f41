"""What a share does not open: other rows, other people's agents, and what grants keep."""

from __future__ import annotations

from sqlalchemy import select, update

from app.ai.models.chats import AiArtifact
from app.ai_agent.models import AiAgentConfig, AiAgentDeliverable
from app.auth.models.sharing import AuthShare
from app.crm.models import CrmDeal
from app.testing.database import transaction
from tests.auth.sharing.sharing import PARTLY, SHARED, address, let_out, of, shared


def test_no_row_is_made_in_an_organization_that_has_only_shared_what_it_names(guest, owner, workshop):
    agent = workshop.make(AiAgentConfig)["id"]
    body = workshop.body(AiAgentDeliverable) | {"configId": agent}
    for may in ("read", "write"):
        shared(owner, AiAgentConfig, agent, (may, {"email": address(guest)}))
        refused = guest.post(AiAgentDeliverable.collection_path(), body)
        assert (refused.status_code, refused.json["code"]) == (400, "FOREIGN_KEY_VIOLATION")


def test_no_agent_works_again_for_somebody_with_whom_its_work_is_shared(app, guest, owner, workshop):
    work = workshop.make(AiAgentDeliverable)["id"]
    with app.app_context(), transaction() as session:
        session.execute(update(AiAgentDeliverable).where(AiAgentDeliverable.id == work).values(status="failed"))
    shared(owner, AiAgentDeliverable, work, ("write", {"email": address(guest)}))
    asked = [each.patch(of(AiAgentDeliverable, work), {"status": "queued"}).status_code for each in (guest, owner)]
    assert asked == [403, 200]


def test_shares_of_one_record_by_name_and_by_address_count_once(cast, owner, workshop):
    let_out(owner)
    member = cast.colleague(owner)
    made = [workshop.make(AiArtifact)["id"] for _ in range(4)]
    for each in made:
        shared(owner, AiArtifact, each, ("read", member), ("read", {"email": address(member)}))
    for query in ({}, {"sort": "title"}):
        found, cursor = [], ""
        while cursor is not None:
            page = member.get(AiArtifact.collection_path(), query_string={"take": 2, "cursor": cursor, **query}).json
            found += [each["id"] for each in page["data"] if each["id"] in made]
            cursor = page["meta"]["next"]
        assert sorted(found) == sorted(made)


def test_what_comes_from_an_organization_is_narrowed_by_it_wherever_somebody_acts(cast, owner, workshop):
    let_out(owner)
    member, deal = cast.colleague(owner, access=[PARTLY]), workshop.make(CrmDeal)["id"]
    shared(owner, CrmDeal, deal, ("read", {"email": address(member)}))
    elsewhere = cast.key(member, "write")
    for actor in (member, elsewhere):
        assert set(actor.get(of(CrmDeal, deal)).json) == {"id", "name"}


def test_a_key_without_any_model_that_is_shared_lists_nothing(cast, guest, owner, deal):
    shared(owner, CrmDeal, deal, ("read", {"email": address(guest)}))
    key = cast.key(guest, "read", access=[{"models": ["analytics/report"], "operations": ["read"]}])
    assert key.get(SHARED).json == {"data": []}


def test_a_credential_that_is_not_good_takes_nothing_for_its_user(app, cast, guest, owner, deal):
    key = cast.key(guest, "read", enabled=False)
    shared(owner, CrmDeal, deal, ("read", {"email": address(guest)}))
    whose = select(AuthShare.user_id).where(AuthShare.record_id == deal)
    for actor, status, taken in ((key, 401, None), (guest, 200, guest.user_id)):
        assert actor.get(of(CrmDeal, deal)).status_code == status
        with app.app_context(), transaction() as session:
            assert session.scalar(whose) == taken
