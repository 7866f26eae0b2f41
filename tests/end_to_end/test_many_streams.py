"""Two hundred chats at once through one worker: words arrive as they are said, and a stream costs little memory."""

from __future__ import annotations

import pytest

from bench import streams

pytestmark = pytest.mark.alone

ROUNDS = 2


@pytest.fixture
def figures(var_dir):
    """A round that keeps its bounds, or the last of some."""
    rounds = []
    while not rounds or (not keeps(rounds[-1]) and len(rounds) < ROUNDS):
        rounds.append(streams.measure(var_dir))
    return rounds[-1]


def keeps(found):
    return found.first_median < 250 and found.chunk_median < 250 and found.memory < 100


def test_two_hundred_answers_stream_at_once_through_one_worker(app, figures):
    assert figures.complete == streams.STREAMS
    assert keeps(figures), str(figures)
