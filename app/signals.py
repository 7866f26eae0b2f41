"""Signals between processes over Redis: that a user has something new. They carry nothing else, and may be lost: the
database is the truth, whoever hears one looks there, and looks there anyway from time to time."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from uuid import UUID

import redis
from flask import Flask, current_app
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

CHANNEL = "rowgate:notified"
# Seconds without Redis before it is tried again, how long one listens before looking up, and how long Redis may take.
PAUSE, LISTEN = 2.0, 0.5
TIMEOUT = 1.0


@dataclass
class Signals:
    """The sending and the hearing end in one process."""

    url: str
    resumes_at: float = 0.0

    def __post_init__(self) -> None:
        self._client = redis.Redis.from_url(self.url, socket_connect_timeout=TIMEOUT, socket_timeout=TIMEOUT)

    def send(self, user_ids: Iterable[UUID]) -> None:
        """Tell every process that these users have something new; without Redis they find out later."""
        if time.monotonic() < self.resumes_at:
            return
        try:
            self._client.publish(CHANNEL, ",".join(map(str, user_ids)))
        except RedisError as error:
            self.resumes_at = time.monotonic() + PAUSE
            log.warning("Redis is away, notifications are found by looking: %s", type(error).__name__)

    def heard(self) -> Iterator[set[UUID] | None]:
        """What is told, as it comes; an empty set now and then, and None when something may have been missed: at the
        beginning and whenever the connection was lost, and again when those who could not send try again."""
        while True:
            try:
                with self._client.pubsub(ignore_subscribe_messages=True) as ear:  # type: ignore[no-untyped-call]
                    ear.subscribe(CHANNEL)
                    yield None
                    silent_until = time.monotonic() + PAUSE + TIMEOUT
                    while True:
                        message = ear.get_message(timeout=LISTEN)
                        if time.monotonic() > silent_until:
                            silent_until = inf
                            yield None
                        yield {UUID(name) for name in message["data"].decode().split(",")} if message else set()
            except (RedisError, ValueError):
                yield None
                time.sleep(PAUSE)


def init_app(app: Flask, url: str) -> None:
    """Open the signals of ``app``."""
    app.extensions["signals"] = Signals(url)


def signals() -> Signals:
    """The signals of the running application."""
    opened: Signals = current_app.extensions["signals"]
    return opened
