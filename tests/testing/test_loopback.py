"""The server on loopback: it keeps what it is asked, and answers well or badly, as a test says."""

from __future__ import annotations

import time

import pytest
import requests

from app.foundation.outbound import Outbound


def test_it_keeps_what_it_is_asked(loopback):
    loopback.answer("/hook", json={"ok": True}, status=201, headers={"X-Mark": "a"})
    response = requests.post(f"{loopback.url}/hook?a=1&a=2&b=", json={"name": "Ä"}, headers={"X-From": "b"}, timeout=5)
    assert (response.status_code, response.json(), response.headers["X-Mark"]) == (201, {"ok": True}, "a")
    (asked,) = loopback.requests
    assert (asked.method, asked.path, asked.query) == ("POST", "/hook", {"a": ["1", "2"], "b": [""]})
    assert (asked.headers["x-from"], asked.json) == ("b", {"name": "Ä"})


def test_a_path_of_which_nothing_is_said_is_not_found(loopback):
    assert requests.get(f"{loopback.url}/other", timeout=5).status_code == 404
    assert [asked.path for asked in loopback.requests] == ["/other"]


def test_it_can_fail_some_times_and_then_answer(loopback):
    loopback.answer("/x", b"\x00\x01")
    loopback.answer("/x", "Later", status=503, times=2)
    answers = [requests.get(f"{loopback.url}/x", timeout=5) for _ in range(3)]
    assert [(each.status_code, each.content) for each in answers] == [(503, b"Later")] * 2 + [(200, b"\x00\x01")]


def test_an_answer_may_be_for_one_method(loopback):
    loopback.answer("/x", "read", method="GET")
    loopback.answer("/x", status=204, method="DELETE")
    assert requests.get(f"{loopback.url}/x", timeout=5).text == "read"
    assert requests.delete(f"{loopback.url}/x", timeout=5).status_code == 204
    assert requests.put(f"{loopback.url}/x", timeout=5).status_code == 404


@pytest.mark.parametrize("body", [b"", b"abcdef"])
def test_it_can_break_off(loopback, body):
    loopback.answer("/x", body, breaks=True)
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        requests.get(f"{loopback.url}/x", timeout=5)


def test_it_can_let_a_caller_wait(loopback):
    loopback.answer("/x", "late", delay=30)
    began = time.monotonic()
    with pytest.raises(requests.ReadTimeout):
        requests.get(f"{loopback.url}/x", timeout=0.2)
    assert time.monotonic() - began < 10


def test_calls_of_the_application_reach_it(loopback):
    loopback.answer("/x", json=[1])
    with Outbound(time.monotonic() + 5, private=True).client() as client:
        assert client.get(f"{loopback.url}/x").json() == [1]
