"""Providers that are down, slow, refusing, dying or sending rubbish, and what a caller is told of it."""

from __future__ import annotations

import json
import sys
import time

import pytest
from sqlalchemy import update

from app import ai
from app.ai import breaker, fallback, turns
from app.ai.models.answering import AiProvider
from app.foundation.clock import now
from app.foundation.errors import Unavailable
from app.testing.database import transaction
from tests.ai.chains import CHAT, QUESTION, ask, begin
from tests.ai.upstream import WORDS

ANSWER = "".join(WORDS)
SOON = {"timeoutMs": 1000}

# How a model fails before its first byte: error code, status of the attempt, status of HTTP.
BEFORE = {
    "down": ("server_error", "failed", 503),
    "limited": ("rate_limit", "failed", 429),
    "unauthorized": ("auth", "failed", 401),
    "bad": ("bad_request", "failed", 400),
    "moved": ("invalid_response", "failed", 302),
    "silent": ("timeout", "timed_out", None),
    "commenting": ("timeout", "timed_out", 200),
    "rubbish": ("invalid_response", "failed", 200),
    "odd": ("invalid_response", "failed", 200),
    "page": ("invalid_response", "failed", 200),
}
MIDWAY = {
    "dying": ("network", "failed"),
    "cut": ("invalid_response", "failed"),
    "erring": ("server_error", "failed"),
    "stalling": ("timeout", "timed_out"),
}
EVERY_REASON = ["timeout", "rate_limit", "server_error", "network", "invalid_response"]


class SlowImport:
    """A clock that an import moves on."""

    def __init__(self, module: str, seconds: float) -> None:
        self.module, self.seconds, self.passed = module, seconds, 0.0

    def find_spec(self, name, path=None, target=None):
        self.passed += self.seconds if name == self.module else 0

    def monotonic(self):
        return time.monotonic() + self.passed


@pytest.mark.parametrize("model", BEFORE)
def test_a_failure_before_the_first_byte_is_an_error_in_json(owner, chains, model):
    code, status, http_status = BEFORE[model]
    chains.of(model, **(SOON if code == "timeout" else {}))
    response = ask(owner)
    assert (response.status_code, response.json["code"]) == (502, "UPSTREAM_ERROR")
    assert response.json["details"]["reason"] == code
    (attempt,) = chains.attempts()
    assert (attempt["status"], attempt["errorCode"], attempt["httpStatus"]) == (status, code, http_status)
    assert chains.stream()["status"] == "failed"
    assert chains.said() == [("user", QUESTION, "complete"), ("assistant", "", "failed")]
    assert response.headers["x-chat-id"] == chains.stream()["chatId"]


@pytest.mark.parametrize("model", ["down", "limited", "silent", "rubbish", "page"])
def test_the_next_provider_answers_where_the_chain_says_so(owner, chains, model):
    place = SOON if model == "silent" else {}
    chains.of(model, "good", place=place, retryOn=EVERY_REASON)
    assert ask(owner).get_data(as_text=True) == ANSWER
    assert [each["status"] for each in chains.attempts()] == [BEFORE[model][1], "succeeded"]
    assert (chains.stream()["status"], chains.stream()["attemptCount"]) == ("completed", 2)


def test_loading_the_sdk_costs_the_first_answer_none_of_its_time(owner, chains, monkeypatch):
    clock = SlowImport("app.ai.upstream", seconds=60)
    monkeypatch.delitem(sys.modules, clock.module, raising=False)
    monkeypatch.delattr(ai, "upstream", raising=False)
    monkeypatch.setattr(sys, "meta_path", [clock, *sys.meta_path])
    monkeypatch.setattr(fallback, "time", clock)
    chains.of("down", "good", retryOn=EVERY_REASON, timeoutMs=30_000)
    assert ask(owner).get_data(as_text=True) == ANSWER
    assert clock.passed


def test_nobody_listening_is_a_failure_of_the_network(owner, chains):
    chains.over(chains.provider("good", baseUrl="http://127.0.0.1:1"), chains.provider("good"))
    assert ask(owner).get_data(as_text=True) == ANSWER
    assert chains.attempts()[0]["errorCode"] == "network"


def test_a_failure_that_the_chain_does_not_name_ends_it(owner, chains, provider):
    chains.of("down", "good", retryOn=["timeout"])
    assert ask(owner).status_code == 502
    assert len(provider.calls) == 1


def test_a_provider_may_be_asked_again_up_to_the_limit_of_the_chain(owner, chains, provider):
    chains.of("down", "limited", "good", place={"maxRetries": 1}, maxAttempts=3)
    assert ask(owner).status_code == 502
    assert [call["body"]["model"] for call in provider.calls] == ["down", "down", "limited"]


@pytest.mark.parametrize("model", MIDWAY)
def test_an_answer_that_breaks_off_breaks_the_connection(chat_app, owner, chains, provider, model):
    code, status = MIDWAY[model]
    chains.of(model, "good", place=SOON, retryOn=EVERY_REASON)
    with pytest.raises(fallback.StreamInterrupted):
        ask(owner)
    assert (chains.stream()["status"], chains.stream()["errorCode"]) == ("failed", code)
    (attempt,) = chains.attempts()
    assert (attempt["status"], attempt["errorCode"]) == (status, code)
    assert chains.said()[-1][2] == "failed"
    assert ANSWER.startswith(chains.said()[-1][1])
    assert len(provider.calls) == 1, "nobody takes over in the middle"


def test_an_event_stream_that_breaks_off_says_so(owner, chains):
    chains.of("dying")
    body = ask(owner, accept="text/event-stream").get_data(as_text=True)
    *_, closing, fault, done, _ = body.split("\n\n")
    assert json.loads(closing.removeprefix("data: "))["type"] == "text-end"
    assert json.loads(fault.removeprefix("data: ")) == {"type": "error", "errorText": "The answer broke off"}
    assert done == "data: [DONE]"


def test_what_is_kept_of_an_error_holds_no_credential(owner, chains, chat_cast):
    identifier = chains.provider("unauthorized")
    chains.over(identifier)
    response = ask(owner)
    kept = chains.attempts()[0]["errorMessage"]
    assert "Incorrect API key provided" in kept
    shown = response.get_data(as_text=True) + kept + chat_cast.admin.get(f"/api/v1/ai/{identifier}").json["lastError"]
    assert "12345678" not in shown


def test_a_provider_that_keeps_failing_is_left_alone_and_tried_again_later(chat_app, owner, chains, provider):
    identifier = chains.provider("down")
    chains.over(identifier, chains.provider("good"))
    for _ in range(breaker.FAILURE_THRESHOLD + 1):
        assert ask(owner).get_data(as_text=True) == ANSWER
    skipped, answered = chains.attempts()
    assert (skipped["status"], skipped["errorCode"], answered["status"]) == ("skipped", "circuit_open", "succeeded")
    assert owner.get(f"/api/v1/ai/{identifier}").json["status"] == "degraded"
    with chat_app.app_context(), transaction() as session:
        rested = update(AiProvider).where(AiProvider.id == identifier)
        session.execute(rested.values(last_checked_at=now() - breaker.RESET_TIMEOUT * 2, default_model="good"))
    assert ask(owner).get_data(as_text=True) == ANSWER
    assert [each["status"] for each in chains.attempts()] == ["succeeded"]
    assert owner.get(f"/api/v1/ai/{identifier}").json["status"] == "active"


def test_an_impatient_chain_takes_no_provider_from_others(owner, chains):
    identifier = chains.provider("silent")
    chains.over(identifier, chains.provider("good"), place=SOON, timeoutMs=20000)
    assert ask(owner).get_data(as_text=True) == ANSWER
    assert chains.cast.admin.get(f"/api/v1/ai/{identifier}").json["consecutiveFailures"] == 0


def test_a_place_that_is_removed_meanwhile_loses_no_answer(chat_app, owner, chains, provider):
    chain = chains.of("waiting")
    body = begin(chat_app, owner)
    next(body)
    (place,) = owner.get(f"/api/v1/ai/chain-provider?chainId={chain}").json["data"]
    assert owner.delete(f"/api/v1/ai/chain-provider/{place['id']}").status_code == 200
    provider.go_on.set()
    for _ in body:
        pass
    assert chains.said()[-1] == ("assistant", ANSWER, "complete")
    assert chains.attempts()[0]["chainProviderId"] is None


def test_a_database_that_is_away_for_a_moment_loses_no_answer(chat_app, owner, chains, monkeypatch):
    away = iter([True, True])
    end = turns.write_end

    def sometimes(*arguments):
        if next(away, False):
            raise Unavailable()
        end(*arguments)

    monkeypatch.setattr(turns, "write_end", sometimes)
    chains.of("good")
    assert ask(owner).get_data(as_text=True) == ANSWER
    assert (chains.stream()["status"], chains.said()[-1][1:]) == ("completed", (ANSWER, "complete"))


def test_with_nobody_to_ask_the_service_is_unavailable(owner, chains):
    chains.over(strategy="ordered")
    response = ask(owner)
    assert (response.status_code, response.json["code"]) == (503, "UNAVAILABLE")
    assert chains.stream()["status"] == "failed"


def test_a_client_that_leaves_ends_the_call_and_keeps_the_part_that_came(chat_app, owner, chains, provider):
    chains.of("endless")
    body = begin(chat_app, owner)
    heard = b"".join(next(body) for _ in range(3)).decode()
    body.close()
    assert provider.left.wait(5), "the provider is told"
    assert chains.stream()["status"] == "aborted"
    assert chains.attempts()[0]["status"] == "aborted"
    role, content, status = chains.said()[-1]
    assert (role, status) == ("assistant", "aborted")
    assert content.startswith(heard)


def test_a_client_that_leaves_before_it_read_anything_ends_the_call_too(chat_app, owner, chains, provider):
    chains.of("endless")
    begin(chat_app, owner).close()
    assert provider.left.wait(5)
    assert chains.stream()["status"] == "aborted"


def test_the_owner_ends_a_stream_over_the_data_api(chat_app, owner, chains, provider, monkeypatch):
    monkeypatch.setattr(turns, "SAVE_EVERY", 0.0)
    chains.of("endless")
    body = begin(chat_app, owner)
    for _ in range(3):
        next(body)
    stopped = owner.patch(f"/api/v1/ai/stream/{chains.stream()['id']}", {"status": "aborted"})
    assert stopped.status_code == 200, stopped.json
    rest = b"".join(body)
    assert len(rest) < 200
    assert provider.left.wait(5)
    assert (chains.stream()["status"], chains.said()[-1][2]) == ("aborted", "aborted")


def test_a_chat_that_is_removed_meanwhile_ends_its_answer(chat_app, owner, chains, provider, monkeypatch):
    monkeypatch.setattr(turns, "SAVE_EVERY", 0.0)
    chains.of("endless")
    body = begin(chat_app, owner)
    next(body)
    owner.delete(f"{CHAT}/{chains.stream()['chatId']}")
    for _ in body:
        pass
    assert provider.left.wait(5)
    assert owner.get("/api/v1/ai/stream").json["meta"]["count"] == 0


def test_two_questions_in_one_chat_at_once_are_both_answered_in_order(chat_app, owner, chains, provider):
    chains.of("waiting")
    first = begin(chat_app, owner)
    next(first)
    chat_id = chains.stream()["chatId"]
    second = begin(chat_app, owner, id=chat_id)
    provider.go_on.set()
    for body in (second, first):
        assert b"".join(body).decode() in (ANSWER, ANSWER.removeprefix("Forty"))
    assert chains.said() == [("user", QUESTION, "complete"), ("assistant", ANSWER, "complete")] * 2
    told = [each["content"] for each in provider.calls[1]["body"]["messages"]]
    assert told == [QUESTION, QUESTION], "what is on its way is not told"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "localhost.", "[::1]", "169.254.169.254", "2130706433"])
def test_private_addresses_are_refused_when_the_provider_is_stored(cast, host):
    body = {"slug": "inside", "name": "Inside", "kind": "ollama", "baseUrl": f"http://{host}:1/", "defaultModel": "m"}
    response = cast.admin.post("/api/v1/ai", body)
    assert (response.status_code, list(response.json["details"]["fields"])) == (400, ["baseUrl"])


def test_private_addresses_are_refused_when_the_provider_is_called(app, cast, chat_cast, owner, chains, provider):
    """The name was stored while it was allowed, or resolves to another address now."""
    chains.of("good")
    insider = cast.key(owner, "write")
    response = ask(insider)
    assert (response.status_code, response.json["details"]["reason"]) == (502, "network")
    assert chains.attempts()[0]["errorMessage"] == "The address is private"
    assert provider.calls == []
