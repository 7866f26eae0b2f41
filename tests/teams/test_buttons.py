"""Buttons of cards: pressed as an invoke, or on old clients as a message, carried out once."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import update

from app.ai_agent.models import AiAgentDeliverable
from app.jobs import registry
from app.testing.database import transaction
from tests.ai.chains import made
from tests.teams.microsoft import TENANT

NOTIFICATION = "/api/v1/notification/notification"


def test_a_button_that_is_told_twice_was_pressed_once(ms, send, known):
    ada = known("presser-oid")
    value = {"action": {"type": "Action.Execute", "verb": "like"}}
    press = {"type": "invoke", "name": "adaptiveCard/action", "value": value, "replyToId": "1"}
    sender = {"from": {"id": "29:u", "aadObjectId": "presser-oid"}}
    there = {"conversation": {"id": f"19:{uuid4().hex}", "conversationType": "channel", "tenantId": TENANT}}
    assert [send(ms.activity(**press, **sender, **there)).json["value"] for _ in range(2)] == ["Noted."] * 2
    assert ada.get("/api/v1/analytics/activity?activityType=APPROVAL_ACTION").json["meta"]["count"] == 1


def test_a_button_decides_about_the_work_of_an_agent_once(teams, ms, send, known):
    ada = known("approver-oid")
    agent = made(ada.post("/api/v1/ai-agent/config", {"name": "Writer", "instructions": "x", "status": "active"}))
    work = made(ada.post("/api/v1/ai-agent/deliverable", {"configId": agent, "title": "Note", "brief": "Cranes"}))
    registry.work(teams, concurrency=1, until_empty=True)
    value = {
        "action": {"type": "Action.Execute", "verb": "approve", "data": {"deliverableId": work}},
        "trigger": "manual",
    }
    press = {"type": "invoke", "name": "adaptiveCard/action", "value": value}
    sender = {"from": {"id": "29:u", "aadObjectId": "approver-oid"}}
    said = [send(ms.activity(**press, **sender)).json for _ in range(2)]
    assert [each["value"] for each in said] == ["Approved", "Approved"]
    assert ada.get(f"/api/v1/ai-agent/deliverable/{work}").json["status"] == "approved"
    assert ada.get("/api/v1/analytics/activity?activityType=APPROVAL_ACTION").json["meta"]["count"] == 1
    stranger = send(ms.activity(**press, **{"from": {"id": "29:x", "aadObjectId": "nobody-oid"}}))
    assert (stranger.status_code, stranger.json["statusCode"]) == (200, 400)


def test_a_button_of_an_old_client_decides_too(teams, ms, send, known):
    ada, bob = known("approver-oid-2"), known("bystander-oid")
    agent = made(ada.post("/api/v1/ai-agent/config", {"name": "Writer", "instructions": "x", "status": "active"}))
    work = made(ada.post("/api/v1/ai-agent/deliverable", {"configId": agent, "title": "Note", "brief": "Cranes"}))
    registry.work(teams, concurrency=1, until_empty=True)
    send(ms.activity(**{"from": {"id": "29:b", "aadObjectId": "bystander-oid"}}))
    sender = {"from": {"id": "29:a", "aadObjectId": "approver-oid-2"}}
    before = bob.get(NOTIFICATION).json["meta"]["count"]
    value = {"verb": "approve", "deliverableId": work}
    assert send(ms.activity(text=None, entities=[], value=value, **sender)).status_code == 200
    assert ada.get(f"/api/v1/ai-agent/deliverable/{work}").json["status"] == "approved"
    assert bob.get(NOTIFICATION).json["meta"]["count"] == before


def test_a_button_that_teams_tells_of_again_decides_nothing_about_newer_work(teams, ms, send, known):
    ada = known("approver-oid-3")
    agent = made(ada.post("/api/v1/ai-agent/config", {"name": "Writer", "instructions": "x", "status": "active"}))
    work = made(ada.post("/api/v1/ai-agent/deliverable", {"configId": agent, "title": "Note", "brief": "Cranes"}))
    registry.work(teams, concurrency=1, until_empty=True)
    value = {"action": {"type": "Action.Execute", "verb": "requestChanges", "data": {"deliverableId": work}}}
    sender = {"from": {"id": "29:a", "aadObjectId": "approver-oid-3"}}
    pressed = ms.activity(type="invoke", name="adaptiveCard/action", value=value, **sender)
    assert send(pressed).json["value"] == "Changes requested"
    with teams.app_context(), transaction() as session:
        again = update(AiAgentDeliverable).where(AiAgentDeliverable.id == work)
        session.execute(again.values(status="awaiting_approval"))
    assert send(pressed).json["value"] == "It was decided about since."
    assert ada.get(f"/api/v1/ai-agent/deliverable/{work}").json["status"] == "awaiting_approval"
    assert ada.get("/api/v1/analytics/activity?activityType=APPROVAL_ACTION").json["meta"]["count"] == 1
