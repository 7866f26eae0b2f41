"""Streamed chat through a real gunicorn: the AI SDK in both forms, and clients that leave."""

from __future__ import annotations

import http.client
import json
import subprocess

import pytest

from app.testing.cast import Cast
from app.testing.waiting import await_true
from tests.ai.chains import CHAT, QUESTION, Chains
from tests.ai.upstream import WORDS, upstream
from tests.auth.oauth.certified import MODULES, NODE
from tests.end_to_end.service import environment, free_port, gunicorn, started

ANSWER = "".join(WORDS)


@pytest.fixture(scope="module")
def port(app, var_dir, tmp_path_factory):
    """Where a service listens that asks providers of this machine."""
    port, log = free_port(), tmp_path_factory.mktemp("chat") / "log"
    with started(gunicorn(), port, log, VAR_DIR=var_dir, PRIVATE_PROVIDER_URLS="on"):
        yield port


@pytest.fixture
def chains(app, build):
    cast = Cast(build(private_provider_urls=True))
    with upstream() as provider:
        yield Chains(cast, cast.user(), provider)


def ai_sdk(port, chains, form, *questions):
    command = [NODE, "tests/node/chat.mjs", f"http://127.0.0.1:{port}", chains.owner.token, form, *questions]
    run = subprocess.run(
        command, env=environment(NODE_MODULES=str(MODULES)), capture_output=True, text=True, check=True, timeout=60
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.full
@pytest.mark.parametrize("form", ["text", "ui"])
def test_the_ai_sdk_reads_answers_and_goes_on_in_the_same_chat(port, chains, form):
    chains.of("scattered", "good")
    first, second = ai_sdk(port, chains, form, QUESTION, "And how wide?")
    assert [first["text"], second["text"]] == ["Grüße 👷🏽‽"] * 2
    assert (first["status"], first["error"]) == (200, None)
    assert first["chat"] == second["chat"]
    assert [each[0] for each in chains.said()] == ["user", "assistant"] * 2
    told = [each["content"] for each in chains.upstream.calls[-1]["body"]["messages"]]
    assert told == [QUESTION, "Grüße 👷🏽‽", "And how wide?"]
    if form == "ui":
        assert second["messageId"] == chains.stream()["messageId"]


@pytest.mark.full
@pytest.mark.parametrize("form", ["text", "ui"])
def test_the_ai_sdk_learns_of_an_answer_that_breaks_off(port, chains, form):
    chains.of("dying")
    (answer,) = ai_sdk(port, chains, form, QUESTION)
    assert answer["error"]
    assert ANSWER.startswith(answer["text"])


@pytest.mark.full
@pytest.mark.parametrize("form", ["text", "ui"])
def test_the_ai_sdk_learns_of_a_failure_before_the_first_byte(port, chains, form):
    chains.of("down")
    (answer,) = ai_sdk(port, chains, form, QUESTION)
    assert (answer["status"], answer["text"]) == (502, "")
    assert "UPSTREAM_ERROR" in answer["error"]


def question(connection, chains):
    body = json.dumps({"messages": [{"role": "user", "content": QUESTION}]})
    headers = {"Authorization": f"Bearer {chains.owner.token}", "Content-Type": "application/json"}
    connection.request("POST", CHAT, body, headers)


def test_a_client_that_hangs_up_ends_the_call_to_the_provider(port, chains):
    chains.of("endless")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    question(connection, chains)
    response = connection.getresponse()
    heard = response.read1().decode()
    response.close()
    connection.close()
    assert chains.upstream.left.wait(10)
    await_true(lambda: chains.stream()["status"] == "aborted")
    assert chains.said()[-1][2] == "aborted"
    assert chains.said()[-1][1].startswith(heard)


def test_a_broken_answer_is_no_complete_transfer(port, chains):
    chains.of("cut")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    question(connection, chains)
    with pytest.raises(http.client.IncompleteRead):
        connection.getresponse().read()
    connection.close()
