"""Streams of one user beside each other: one that is full ends, and costs the others nothing."""

from __future__ import annotations

from app.engine.declare.principal import Credential, Principal
from app.live import stream as streams_of
from app.notification.live import Notifications, NotificationStream
from app.notification.routing import notify
from app.testing.database import unit_of_work
from app.testing.waiting import await_true


def opened(app, owner, number):
    principal = Principal(Credential.SESSION, owner.user_id, frozenset({"read"}), owner.user_id)
    broadcaster = app.extensions["live_notifications"]
    with app.test_request_context():
        return [broadcaster.open(NotificationStream(principal, None)) for _ in range(number)]


def waiting(stream):
    """What a stream has in its queue, as text."""
    sent = []
    while not stream.queue.empty():
        sent.append(stream.take(1))
    return b"".join(filter(None, sent)).decode()


def test_a_full_stream_ends_and_those_beside_it_miss_nothing(app, cast, monkeypatch):
    owner = cast.user()
    monkeypatch.setattr(Notifications, "check_every", 3600)  # the principals have no session
    full, *healthy = opened(app, owner, 3)
    for stream in healthy:
        waiting(stream)
    monkeypatch.setattr(streams_of, "MAX_WAITING", 1)
    # The first one has its greeting in the queue still, which leaves no room.
    with app.app_context(), unit_of_work() as unit:
        notify(unit, owner.user_id, "MESSAGE", "For everybody")
    await_true(lambda: all(stream.queue.qsize() for stream in healthy))
    assert [waiting(stream).count("For everybody") for stream in healthy] == [1, 1]
    assert "event: ready" in waiting(full)
    assert not full.is_open
