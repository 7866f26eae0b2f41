"""Agents, their work, its scores and their improvement."""

from __future__ import annotations

import pytest

from app.ai_agent.models import AiAgentDeliverable
from app.testing.database import transaction
from tests.writes import changed, created, messages


@pytest.fixture
def agent(owner):
    criteria = [{"name": "tone", "passScore": 0.8}]
    return created(owner, "ai-agent/config", name="Writer", instructions="Write.", criteria=criteria)


def test_new_instructions_raise_the_version_and_a_new_name_does_not(owner, agent):
    assert changed(owner, "ai-agent/config", agent, name="Author").json["version"] == 1
    assert changed(owner, "ai-agent/config", agent, instructions="Write well.").json["version"] == 2


def test_work_belongs_to_the_organization_of_its_agent(owner, agent):
    work = created(owner, "ai-agent/deliverable", configId=agent["id"], title="T", brief="B")
    assert work["organizationId"] == agent["organizationId"]
    assert (work["configVersion"], work["approverId"]) == (1, str(owner.user_id))
    assert owner.delete(f"/api/v1/ai-agent/config/{agent['id']}").status_code == 400


def test_scores_pass_by_the_criterion_or_by_half(owner, agent):
    work = created(owner, "ai-agent/deliverable", configId=agent["id"], title="T", brief="B")
    path, base = "ai-agent/evaluation-result", {"deliverableId": work["id"], "score": 0.7}
    assert created(owner, path, **base, criterion="tone")["passed"] is False
    assert created(owner, path, **base, criterion="length")["passed"] is True


def test_applying_a_proposal_changes_the_agent(owner, agent):
    body = {"configId": agent["id"], "candidateInstructions": "Better.", "candidateParameters": {"topP": 1}}
    proposal = created(owner, "ai-agent/optimization-result", **body)
    applied = changed(owner, "ai-agent/optimization-result", proposal, status="applied").json
    assert applied["decidedById"] == str(owner.user_id)
    stored = owner.get(f"/api/v1/ai-agent/config/{agent['id']}").json
    assert (stored["instructions"], stored["parameters"], stored["version"]) == ("Better.", {"topP": 1}, 2)


def test_a_proposal_is_applied_by_whoever_has_grants_to_change_the_agent(cast, owner, agent):
    proposal = created(owner, "ai-agent/optimization-result", configId=agent["id"], candidateInstructions="Better.")
    decides = {"models": ["ai-agent/optimization-result"], "operations": ["read", "update"]}
    changes = {"models": ["ai-agent/config"], "operations": ["read", "update"]}
    keys = [cast.key(owner, "write", access=[decides, *more]) for more in ([], [changes])]
    path = f"/api/v1/ai-agent/optimization-result/{proposal['id']}"
    assert [key.put(path, {"status": "applied"}).status_code for key in keys] == [403, 200]


def test_proposals_for_a_public_agent_are_its_organizations(cast, owner, agent):
    proposal = created(owner, "ai-agent/optimization-result", configId=agent["id"], candidateInstructions="Better.")
    assert changed(owner, "ai-agent/config", agent, visibility="public").status_code == 200
    stranger, path = cast.user(), "/api/v1/ai-agent/optimization-result"
    assert stranger.get(f"/api/v1/ai-agent/config/{agent['id']}").status_code == 200
    assert stranger.get(f"{path}/{proposal['id']}").status_code == 404
    assert stranger.get(path, query_string={"configId": agent["id"]}).json["data"] == []


def test_callers_cancel_and_queue_again_but_do_not_run_work(owner, agent):
    work = created(owner, "ai-agent/deliverable", configId=agent["id"], title="T", brief="B")
    assert messages(changed(owner, "ai-agent/deliverable", work, status="running"), "status")
    assert changed(owner, "ai-agent/deliverable", work, status="cancelled").status_code == 200


def test_nobody_makes_themselves_the_approver_of_a_decision(cast, owner, agent):
    work = created(owner, "ai-agent/deliverable", configId=agent["id"], title="T", brief="B")
    with cast.app.app_context(), transaction() as session:
        session.get_one(AiAgentDeliverable, work["id"]).status = "awaiting_approval"
    member = cast.colleague(owner)
    for body in ({"status": "approved"}, {"approverId": str(member.user_id)}):
        assert changed(member, "ai-agent/deliverable", work, **body).status_code == 403
    both = {"status": "approved", "approverId": str(member.user_id)}
    assert changed(member, "ai-agent/deliverable", work, **both).status_code == 403
    assert changed(owner, "ai-agent/deliverable", work, status="approved").json["decidedById"] == str(owner.user_id)
    said = owner.get("/api/v1/analytics/activity", query_string={"activityType": "APPROVAL_ACTION"}).json
    assert said["meta"]["count"] == 1
