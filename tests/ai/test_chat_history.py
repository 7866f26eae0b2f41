"""The history of chats by cursor, one chat with its messages, and its removal with all that belongs to it."""

from __future__ import annotations

from uuid import uuid4

import pytest

HISTORY = "/api/chat/history"
SUMMARY = {"id", "title", "userId", "visibility", "createdAt", "updatedAt"}


def chat(owner, title="Cranes", **body):
    return owner.post("/api/v1/ai/chat", {"title": title, **body}).json["id"]


def history(owner, **body):
    response = owner.post(HISTORY, body)
    assert response.status_code == 200, response.json
    return response.json


def titles(answer):
    return [each["title"] for each in answer["chats"]]


def test_chats_are_listed_newest_first_ten_at_a_time(owner, cast):
    chat(cast.user(), "Other", visibility="public")
    for number in range(12):
        chat(owner, f"Chat {number}")
    first = history(owner)
    assert titles(first) == [f"Chat {number}" for number in range(11, 1, -1)]
    assert first["hasMore"] is True
    assert set(first["chats"][0]) == SUMMARY
    rest = history(owner, startingAfter=first["chats"][-1]["id"])
    assert (titles(rest), rest["hasMore"]) == (["Chat 1", "Chat 0"], False)


def test_a_page_may_end_before_a_chat(owner):
    made = [chat(owner, f"Chat {number}") for number in range(5)]
    newer = history(owner, endingBefore=made[1], take=2)
    assert (titles(newer), newer["hasMore"]) == (["Chat 3", "Chat 2"], True)
    assert titles(history(owner, endingBefore=made[3], take=2)) == ["Chat 4"]
    assert titles(history(owner, endingBefore=made[4])) == []


def test_one_chat_comes_with_its_messages_in_order(owner):
    identifier = chat(owner)
    for role, content in (("user", "How high?"), ("assistant", "Forty metres.")):
        owner.post("/api/v1/ai/message", {"chatId": identifier, "role": role, "content": content})
    answer = history(owner, chatId=identifier)
    assert set(answer) == SUMMARY | {"messages"}
    said = [(message["role"], message["content"]) for message in answer["messages"]]
    assert said == [("user", "How high?"), ("assistant", "Forty metres.")]
    assert set(answer["messages"][0]) == {"id", "chatId", "role", "content", "parts", "createdAt"}
    assert answer["messages"][0]["parts"] == [{"type": "text", "text": "How high?"}]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"take": 0}, "take"),
        ({"take": 101}, "take"),
        ({"take": "5"}, "take"),
        ({"startingAfter": str(uuid4()), "endingBefore": str(uuid4())}, "endingBefore"),
        ({"chatId": str(uuid4()), "take": 5}, "take"),
        ({"limit": 5}, "limit"),
    ],
)
def test_a_bad_question_is_refused_by_name(owner, body, field):
    response = owner.post(HISTORY, body)
    assert (response.status_code, list(response.json["details"]["fields"])) == (400, [field])


def test_the_chat_of_another_reads_as_absent(owner, cast):
    foreign = chat(cast.user())
    for body in ({"chatId": foreign}, {"startingAfter": foreign}, {"endingBefore": foreign}, {"chatId": str(uuid4())}):
        response = owner.post(HISTORY, body)
        assert response.json == {"error": "Resource not found", "code": "NOT_FOUND", "details": {}}
    assert owner.delete(f"/api/chat/{foreign}").status_code == 404
    assert cast.nobody.post(HISTORY).status_code == 401


def test_a_deleted_chat_takes_its_messages_and_votes_along(owner):
    identifier = chat(owner)
    message = owner.post("/api/v1/ai/message", {"chatId": identifier, "role": "user", "content": "x"}).json["id"]
    owner.post("/api/v1/ai/vote", {"messageId": message, "isUpvoted": True})
    assert owner.delete(f"/api/chat/{identifier}").json == {"id": identifier, "deleted": True}
    for path in (f"ai/chat/{identifier}", f"ai/message/{message}"):
        assert owner.get(f"/api/v1/{path}").status_code == 404
    assert owner.get("/api/v1/ai/vote").json["meta"]["count"] == 0
    assert owner.delete(f"/api/chat/{identifier}").status_code == 404


def test_a_browsers_cookie_reaches_the_history_from_our_own_pages_only(app):
    browser = app.test_client()
    browser.post("/api/auth/signup", json={"email": f"{uuid4().hex}@chat.example", "password": "correct horse battery"})
    assert browser.post(HISTORY, json={}, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert browser.post(HISTORY, json={}, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
