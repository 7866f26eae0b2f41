"""One open stream, as the server iterates over it: a bounded queue of events, with a sign of life in between."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any
from uuid import UUID

from app.engine.declare.principal import Principal
from app.foundation import origin

HEARTBEAT = 15.0
# A stream ends after so many seconds, at a moment of its own, and its client comes back.
MAX_SECONDS, JITTER = 1500.0, 300.0
# How many events, and bytes, may wait for a client that does not read.
MAX_WAITING, MAX_WAITING_BYTES = 1000, 4 * 1024 * 1024
RETRY = b"retry: 3000\n"
BEAT = b": hb\n\n"
BYE = b"event: bye\ndata: {}\n\n"
RESET = b"event: reset\ndata: {}\n\n"


class Stream:
    """What a caller hears. ``cursor`` is the place that it has reached, None until it has begun."""

    __slots__ = (
        "_ends_at", "_waiting", "address", "cursor", "farewell", "forget", "is_open", "missed", "principal", "queue",
    )  # fmt: skip

    def __init__(self, principal: Principal) -> None:
        self._ends_at = time.monotonic() + MAX_SECONDS + random.uniform(0, JITTER)  # noqa: S311 - no secret
        self._waiting = 0
        self.principal = principal
        self.address = origin.address()
        self.queue: SimpleQueue[tuple[bytes, ...] | None] = SimpleQueue()
        self.cursor: Any = None
        self.is_open = True
        # What is sent at the end.
        self.farewell = BYE
        # What is sent before that which waits, made while it is sent.
        self.missed: Iterable[bytes] = ()
        # Has who carries the stream let go of it.
        self.forget: Callable[[Any], None] = lambda _: None

    @property
    def owner(self) -> UUID:
        """Whose stream it is: the user, or the key of nobody."""
        return self.principal.user_id or self.principal.credential_id

    @property
    def has_room(self) -> bool:
        """Whether its client reads fast enough to be sent more of what it has missed."""
        return self.queue.qsize() <= MAX_WAITING // 2 and self._waiting <= MAX_WAITING_BYTES // 2

    def __iter__(self) -> Iterator[bytes]:
        yield from self.missed
        while True:
            try:
                sent = self.take(HEARTBEAT)
            except Empty:
                sent = BEAT
            if sent is None or time.monotonic() > self._ends_at:
                yield self.farewell
                return
            yield sent

    def take(self, timeout: float) -> bytes | None:
        """Return what is to be sent next, None at the end; raises Empty where nothing comes in so many seconds."""
        parts = self.queue.get(timeout=timeout)
        if parts is None:
            return None
        sent = b"".join(parts)
        self._waiting -= len(sent)
        return sent

    def put(self, *parts: bytes) -> None:
        """Send an event, whose parts other streams may have as well. Where too much waits, the stream ends behind that,
        and its client comes back for the rest."""
        size = sum(map(len, parts))
        waiting = self.queue.qsize()
        if waiting and (waiting >= MAX_WAITING or self._waiting + size > MAX_WAITING_BYTES):
            self.queue.put(None)
            self.close()
        elif self.is_open:
            self._waiting += size
            self.queue.put(parts)

    def end(self) -> None:
        """Send nothing more, not even what waits, and say goodbye."""
        with suppress(Empty):
            while True:
                self.queue.get_nowait()
        self.queue.put(None)
        self.close()

    def close(self) -> None:
        """Forget the stream; its client has gone, or it has ended."""
        if self.is_open:
            self.is_open = False
            self.forget(self)
