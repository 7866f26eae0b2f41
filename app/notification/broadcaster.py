"""The broadcaster of a process: one subscription and one query serve all of its streams.

A stream is a queue and a cursor in its user's order of notifications. One query fetches new events for all signalled
users, from each user's oldest cursor, and the broadcaster puts them into the queues. Nothing depends on a signal having
arrived: after a silence of Redis, and once a minute anyway, the query covers every user with a stream.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from uuid import UUID

from flask import Flask

from app.engine.declare.principal import Principal
from app.foundation import origin
from app.foundation.errors import Failure, Forbidden, RateLimited, require_found
from app.notification import streams
from app.runtime.metrics import STREAMS
from app.runtime.pubsub import Signals

log = logging.getLogger(__name__)

HEARTBEAT = 15.0
# A stream ends after so many seconds, at a moment of its own, and its client comes back.
MAX_SECONDS, JITTER = 1500.0, 300.0
# How often everybody is asked for, how often credentials are checked, and how long a failed look waits.
POLL_ALL_EVERY, CHECK_EVERY, RETRY_AFTER = 60.0, 5.0, 1.0
# How long signals are gathered before one query is made for all of them, and how long to sleep without any.
BATCH_DELAY, WAKE_EVERY = 0.02, 0.5
USERS_PER_QUERY = 2000
# How many events may wait for a client that does not read.
MAX_WAITING = 1000
RETRY = b"retry: 3000\n"
BEAT = b": hb\n\n"
BYE = b"event: bye\ndata: {}\n\n"
RESET = b"event: reset\ndata: {}\n\n"


class Stream:
    """One open stream, as the server iterates over it."""

    __slots__ = ("_broadcaster", "_ends_at", "address", "cursor", "principal", "queue", "user_id")

    def __init__(self, broadcaster: Broadcaster, principal: Principal, user_id: UUID) -> None:
        self._broadcaster = broadcaster
        self.user_id = user_id
        self._ends_at = time.monotonic() + MAX_SECONDS + random.uniform(0, JITTER)  # noqa: S311 - no secret
        self.principal = principal
        self.address = origin.address()
        self.queue: SimpleQueue[bytes | None] = SimpleQueue()
        self.cursor: int | None = None

    def __iter__(self) -> Iterator[bytes]:
        while True:
            try:
                sent = self.queue.get(timeout=HEARTBEAT)
            except Empty:
                sent = BEAT if time.monotonic() < self._ends_at else None
            if sent is None or time.monotonic() > self._ends_at:
                yield BYE
                return
            yield sent

    def close(self) -> None:
        """Forget the stream; its client has gone, or it has ended."""
        self._broadcaster.remove(self)


def init_app(app: Flask) -> None:
    """Let ``app`` stream to its users."""
    app.extensions["broadcaster"] = Broadcaster(app, app.config["SETTINGS"].streams_per_user)


class Broadcaster:
    """Every open stream of the process, by user."""

    def __init__(self, app: Flask, most_per_user: int) -> None:
        self._app = app
        self._signals: Signals = app.extensions["signals"]
        self._most = most_per_user
        self._streams: dict[UUID, list[Stream]] = defaultdict(list)
        self._due: set[UUID] = set()
        self._woken = threading.Event()
        self._starting = threading.Lock()
        self._started = False

    def open(self, principal: Principal, last: int | None) -> Stream:
        """Open a stream that begins after event ``last``; raises Forbidden for a caller who is nobody, and RateLimited
        for one too many of a user."""
        user_id = require_found(principal.user_id, Forbidden)
        self._start()
        stream = Stream(self, principal, user_id)
        if len(self._streams[stream.user_id]) >= self._most:
            raise RateLimited("Too many open streams", headers={"Retry-After": "30"})
        self._streams[stream.user_id].append(stream)
        STREAMS.inc()
        try:
            self._begin(stream, last)
        except BaseException:
            stream.close()
            raise
        return stream

    def remove(self, stream: Stream) -> None:
        own = self._streams.get(stream.user_id, [])
        if stream in own:
            own.remove(stream)
            STREAMS.dec()
        if not own:
            self._streams.pop(stream.user_id, None)

    def _begin(self, stream: Stream, last: int | None) -> None:
        missed = streams.replay(stream.user_id, last)
        ready = b'event: ready\nid: %d\ndata: {"sequence":%d}\n\n'
        cursor = missed.cursor if last is None or not missed.complete else last
        stream.queue.put(RETRY + (b"" if missed.complete else RESET) + ready % (cursor, cursor))
        for event in missed.events:
            stream.queue.put(event.sent)
        stream.cursor = missed.cursor
        if missed.events:
            streams.mark_delivered(missed.events)
        # What was committed since, and signalled while the stream had no cursor yet.
        self.wake({stream.user_id})

    def _start(self) -> None:
        with self._starting:
            if not self._started:
                self._started = True
                for work in (self._listen, self._dispatch):
                    threading.Thread(target=work, name=f"live{work.__name__}", daemon=True).start()

    def wake(self, user_ids: set[UUID]) -> None:
        self._due |= user_ids
        self._woken.set()

    def _is_stopping(self) -> bool:
        """Whether the server has told the process to end."""
        asked = self._app.extensions.get("is_stopping")
        return asked is not None and asked()

    def _listen(self) -> None:
        for users in self._signals.subscribe():
            news = set(self._streams) if users is None else users & self._streams.keys()
            if news:
                self.wake(news)

    def _dispatch(self) -> None:
        looked = checked = time.monotonic()
        while True:
            self._woken.wait(WAKE_EVERY)
            if self._is_stopping():
                self._end(list(self._all()))
            if time.monotonic() - looked > POLL_ALL_EVERY:
                looked = time.monotonic()
                self._due |= set(self._streams)
            try:
                if self._due:
                    time.sleep(BATCH_DELAY)
                    self.poll()
                if time.monotonic() - checked > CHECK_EVERY:
                    checked = time.monotonic()
                    self._check()
            except Failure as failure:
                log.warning("Streams wait for the database: %s", failure.text)
                time.sleep(RETRY_AFTER)
            except Exception:
                log.exception("Streams are not fed")
                time.sleep(RETRY_AFTER)

    def poll(self) -> None:
        """Ask for whoever is due, and put what is new into the queues."""
        self._woken.clear()
        due, self._due = self._due, set()
        try:
            waiting = list(due)
            for start in range(0, len(waiting), USERS_PER_QUERY):
                self._deliver(self._cursors(waiting[start : start + USERS_PER_QUERY]))
        except BaseException:
            self._due |= due
            raise

    def _cursors(self, user_ids: list[UUID]) -> dict[UUID, int]:
        """For each user, the cursor of the stream that is furthest behind."""
        found = {}
        for user_id in user_ids:
            cursors = [each.cursor for each in self._streams.get(user_id, ()) if each.cursor is not None]
            if cursors:
                found[user_id] = min(cursors)
        return found

    def _deliver(self, cursors: dict[UUID, int]) -> None:
        if not cursors:
            return
        with self._app.app_context():
            found = streams.since(cursors)
            for event in found:
                # A stream that is full ends, which takes it out of the list.
                for stream in tuple(self._streams.get(event.user_id, ())):
                    if stream.cursor is not None and event.sequence > stream.cursor:
                        stream.cursor = event.sequence
                        self._put(stream, event.sent)
            if found:
                streams.mark_delivered(found)
            if len(found) == streams.BATCH_SIZE:
                self.wake(set(cursors))

    def _put(self, stream: Stream, sent: bytes) -> None:
        """Give an event to a stream; one that is not read any more ends, and its client comes back for the rest."""
        if stream.queue.qsize() < MAX_WAITING:
            stream.queue.put(sent)
        else:
            self._end([stream])

    def _check(self) -> None:
        """End the streams whose credential has ended."""
        opened = list(self._all())
        with self._app.app_context():
            for start in range(0, len(opened), USERS_PER_QUERY):
                some = opened[start : start + USERS_PER_QUERY]
                good = streams.still_valid([(each.principal, each.address) for each in some])
                self._end([each for each in some if (each.principal.credential_id, each.address) not in good])

    def _all(self) -> Iterator[Stream]:
        for own in list(self._streams.values()):
            yield from own

    def _end(self, streams: list[Stream]) -> None:
        for stream in streams:
            with suppress(Empty):
                while True:
                    stream.queue.get_nowait()
            stream.queue.put(None)
            self.remove(stream)
