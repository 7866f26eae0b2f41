"""What people are notified of by what happens in the data."""

from __future__ import annotations

NOTIFICATION = "/api/v1/notification/notification"
ARTIFACT = "/api/v1/ai/artifact"


def heard(actor):
    """Type and title of what somebody was told, oldest first."""
    return [(row["type"], row["title"]) for row in actor.get(NOTIFICATION).json["data"]][::-1]


def address(actor):
    return actor.get(f"/api/v1/auth/user/{actor.user_id}").json["email"]


def test_an_insight_is_announced_to_the_managers_of_its_organization(owner, cast):
    manager, member = cast.colleague(owner, "admin"), cast.colleague(owner)
    insight = {
        "title": "Costs are up", "summary": "By a third.", "metric": "chat.cost_micros", "value": 4,
        "periodStart": "2026-01-01T00:00:00Z", "periodEnd": "2026-02-01T00:00:00Z",
    }  # fmt: skip
    made = owner.post("/api/v1/analytics/insight", insight)
    assert made.status_code == 201, made.json
    assert heard(owner) == heard(manager) == [("INSIGHT_READY", "Costs are up")]
    assert heard(member) == []
    told = manager.get(NOTIFICATION).json["data"][0]
    assert told["data"]["insightId"] == made.json["id"]


def test_a_canvas_that_is_opened_is_shown_to_colleagues_once(owner, cast):
    colleague, stranger = cast.colleague(owner), cast.user()
    canvas = owner.post(ARTIFACT, {"title": "Plan", "content": "First this."}).json["id"]
    assert heard(colleague) == []
    owner.patch(f"{ARTIFACT}/{canvas}", {"visibility": "public"})
    owner.patch(f"{ARTIFACT}/{canvas}", {"content": "Then that."})
    assert heard(colleague) == [("CANVAS_ACCESS", "Plan was shared with you")]
    assert heard(owner) == heard(stranger) == []


def test_who_is_named_in_a_canvas_hears_of_it_once(owner, cast):
    named, stranger = cast.colleague(owner), cast.user()
    text = f"Ask @{address(named)} and @{address(stranger)}."
    canvas = owner.post(ARTIFACT, {"title": "Plan", "content": text, "visibility": "public"}).json["id"]
    owner.patch(f"{ARTIFACT}/{canvas}", {"content": f"{text} Again @{address(named)}!"})
    assert heard(named) == [("CANVAS_MENTION", "You are named in Plan")]
    assert heard(stranger) == []
    assert named.get(NOTIFICATION).json["data"][0]["data"] == {"canvasId": canvas}


def test_naming_somebody_in_a_private_canvas_tells_nobody(owner, cast):
    named = cast.colleague(owner)
    owner.post(ARTIFACT, {"title": "Secret", "content": f"@{address(named)}"})
    assert heard(named) == []


def test_a_look_at_the_canvas_of_another_is_recorded_once_an_hour(owner, cast):
    reader = cast.colleague(owner)
    canvas = owner.post(ARTIFACT, {"title": "Plan", "visibility": "public"}).json["id"]
    for actor in (owner, reader, reader):
        assert actor.get(f"{ARTIFACT}/{canvas}").status_code == 200
    views = "/api/v1/analytics/activity?activityType=CANVAS_VIEW"
    (view,) = reader.get(views).json["data"]
    assert view["metadata"] == {"canvasId": canvas, "source": "api"}
    assert owner.get(views).json["meta"]["count"] == 0
