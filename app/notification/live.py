"""Notifications as they happen: a stream has a place in its user's order of them, and goes on from there."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from flask import Flask

from app.engine.declare.principal import Principal
from app.foundation.errors import Forbidden, require_found
from app.live.broadcaster import Broadcaster
from app.live.stream import RESET, RETRY, Stream
from app.notification import streams

READY = b'event: ready\nid: %d\ndata: {"sequence":%d}\n\n'


class NotificationStream(Stream):
    """What a user is told, behind the notification ``last``, or from now on."""

    __slots__ = ("last",)

    def __init__(self, principal: Principal, last: int | None) -> None:
        super().__init__(principal)
        self.last = last


class Notifications:
    """Brings notifications to the streams of their users."""

    poll_every, check_every, per_look, per_check = 60.0, 5.0, 2000, 2000

    def begin(self, stream: NotificationStream) -> None:
        missed = streams.replay(require_found(stream.principal.user_id, Forbidden), stream.last)
        cursor = missed.cursor if stream.last is None or not missed.complete else stream.last
        stream.put(RETRY + (b"" if missed.complete else RESET) + READY % (cursor, cursor))
        for event in missed.events:
            stream.put(event.sent)
        stream.cursor = missed.cursor
        if missed.events:
            streams.mark_delivered(missed.events)

    def deliver(self, opened: Sequence[NotificationStream]) -> bool:
        by_user: dict[UUID, list[NotificationStream]] = {}
        for stream in opened:
            by_user.setdefault(stream.owner, []).append(stream)
        # For each user, from the stream on that is furthest behind.
        found = streams.since({user: min(each.cursor for each in own) for user, own in by_user.items()})
        for event in found:
            for stream in by_user[event.user_id]:
                if event.sequence > stream.cursor:
                    stream.cursor = event.sequence
                    stream.put(event.sent)
        if found:
            streams.mark_delivered(found)
        return len(found) == streams.BATCH_SIZE

    def check(self, opened: Sequence[NotificationStream]) -> None:
        good = streams.still_valid([(each.principal, each.address) for each in opened])
        for stream in opened:
            if (stream.principal.credential_id, stream.address) not in good:
                stream.end()

    def forget(self, stream: NotificationStream) -> None:
        """Nothing is kept of a stream."""


def init_app(app: Flask) -> None:
    """Let ``app`` stream notifications to its users."""
    app.extensions["live_notifications"] = Broadcaster(app, Notifications(), app.extensions["signals"])
