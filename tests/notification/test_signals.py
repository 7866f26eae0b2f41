"""The signals that make streams look: what a listener is told when some may have been lost."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from uuid import uuid4

import pytest

from app.runtime import pubsub
from app.runtime.embedded import Redis
from app.runtime.pubsub import Signals
from app.testing.waiting import await_true


@pytest.fixture
def server(tmp_path_factory):
    """A Redis of the test's own, which may be frozen."""
    redis = Redis(str(tmp_path_factory.mktemp("redis")))
    redis.start()
    yield redis
    os.kill(redis.process_id, signal.SIGCONT)
    redis.stop()


@pytest.fixture
def ends(server):
    """A sender and a listener, as two processes have them."""
    url = f"unix://{server.socket}"
    return Signals(url), Signals(url)


def next_told(heard):
    """What the listener is told next that is no mere sign of life."""
    return next(each for each in heard if each != set())


def test_a_listener_looks_when_its_subscription_is_confirmed_and_hears_all_from_then_on(ends):
    sender, listener = ends
    user_id = uuid4()
    with closing(listener.subscribe()) as heard:
        assert next(heard) is None
        sender.send([user_id])
        assert next_told(heard) == {user_id}


@pytest.mark.alone
def test_a_listener_looks_within_five_seconds_again_and_again_while_redis_is_frozen(ends, server):
    _, listener = ends
    with closing(listener.subscribe()) as heard:
        assert next(heard) is None
        os.kill(server.process_id, signal.SIGSTOP)
        for _ in range(2):
            begun = time.monotonic()
            assert next_told(heard) is None
            assert time.monotonic() - begun < 5.5


@pytest.mark.full
def test_what_could_not_be_sent_while_redis_was_frozen_is_sent_when_it_is_back(ends, server):
    sender, listener = ends
    user_ids = [uuid4(), uuid4()]
    with closing(listener.subscribe()) as heard:
        assert next(heard) is None
        os.kill(server.process_id, signal.SIGSTOP)
        for user_id in user_ids:
            sender.send([user_id])
        os.kill(server.process_id, signal.SIGCONT)
        told = set()
        while not told.issuperset(user_ids):
            told |= next_told(heard) or set()
    await_true(lambda: not sender._unsent)


@pytest.mark.alone
def test_a_sender_waits_for_a_frozen_redis_once_and_briefly(ends, server):
    sender, _ = ends
    os.kill(server.process_id, signal.SIGSTOP)
    begun = time.monotonic()
    for _ in range(50):
        sender.send([uuid4()])
    assert time.monotonic() - begun < 2 * pubsub.TIMEOUT


@pytest.mark.full
def test_of_too_many_users_everybody_is_told(ends, server, monkeypatch):
    monkeypatch.setattr(pubsub, "MAX_UNSENT", 1)
    sender, listener = ends
    os.kill(server.process_id, signal.SIGSTOP)
    for _ in range(3):
        sender.send([uuid4()])
    os.kill(server.process_id, signal.SIGCONT)
    with closing(listener.subscribe()) as heard:
        assert next(heard) is None
        assert next_told(heard) is None
