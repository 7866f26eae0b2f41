"""POST /api/chat: what comes back, in both forms, and what is kept of it."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from app.ai import turns
from app.ai.models.chats import AiMessage
from app.engine.write.changes import record_changed
from tests.ai.chains import CHAT, QUESTION, ask, begin
from tests.ai.upstream import USAGE, WORDS

EVENTS = "text/event-stream"
ANSWER = "".join(WORDS)


def events(response):
    lines = response.get_data(as_text=True).split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]


def test_the_answer_is_plain_text_by_default(owner, chains):
    chains.of("good")
    response = ask(owner)
    assert (response.status_code, response.get_data(as_text=True)) == (200, ANSWER)
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache, no-transform"
    assert response.headers["X-Accel-Buffering"] == "no"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_an_event_stream_has_the_parts_of_the_ai_sdk(owner, chains):
    chains.of("good")
    response = ask(owner, accept=EVENTS)
    parts = events(response)
    assert response.headers["Content-Type"].startswith(EVENTS)
    assert response.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert [part["type"] for part in parts] == ["start", "text-start", *["text-delta"] * 6, "text-end", "finish"]
    assert parts[0]["messageId"] == chains.stream()["messageId"]
    assert "".join(part["delta"] for part in parts if part["type"] == "text-delta") == ANSWER
    assert len({part["id"] for part in parts if "id" in part}) == 1


def test_thoughts_are_parts_of_their_own_and_no_part_of_plain_text(owner, chains):
    chains.of("thinking")
    kinds = [part["type"] for part in events(ask(owner, accept=EVENTS))]
    thoughts = ["reasoning-start", "reasoning-delta", "reasoning-delta", "reasoning-end"]
    assert kinds == ["start", *thoughts, "text-start", "text-delta", "text-end", "finish"]
    assert ask(owner).get_data(as_text=True) == "High."
    steps = owner.get(f"/api/v1/ai/generation-step?streamId={chains.stream()['id']}").json["data"]
    assert {(step["stepNumber"], step["kind"], step["text"]) for step in steps} == {
        (1, "reasoning", "Hm, cranes"),
        (2, "text", "High."),
    }


def test_question_answer_stream_steps_and_attempt_are_kept(owner, chains):
    chain = chains.of("good")
    chat_id = ask(owner).headers["x-chat-id"]
    assert chains.said() == [("user", QUESTION, "complete"), ("assistant", ANSWER, "complete")]
    stream = chains.stream()
    assert (stream["chatId"], stream["chainId"], stream["status"]) == (chat_id, chain, "completed")
    assert (stream["finishReason"], stream["attemptCount"]) == ("stop", 1)
    assert (stream["inputTokens"], stream["outputTokens"]) == (USAGE["prompt_tokens"], USAGE["completion_tokens"])
    assert stream["startedAt"] <= stream["firstTokenAt"] <= stream["finishedAt"]
    (attempt,) = chains.attempts()
    assert (attempt["status"], attempt["model"], attempt["requestId"]) == ("succeeded", "good", "up-1")
    assert (attempt["inputTokens"], attempt["outputTokens"], attempt["httpStatus"]) == (12, 6, 200)
    assert attempt["latencyMs"] >= 0
    (step,) = owner.get(f"/api/v1/ai/generation-step?streamId={stream['id']}").json["data"]
    assert (step["kind"], step["text"], step["status"]) == ("text", ANSWER, "completed")
    assert step["attemptId"] == attempt["id"]


def test_subscribers_hear_of_the_question_and_of_the_answer_once_it_is_whole(owner, chains, monkeypatch):
    told = []
    monkeypatch.setattr(record_changed, "subscribers", defaultdict(list))

    @record_changed.subscribe(AiMessage)
    def tell(unit, model, verb, before, after):
        told.append((verb, after.get("role"), after.get("status"), after.get("content")))

    chains.of("good")
    assert ask(owner).get_data(as_text=True) == ANSWER
    assert [each for each in told if each[0] == "update"] == [("update", None, "complete", ANSWER)]
    assert [role for verb, role, *_ in told if verb == "create"] == ["user", "assistant"]


def test_the_price_list_of_the_provider_gives_the_cost(owner, chains):
    prices = {"id": "good", "inputMicrosPerMillion": 1_000_000, "outputMicrosPerMillion": 5_000_000}
    chains.over(chains.provider("good", models=[prices]))
    ask(owner)
    assert (chains.attempts()[0]["costMicros"], chains.stream()["costMicros"]) == (42, 42)


def test_a_chat_is_titled_after_the_first_thing_said(owner, chains):
    chains.of("good")
    chat_id = ask(owner, "\nCranes and  hooks\nin detail").headers["x-chat-id"]
    assert owner.get(f"/api/v1/ai/chat/{chat_id}").json["title"] == "Cranes and hooks"
    ask(owner, "Another thing", id=chat_id)
    assert owner.get(f"/api/v1/ai/chat/{chat_id}").json["title"] == "Cranes and hooks"
    named = owner.post("/api/v1/ai/chat", {"title": "Mine"}).json["id"]
    ask(owner, id=named)
    assert owner.get(f"/api/v1/ai/chat/{named}").json["title"] == "Mine"


def test_the_id_continues_a_chat_with_what_was_said_before(owner, chains, provider):
    chains.of("good")
    chat_id = ask(owner).headers["x-chat-id"]
    again = ask(owner, "And how wide?", id=chat_id)
    assert again.headers["x-chat-id"] == chat_id
    told = [(each["role"], each["content"]) for each in provider.calls[-1]["body"]["messages"]]
    assert told == [("user", QUESTION), ("assistant", ANSWER), ("user", "And how wide?")]
    assert [each[0] for each in chains.said()] == ["user", "assistant"] * 2


def test_a_clients_own_name_finds_the_chat_again(owner, chains, chat_cast):
    chains.of("good")
    first = ask(owner, id="k3yXbQ").headers["x-chat-id"]
    assert ask(owner, id="k3yXbQ").headers["x-chat-id"] == first
    assert owner.get(f"/api/v1/ai/chat/{first}").json["metadata"] == {"clientId": "k3yXbQ"}
    assert ask(chat_cast.user(), id="k3yXbQ").headers["x-chat-id"] != first


def test_the_chat_of_another_reads_as_absent(owner, chains, chat_cast):
    chains.of("good")
    chat_id = ask(owner).headers["x-chat-id"]
    owner.patch(f"/api/v1/ai/chat/{chat_id}", {"visibility": "public"})
    for stranger in (chat_cast.user(), chat_cast.colleague(owner), chat_cast.admin):
        assert ask(stranger, id=chat_id).status_code == 404
    assert len(chains.said()) == 2


def test_the_history_that_a_client_sends_is_what_the_provider_is_told(owner, chains, provider):
    chains.of("good")
    chat_id = ask(owner).headers["x-chat-id"]
    messages = [
        {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Changed"}]},
        {"id": "m2", "role": "assistant", "parts": [{"type": "step-start"}]},
        {"id": "m3", "role": "user", "parts": [{"type": "text", "text": "One"}, {"type": "text", "text": "two"}]},
    ]
    body = {"id": chat_id, "messages": messages, "trigger": "submit-message", "messageId": "m3"}
    assert owner.post(CHAT, body, buffered=True).status_code == 200
    told = [each["content"] for each in provider.calls[-1]["body"]["messages"]]
    assert told == ["Changed", "One\ntwo"]
    assert chains.said()[-2][1] == "One\ntwo"


def test_another_answer_to_the_same_message_stores_it_once(owner, chains, provider):
    chains.of("good")
    chat_id = ask(owner).headers["x-chat-id"]
    ask(owner, id=chat_id, trigger="regenerate-message")
    assert [each["content"] for each in provider.calls[-1]["body"]["messages"]] == [QUESTION]
    assert [each[0] for each in chains.said()] == ["user", "assistant", "assistant"]


def test_all_that_comes_with_a_new_chat_is_kept(owner, chains):
    chains.of("good")
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    said += [{"role": "assistant", "content": "Hello"}, {"role": "user", "content": QUESTION}]
    owner.post(CHAT, {"messages": said}, buffered=True)
    assert [each[:2] for each in chains.said()[:4]] == [(each["role"], each["content"]) for each in said]


def test_the_provider_gets_its_secret_the_prompt_and_the_parameters(owner, chains, provider):
    place = {"parameters": {"topP": 0.5, "temperature": 0.1}}
    chains.of("good", parameters={"temperature": 0.9, "maxOutputTokens": 50, "other": 1}, place=place)
    chat_id = owner.post("/api/v1/ai/chat", {"systemPrompt": "Be brief."}).json["id"]
    ask(owner, id=chat_id)
    (call,) = provider.calls
    assert call["path"] == "/v1/chat/completions"
    assert call["headers"]["authorization"] == "Bearer sk-test-12345678"
    assert call["body"]["messages"][0] == {"role": "system", "content": "Be brief."}
    assert (call["body"]["stream"], call["body"]["stream_options"]) == (True, {"include_usage": True})
    parameters = {name: call["body"].get(name) for name in ("temperature", "top_p", "max_tokens", "other")}
    assert parameters == {"temperature": 0.1, "top_p": 0.5, "max_tokens": 50, "other": None}


def test_a_provider_without_a_secret_is_sent_none(owner, chains, provider):
    chains.over(chains.provider("good", apiKey=None))
    assert ask(owner).status_code == 200
    assert "authorization" not in provider.calls[0]["headers"]


@pytest.mark.parametrize(("base", "path"), [("", "/v1"), ("/v1/", "/v1"), ("/v1beta/openai", "/v1beta/openai")])
def test_a_base_address_may_name_the_version(owner, chains, provider, base, path):
    chains.over(chains.provider("good", baseUrl=provider.url + base))
    ask(owner)
    assert provider.calls[0]["path"] == f"{path}/chat/completions"


def test_characters_are_never_split(owner, chains):
    chains.of("scattered")
    assert ask(owner).get_data(as_text=True) == "Grüße 👷🏽‽"


def test_what_cannot_be_stored_is_replaced(owner, chains):
    chains.of("unstorable")
    assert ask(owner).get_data(as_text=True) == "a\ufffdb\ufffd"
    assert chains.said()[-1][1:] == ("a\ufffdb\ufffd", "complete")


def test_an_answer_ends_where_a_message_is_full(owner, chains):
    chains.of("gushing")
    assert len(ask(owner).get_data(as_text=True)) == 100_000
    assert (chains.stream()["status"], chains.stream()["finishReason"]) == ("completed", "length")
    assert chains.attempts()[0]["status"] == "succeeded"


def test_the_chain_of_the_chat_comes_before_the_default_one(owner, chains):
    chains.of("good")
    other = owner.post("/api/v1/ai/chain", {"name": "Other"}).json["id"]
    body = {"chainId": other, "providerId": chains.provider("thinking")}
    owner.post("/api/v1/ai/chain-provider", body)
    chat_id = owner.post("/api/v1/ai/chat", {"chainId": other}).json["id"]
    assert ask(owner, id=chat_id).get_data(as_text=True) == "High."
    owner.patch(f"/api/v1/ai/chain/{other}", {"status": "disabled"})
    assert ask(owner, id=chat_id).get_data(as_text=True) == ANSWER


def test_a_weighted_chain_draws_its_order_by_weight(owner, chains):
    chain = chains.over(strategy="weighted")
    for model, weight in (("good", 1), ("thinking", 100)):
        body = {"chainId": chain, "providerId": chains.provider(model), "weight": weight}
        owner.post("/api/v1/ai/chain-provider", body)
    drawn = [ask(owner).get_data(as_text=True) for _ in range(8)]
    assert drawn.count("High.") >= 5


def test_a_key_needs_the_scope_to_write_and_an_owner(owner, chains, chat_cast):
    chains.of("good")
    assert ask(chat_cast.key(owner, "write")).status_code == 200
    assert owner.get("/api/v1/ai/chat").json["data"][0]["source"] == "api"
    for refused in (chat_cast.key(owner, "read"), chat_cast.anonymous):
        assert ask(refused).status_code == 403
    assert ask(chat_cast.nobody).status_code == 401


def test_a_stream_that_the_owner_ends_says_so_in_events(chat_app, owner, chains, monkeypatch):
    monkeypatch.setattr(turns, "SAVE_EVERY", 0.0)
    chains.of("endless")
    body = begin(chat_app, owner, accept=EVENTS)
    for _ in range(4):
        next(body)
    owner.patch(f"/api/v1/ai/stream/{chains.stream()['id']}", {"status": "aborted"})
    assert b"".join(body).split(b"\n\n")[-3:] == [b'data: {"type":"abort"}', b"data: [DONE]", b""]
