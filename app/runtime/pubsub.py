"""Pubsub over Redis: a signal says that a user has new events, or that something has changed.

Signals carry nothing else and may be lost: the database is the truth, and it is polled from time to time.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import redis
from flask import Flask, current_app
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

log = logging.getLogger(__name__)

NOTIFIED, CHANGED = "rowgate:notified", "rowgate:changed"
EVERYBODY = "*"
# Seconds without Redis before it is tried again, how long one listens before looking up, and how long Redis may take.
PAUSE, LISTEN = 2.0, 0.5
TIMEOUT = 1.0
# After so many seconds without a word Redis is asked for one, and after so many it counts as lost.
PING_AFTER, LOST_AFTER = 2.0, 4.0
# Users who are waiting to be told of; when there are more, everybody is.
MAX_UNSENT = 10_000
# How long changes are gathered before they are told of as one: longer where nobody has listened. How long their thread
# waits for further ones.
GATHERED, UNHEARD, IDLE = 0.02, 1.0, 10.0


@dataclass
class Signals:
    """The sending and the hearing end in one process."""

    url: str
    channel: str = NOTIFIED
    _unsent: set[str] = field(default_factory=set)
    _sending: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        # Whether to try again is decided here; the client's own tries would keep a request waiting.
        self.client = redis.Redis.from_url(
            self.url, socket_connect_timeout=TIMEOUT, socket_timeout=TIMEOUT, retry=Retry(NoBackoff(), 0)
        )

    def send(self, user_ids: Iterable[UUID]) -> None:
        """Tell every process that these users have something new; while Redis is away, as soon as it is back."""
        self._send(set(map(str, user_ids)))

    def send_to_all(self) -> bool:
        """Tell every process to look for everybody; return whether any has heard it."""
        return self._send({EVERYBODY})

    def _send(self, names: set[str]) -> bool:
        if not self._unsent and (heard := self._published(names)) is not None:
            return heard > 0
        with self._sending:
            begin = not self._unsent
            self._unsent |= names if len(self._unsent) < MAX_UNSENT else {EVERYBODY}
        if begin:
            threading.Thread(target=self._send_again, name="signals", daemon=True).start()
        return False

    def _published(self, names: set[str]) -> int | None:
        """Publish, and return how many have heard it; None where Redis is away."""
        try:
            heard: int = self.client.publish(self.channel, EVERYBODY if EVERYBODY in names else ",".join(names))
        except RedisError as error:
            log.warning("Redis is away, what is new is found by looking: %s", type(error).__name__)
            return None
        return heard

    def _send_again(self) -> None:
        """Send what could not be sent, once Redis answers."""
        while self._unsent:
            time.sleep(PAUSE)
            names = set(self._unsent)
            if self._published(names) is not None:
                with self._sending:
                    self._unsent -= names

    def subscribe(self) -> Iterator[set[UUID] | None]:
        """What is told, as it comes; an empty set now and then, and None when something may have been missed: at the
        beginning, and again and again while Redis does not answer."""
        while True:
            try:
                with self.client.pubsub() as ear:  # type: ignore[no-untyped-call]
                    yield from _listening(ear, self.channel)
            except RedisError:
                yield None
                time.sleep(PAUSE)


def _listening(ear: Any, channel: str) -> Iterator[set[UUID] | None]:
    """What comes over one subscription; raises RedisError when Redis has not said a word for too long."""
    ear.subscribe(channel)
    heard_at = asked_at = time.monotonic()
    while True:
        message = ear.get_message(timeout=LISTEN)
        now = time.monotonic()
        if message is not None:
            heard_at = now
        elif now - heard_at > LOST_AFTER:
            raise redis.TimeoutError("Redis is silent")
        elif now - max(heard_at, asked_at) > PING_AFTER:
            asked_at = now
            ear.ping()
        yield _users_of(message)


def _users_of(message: dict[str, Any] | None) -> set[UUID] | None:
    """The users of a message. Nothing is lost from the moment on that the subscription is confirmed."""
    if message is None or message["type"] not in ("message", "subscribe"):
        return set()
    if message["type"] == "subscribe" or message["data"] == EVERYBODY.encode():
        return None
    return {UUID(name) for name in message["data"].decode().split(",")}


class Announcements:
    """Tells every process that something was committed, once for all that was within a moment, and keeps nobody
    waiting for it."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._asked = threading.Event()
        self._process = 0
        self._is_closed = False

    def announce(self) -> None:
        """Have it told."""
        self._asked.set()
        if self._process != os.getpid():  # a thread does not go along with a fork
            self._process = os.getpid()
            threading.Thread(target=self._send, name="announcements", daemon=True).start()

    def close(self) -> None:
        """Tell nothing more, as the process ends, and maybe Redis with it."""
        self._is_closed = True
        self._asked.set()

    def _send(self) -> None:
        # What is asked for in the moment of its end is told of with the next, or found by looking.
        while self._asked.wait(IDLE) and not self._is_closed:
            time.sleep(GATHERED)
            self._asked.clear()
            if not self._signals.send_to_all():
                time.sleep(UNHEARD)
        self._process = 0


def init_app(app: Flask, url: str) -> None:
    """Open the signals of ``app``."""
    app.extensions["signals"] = Signals(url)
    app.extensions["change_signals"] = Signals(url, CHANGED)
    app.extensions["announcements"] = Announcements(app.extensions["change_signals"])


def signals() -> Signals:
    """The signals of the running application."""
    return current_app.extensions["signals"]
