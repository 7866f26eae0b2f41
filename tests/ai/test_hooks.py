"""Chats, canvases, chains and providers."""

from __future__ import annotations

import pytest

from app.ai.models.answering import AiStream
from app.testing.workshop import Workshop
from tests.writes import changed, created, messages


@pytest.fixture
def chat(owner):
    return created(owner, "ai/chat")


def say(owner, chat, **body):
    return created(owner, "ai/message", **({"chatId": chat["id"], "role": "user", "content": "Hello"} | body))


def test_messages_are_numbered_within_their_chat(owner, chat):
    assert [say(owner, chat)["sequence"] for _ in range(3)] == [1, 2, 3]
    assert say(owner, created(owner, "ai/chat"))["sequence"] == 1
    assert owner.get(f"/api/v1/ai/chat/{chat['id']}").json["lastMessageAt"] is not None


def test_only_what_the_user_said_can_be_reworded(owner, chat):
    mine, theirs = say(owner, chat), say(owner, chat, role="assistant")
    assert changed(owner, "ai/message", mine, content="Hi").json["editedAt"] is not None
    assert messages(changed(owner, "ai/message", theirs, content="Hi"), "content")


def test_a_vote_knows_the_chat_of_its_message(owner, chat):
    message = say(owner, chat)
    assert created(owner, "ai/vote", messageId=message["id"], isUpvoted=True)["chatId"] == chat["id"]
    again = owner.post("/api/v1/ai/vote", {"messageId": message["id"], "isUpvoted": False})
    assert again.status_code == 409


def test_accepting_a_suggestion_replaces_the_passage_and_raises_the_version(owner):
    artifact = created(owner, "ai/artifact", title="T", content="one two three")
    body = {"artifactId": artifact["id"], "originalText": "two", "suggestedText": "2"}
    suggestion = created(owner, "ai/suggestion", **body)
    accepted = changed(owner, "ai/suggestion", suggestion, status="accepted").json
    assert accepted["resolvedById"] == str(owner.user_id)
    stored = owner.get(f"/api/v1/ai/artifact/{artifact['id']}").json
    assert (stored["content"], stored["version"]) == ("one 2 three", 2)
    gone = created(owner, "ai/suggestion", **body)
    assert messages(changed(owner, "ai/suggestion", gone, status="accepted"), "status")


def test_a_caller_can_stop_a_stream_and_nothing_else(cast, owner):
    stream = Workshop(cast, owner).make(AiStream)
    assert messages(changed(owner, "ai/stream", stream, status="failed"), "status")
    assert changed(owner, "ai/stream", stream, status="aborted").json["status"] == "aborted"


def test_providers_in_a_chain_are_numbered_and_may_swap_inside_a_transaction(cast, owner):
    body = {"slug": f"s-{owner.user_id}", "name": "S", "kind": "builtin", "defaultModel": "m"}
    provider = created(cast.admin, "ai", **body)
    chain = created(owner, "ai/chain", name="C")
    place = {"chainId": chain["id"], "providerId": provider["id"]}
    assert [created(owner, "ai/chain-provider", **place)["position"] for _ in range(2)] == [0, 1]
    assert owner.post("/api/v1/ai/chain-provider", {**place, "position": 1}).status_code == 409


def test_an_organization_has_one_default_chain(owner):
    created(owner, "ai/chain", name="A", isDefault=True)
    assert owner.post("/api/v1/ai/chain", {"name": "B", "isDefault": True}).status_code == 409


@pytest.mark.parametrize("url", ["http://127.0.0.1/v1", "http://10.0.0.1", "http://[::1]/", "http://localhost:1"])
def test_a_provider_at_a_private_address_is_refused(cast, owner, url):
    body = {"slug": f"x-{owner.user_id}", "name": "X", "kind": "ollama", "defaultModel": "m", "baseUrl": url}
    assert messages(cast.admin.post("/api/v1/ai", body), "baseUrl")


def test_the_address_of_a_provider_holds_no_user_and_no_password(cast, owner):
    body = {"slug": f"x-{owner.user_id}", "name": "X", "kind": "ollama", "defaultModel": "m"}
    refused = cast.admin.post("/api/v1/ai", {**body, "baseUrl": "https://user:word@models.example/v1"})
    assert messages(refused, "baseUrl")


def test_attachments_name_uploads_that_the_caller_sees(cast, owner, chat):
    upload = created(owner, "storage/upload", filename="a.txt", contentBase64="SGVsbG8=")
    attachment = {"uploadId": upload["id"], "name": "a.txt", "contentType": "text/plain"}
    assert say(owner, chat, attachments=[attachment])["attachments"] == [attachment]
    foreign = created(cast.user(), "storage/upload", filename="b.txt", contentBase64="SGVsbG8=")
    body = {"chatId": chat["id"], "role": "user", "content": "x"}
    for wrong in ({**attachment, "uploadId": foreign["id"]}, {**attachment, "name": 1}, {"uploadId": upload["id"]}):
        assert owner.post("/api/v1/ai/message", {**body, "attachments": [wrong]}).status_code == 400
