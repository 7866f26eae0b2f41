"""Counting in Redis for every request: one script, one round trip, on connections that stay open.

The client of redis-py connects, authenticates and reads answers. What it does around each command (a pool, retries,
measurements, health checks) took twice as long as the count itself, so commands go to its connections directly.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any, NamedTuple

import redis
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import NoScriptError, RedisError

# Requests beyond these wait for a connection, this long.
MAX_CONNECTIONS, WAIT = 64, 1.0
# Each key is raised by its amount; the first count of a window says when it ends.
SCRIPT = b"""
local counts = {}
for i, key in ipairs(KEYS) do
    local amount = tonumber(ARGV[2 * i - 1])
    counts[i] = redis.call('INCRBY', key, amount)
    if counts[i] == amount then
        redis.call('EXPIRE', key, ARGV[2 * i])
    end
end
return counts
"""
DIGEST = sha1(SCRIPT, usedforsecurity=False).hexdigest()


class AllInUse(RedisError):
    """No connection was free in time, of a Redis that may be there."""


class Hit(NamedTuple):
    """So many to count under a key, in windows of so many seconds."""

    key: str
    amount: int
    window: int


@dataclass
class WindowCounts:
    """Fixed windows counted through connections like those of ``client``."""

    client: redis.Redis
    _idle: list[Any] = field(default_factory=list)
    _opened: int = 0
    _waiting: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def count(self, hits: Sequence[Hit]) -> list[int]:
        """Count ``hits``, and return how many there are by now under each key; raises RedisError, and AllInUse."""
        command = packed("EVALSHA", *_arguments(DIGEST, hits))
        while True:
            connection, is_fresh = self._taken()
            try:
                answer = self._asked(connection, command, hits)
            except ConnectionLost:
                self._drop(connection)
                if is_fresh:
                    raise
                # The server may have ended what was kept; one that is opened now tells whether it is there.
            except BaseException:
                self._drop(connection)
                raise
            else:
                self._give_back(connection)
                return answer

    def _asked(self, connection: Any, command: list[bytes], hits: Sequence[Hit]) -> list[int]:
        connection.send_packed_command(command, check_health=False)
        try:
            answer: list[int] = connection.read_response()
        except NoScriptError:  # Redis has been started since, and knows it from now on
            connection.send_packed_command(packed("EVAL", *_arguments(SCRIPT, hits)), check_health=False)
            answer = connection.read_response()
        return answer

    def _taken(self) -> tuple[Any, bool]:
        """A connection that nobody else uses, and whether it is a new one."""
        with suppress(IndexError):
            return self._idle.pop(), False
        with self._changed:
            end = time.monotonic() + WAIT
            while self._opened >= MAX_CONNECTIONS:
                self._waiting += 1
                try:
                    is_told = self._changed.wait(max(0.0, end - time.monotonic()))
                finally:
                    self._waiting -= 1
                with suppress(IndexError):
                    return self._idle.pop(), False
                if not is_told:
                    raise AllInUse()
            self._opened += 1
        pool = self.client.connection_pool
        return pool.connection_class(**pool.connection_kwargs), True

    def _give_back(self, connection: Any) -> None:
        self._idle.append(connection)
        if self._waiting:
            with self._changed:
                self._changed.notify()

    def _drop(self, connection: Any) -> None:
        with self._changed:
            self._opened -= 1
            self._changed.notify()
        with suppress(RedisError, OSError):
            connection.disconnect()


def _arguments(script: str | bytes, hits: Sequence[Hit]) -> list[str | bytes | int]:
    given: list[str | bytes | int] = [script, len(hits), *(hit.key for hit in hits)]
    for hit in hits:
        given += (hit.amount, hit.window)
    return given


def packed(*words: str | bytes | int) -> list[bytes]:
    """A command as Redis reads it (RESP, arrays of bulk strings), in one chunk."""
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        text = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(text), text))
    return [b"".join(parts)]
