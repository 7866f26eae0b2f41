"""What follows on a connection after a request that was answered before its body was read."""

from __future__ import annotations

import socket

import pytest

HEAD = b"POST /api/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED, SIZED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n", HEAD + b"Content-Length: 100\r\n\r\n"
NEXT = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
# 41 bytes are announced, and 42 come.
BROKEN = {
    "too long a piece": CHUNKED + b"29\r\n" + b"x" * 42,
    "too long a piece and more": CHUNKED + b"29\r\n" + b"x" * 42 + b"\r\n0\r\n\r\n" + NEXT,
    "no size": CHUNKED + b"zz\r\n" + NEXT,
    "a malformed trailer": CHUNKED + b"0\r\nX Space: a\r\n\r\n" + NEXT,
    "an end within": SIZED + b"x",
}


def said(port, sent):
    """All that a connection answers until its end."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("what", BROKEN)
def test_a_body_that_breaks_behind_an_answer_ends_the_connection_without_a_second_one(shared_service, what):
    with shared_service.quiet():
        answers = said(shared_service.port, BROKEN[what])
    assert answers.startswith(b"HTTP/1.1 401 ")
    assert answers.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("sent", [CHUNKED + b"29\r\n" + b"x" * 41 + b"\r\n0\r\n\r\n", SIZED + b"x" * 100])
def test_a_whole_body_that_nobody_read_is_followed_by_the_next_request(shared_service, sent):
    answers = said(shared_service.port, sent + NEXT)
    assert [answers.count(status) for status in (b"HTTP/1.1 401 ", b"HTTP/1.1 200 ")] == [1, 1]
