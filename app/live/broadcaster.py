"""The broadcaster of a process: one subscription and one look serve all of its streams of a kind.

Their events come from a source, which brings what is new to the streams of all signalled owners at once. Nothing
depends on a signal having arrived: after a silence of Redis, and from time to time anyway, it looks for every stream.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from flask import Flask

from app.foundation.errors import Failure, RateLimited
from app.live.stream import Stream
from app.runtime.metrics import STREAMS
from app.runtime.pubsub import Signals

log = logging.getLogger(__name__)

# How long a failed look waits.
RETRY_AFTER = 1.0
# How long signals are gathered before one look is made for all of them, and how long to sleep without any.
BATCH_DELAY, WAKE_EVERY = 0.02, 0.5

S = TypeVar("S", bound=Stream)
Opened = TypeVar("Opened", bound=Stream, contravariant=True)


class Source(Protocol[Opened]):
    """Where the events of streams come from. Every ``poll_every`` seconds it is asked for all of them, and every
    ``check_every`` seconds whether their callers may go on."""

    poll_every: float
    check_every: float
    # Streams that are served, and checked, at once.
    per_look: int
    per_check: int

    def begin(self, stream: Opened) -> None:
        """Greet a stream, and bring it to a place."""

    def deliver(self, streams: Sequence[Opened]) -> bool:
        """Bring what is new to streams that have begun; return whether there is more by now."""

    def check(self, streams: Sequence[Opened]) -> None:
        """End the streams whose credential has ended."""

    def forget(self, stream: Opened) -> None:
        """Let go of a stream that has ended."""


class Broadcaster(Generic[S]):
    """Every open stream of the process, by owner."""

    def __init__(self, app: Flask, source: Source[S], signals: Signals) -> None:
        self._app, self._source, self._signals = app, source, signals
        self._most: int = app.config["SETTINGS"].streams_per_user
        self._streams: dict[UUID, list[S]] = defaultdict(list)
        self._due: set[UUID] = set()
        self._are_all_due = False
        self._woken = threading.Event()
        self._starting = threading.Lock()
        self._started = False

    def open(self, stream: S) -> S:
        """Let a stream begin, and return it; raises RateLimited for one too many of its owner."""
        self._start()
        own = self._streams[stream.owner]
        if len(own) >= self._most:
            raise RateLimited("Too many open streams", headers={"Retry-After": "30"})
        own.append(stream)
        stream.forget = self._remove
        STREAMS.inc()
        try:
            self._source.begin(stream)
        except BaseException:
            stream.close()
            raise
        # What was committed since, and signalled while the stream had no place yet.
        self.wake({stream.owner})
        return stream

    def wake(self, owners: set[UUID] | None) -> None:
        """Look for what is new to the streams of ``owners``, or to all."""
        if owners is None:
            self._are_all_due = True
        else:
            self._due |= owners
        self._woken.set()

    def _remove(self, stream: S) -> None:
        own = self._streams.get(stream.owner, [])
        if stream in own:
            own.remove(stream)
            STREAMS.dec()
            self._source.forget(stream)
        if not own:
            self._streams.pop(stream.owner, None)

    def _start(self) -> None:
        with self._starting:
            if not self._started:
                self._started = True
                for work in (self._listen, self._dispatch):
                    threading.Thread(target=work, name=f"live{work.__name__}", daemon=True).start()

    def _is_stopping(self) -> bool:
        """Whether the server has told the process to end."""
        asked = self._app.extensions.get("is_stopping")
        return asked is not None and asked()

    def _listen(self) -> None:
        for owners in self._signals.subscribe():
            news = owners if owners is None else owners & self._streams.keys()
            if news or (news is None and self._streams):
                self.wake(news)

    def _dispatch(self) -> None:
        looked = checked = time.monotonic()
        while True:
            self._woken.wait(WAKE_EVERY)
            if self._is_stopping():
                for stream in list(self._all()):
                    stream.end()
            if time.monotonic() - looked > self._source.poll_every:
                looked = time.monotonic()
                self._are_all_due = True
            try:
                if self._due or self._are_all_due:
                    time.sleep(BATCH_DELAY)
                    self.poll()
                if time.monotonic() - checked > self._source.check_every:
                    checked = time.monotonic()
                    self._check()
            except Failure as failure:
                log.warning("Streams wait for the database: %s", failure.text)
                time.sleep(RETRY_AFTER)
            except Exception:
                log.exception("Streams are not fed")
                time.sleep(RETRY_AFTER)

    def poll(self) -> None:
        """Bring what is new to the streams of whoever is due."""
        self._woken.clear()
        due, are_all = self._due, self._are_all_due
        self._due, self._are_all_due = set(), False
        try:
            some_of = self._streams.values() if are_all else [self._streams.get(owner, ()) for owner in due]
            # A list of its own: a stream that is full ends, which takes it out of these.
            waiting = [stream for own in list(some_of) for stream in own if stream.cursor is not None]
            for some in _batches(waiting, self._source.per_look):
                with self._app.app_context():
                    if self._source.deliver(some):
                        self.wake(None if are_all else due)
        except BaseException:
            self._due |= due
            self._are_all_due |= are_all
            raise

    def _check(self) -> None:
        for some in _batches(list(self._all()), self._source.per_check):
            with self._app.app_context():
                self._source.check(some)
            if self._due or self._are_all_due:
                self.poll()  # what is new does not wait until all are checked
            time.sleep(0)  # others have their turn

    def _all(self) -> Iterator[S]:
        return chain.from_iterable(list(self._streams.values()))


def _batches(streams: list[S], most: int) -> Iterator[list[S]]:
    for start in range(0, len(streams), most):
        yield streams[start : start + most]
