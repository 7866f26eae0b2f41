"""Notifications and preferences."""

from __future__ import annotations

from tests.writes import changed, created, messages


def test_a_notification_takes_the_channels_of_its_receiver(cast, owner):
    note = {"userId": str(owner.user_id), "type": "MENTION", "title": "T", "body": "B"}
    first = created(cast.admin, "notification/notification", **note)
    assert (first["channels"], first["deliveryStatus"]) == (["stream", "teams"], "pending")
    preference = owner.get("/api/v1/notification/preference").json["data"][0]
    changed(owner, "notification/preference", preference, types={"MENTION": False})
    second = created(cast.admin, "notification/notification", **note)
    assert (second["channels"], second["deliveryStatus"]) == ([], "suppressed")
    assert second["sequence"] > first["sequence"]


def test_the_receiver_marks_it_read_and_changes_nothing_else(cast, owner):
    note = {"userId": str(owner.user_id), "type": "MENTION", "title": "T", "body": "B"}
    made = created(cast.admin, "notification/notification", **note)
    read = changed(owner, "notification/notification", made, readAt="2026-01-01T00:00:00Z")
    assert read.json["readAt"] == "2026-01-01T00:00:00.000Z"
    assert messages(changed(owner, "notification/notification", made, title="X"), "title")


def test_preferences_are_merged_key_by_key_and_unknown_keys_refused(owner):
    preference = owner.get("/api/v1/notification/preference").json["data"][0]
    merged = changed(owner, "notification/preference", preference, channels={"email": True}).json
    assert merged["channels"] == {"stream": True, "teams": True, "email": True}
    for wrong in ({"channels": {"fax": True}}, {"channels": {"email": 1}}, {"quietHours": {"timeZone": "Mars"}}):
        assert changed(owner, "notification/preference", preference, **wrong).status_code == 400
