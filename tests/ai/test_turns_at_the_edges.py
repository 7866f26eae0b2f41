"""Turns whose transactions fail at the wrong moment: the question is there once, the answer whole or failed."""

from __future__ import annotations

import pytest

from app.ai import turns
from app.ai_rag import searches
from app.engine.read.database import LostRace
from app.foundation.errors import Unavailable
from tests.ai.chains import QUESTION, ask, begin
from tests.ai.upstream import WORDS
from tests.faults.conftest import proxy  # noqa: F401 - fixture

ANSWER = "".join(WORDS)
INDEX = "/api/v1/ai-rag/index"


@pytest.fixture
def proxied(proxy, build):  # noqa: F811
    """The application behind the proxy. It waits for an answer longer than a busy machine takes for one."""
    return build(database_url=proxy.url, private_provider_urls=True, database_statement_timeout=4.0)


@pytest.fixture
def grounded_chat(owner):
    """A chat with a knowledge base."""
    index = owner.post(INDEX, {"name": "Handbook"}).json["id"]
    return owner.post("/api/v1/ai/chat", {"title": "Cranes", "indexId": index}).json["id"]


def test_a_race_that_the_search_loses_is_settled_and_the_question_is_there_once(
    owner, chains, grounded_chat, monkeypatch
):
    chains.of("good")
    search, tries = searches.answer, []

    def lose_once(session, query, vectors):
        tries.append(1)
        if len(tries) == 1:
            raise LostRace()
        return search(session, query, vectors)

    monkeypatch.setattr(searches, "answer", lose_once)
    assert ask(owner, id=grounded_chat).status_code == 200
    assert len(tries) == 2
    assert chains.said() == [("user", QUESTION, "complete"), ("assistant", ANSWER, "complete")]


def test_a_search_that_fails_ends_the_turn_as_failed(owner, chains, grounded_chat, monkeypatch):
    chains.of("good")

    def fail(session, query, vectors):
        raise Unavailable()

    monkeypatch.setattr(searches, "answer", fail)
    assert ask(owner, id=grounded_chat).status_code == 503
    assert chains.said() == [("user", QUESTION, "complete"), ("assistant", "", "failed")]
    assert chains.stream()["status"] == "failed"


@pytest.mark.parametrize("fault", ["swallow_commits", "drop_commits"])
def test_an_answer_whose_last_commit_is_in_doubt_is_kept_whole(proxied, proxy, owner, chains, provider, fault):  # noqa: F811
    chains.of("waiting")
    body = begin(proxied, owner)
    next(body)
    getattr(proxy, fault)()
    provider.go_on.set()
    b"".join(body)
    assert chains.said() == [("user", QUESTION, "complete"), ("assistant", ANSWER, "complete")]
    assert [attempt["status"] for attempt in chains.attempts()] == ["succeeded"]
    steps = owner.get(f"/api/v1/ai/generation-step?streamId={chains.stream()['id']}").json["data"]
    assert [(step["text"], step["status"]) for step in steps] == [(ANSWER, "completed")]


def test_a_note_that_was_not_committed_is_written_again(proxied, proxy, owner, chains, provider, monkeypatch):  # noqa: F811
    monkeypatch.setattr(turns, "SAVE_EVERY", 0.0)
    chains.of("waiting")
    body = begin(proxied, owner)
    next(body)
    proxy.drop_commits(2)
    provider.go_on.set()
    b"".join(body)
    steps = owner.get(f"/api/v1/ai/generation-step?streamId={chains.stream()['id']}").json["data"]
    assert [(step["text"], step["status"]) for step in steps] == [(ANSWER, "completed")]


def test_an_attempt_that_could_not_be_noted_before_its_call_fails_with_its_turn(owner, chains, monkeypatch):
    chains.of("good")
    write, tries = turns.write_attempts, []

    def fail_once(session, context, attempts):
        tries.append(1)
        if len(tries) == 1:
            raise Unavailable()
        write(session, context, attempts)

    monkeypatch.setattr(turns, "write_attempts", fail_once)
    assert ask(owner).status_code == 503
    assert [attempt["status"] for attempt in chains.attempts()] == ["failed"]
