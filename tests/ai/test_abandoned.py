"""Answers whose process has died, and those that only looked so."""

from __future__ import annotations

from sqlalchemy import update

from app.ai import heartbeat, turns
from app.ai.models.answering import AiStream
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now
from app.testing.database import transaction
from tests.ai.chains import begin
from tests.ai.upstream import WORDS

ANSWER = "".join(WORDS)


def close_without_sign_of_life(chat_app, chains):
    with chat_app.app_context(), transaction() as session:
        silent = update(AiStream).where(AiStream.id == chains.stream()["id"])
        session.execute(silent.values(updated_at=now() - 2 * heartbeat.SILENT_FOR))
    with chat_app.app_context():
        run_unit(SYSTEM, turns.close_abandoned)


def test_streams_of_a_killed_process_are_closed_with_what_was_noted(chat_app, owner, chains, provider, monkeypatch):
    monkeypatch.setattr(turns, "SAVE_EVERY", 0.0)
    chains.of("endless")
    body = begin(chat_app, owner)
    for _ in range(4):
        next(body)
    close_without_sign_of_life(chat_app, chains)
    assert (chains.stream()["status"], chains.stream()["errorCode"]) == ("failed", "abandoned")
    assert chains.said()[-1][1].startswith("word 0")
    assert chains.said()[-1][2] == "failed"
    assert chains.attempts()[0]["status"] == "aborted"
    body.close()


def test_an_answer_that_was_taken_for_abandoned_is_kept_whole_by_its_worker(chat_app, owner, chains, provider):
    chains.of("waiting")
    body = begin(chat_app, owner)
    next(body)
    close_without_sign_of_life(chat_app, chains)
    assert chains.stream()["status"] == "failed"
    provider.go_on.set()
    b"".join(body)
    assert (chains.stream()["status"], chains.stream()["errorCode"]) == ("completed", None)
    assert chains.said()[-1] == ("assistant", ANSWER, "complete")


def test_an_answer_on_its_way_gives_signs_of_life(chat_app, owner, chains, provider):
    chains.of("waiting")
    body = begin(chat_app, owner)
    next(body)
    stream = chains.stream()
    assert {str(each) for each in chat_app.extensions["heartbeat"].streams} == {stream["id"]}
    chat_app.extensions["heartbeat"].beat()
    assert chains.stream()["updatedAt"] > stream["updatedAt"]
    provider.go_on.set()
    b"".join(body)
    assert chat_app.extensions["heartbeat"].streams == set()
