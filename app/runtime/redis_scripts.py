"""Scripts in Redis: one round trip for all that a script does, on connections that stay open.

The client of redis-py connects, authenticates and reads answers. What it does around each command (a pool, retries,
measurements, health checks) took twice as long as a short script itself, so commands go to its connections directly.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any

import redis
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import NoScriptError, RedisError

# Requests beyond these wait for a connection, this long.
MAX_CONNECTIONS, WAIT = 64, 1.0

Word = str | bytes | int


class AllInUse(RedisError):
    """No connection was free in time, of a Redis that may be there."""


class Script:
    """A script by its text (Lua), and by the digest under which Redis keeps it."""

    __slots__ = ("digest", "text")

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.digest = sha1(text, usedforsecurity=False).hexdigest()


@dataclass
class RedisScripts:
    """Runs scripts through connections like those of ``client``."""

    client: redis.Redis
    _idle: list[Any] = field(default_factory=list)
    _opened: int = 0
    _waiting: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def run(self, script: Script, words: Sequence[Word], *, again: bool = True) -> Any:
        """Return what ``script`` answers to ``words``: the number of its keys, the keys, and the arguments. Where the
        answer is lost it may have run, and is run ``again`` unless that would do harm. Raises RedisError, and
        AllInUse."""
        command = packed("EVALSHA", script.digest, *words)
        while True:
            connection, is_fresh = self._taken()
            try:
                answer = self._answer(connection, command, script, words)
            except ConnectionLost:
                self._drop(connection)
                if is_fresh or not again:
                    raise
                # The server may have ended what was kept; one that is opened now tells whether it is there.
            except BaseException:
                self._drop(connection)
                raise
            else:
                self._give_back(connection)
                return answer

    def _answer(self, connection: Any, command: list[bytes], script: Script, words: Sequence[Word]) -> Any:
        connection.send_packed_command(command, check_health=False)
        try:
            return connection.read_response()
        except NoScriptError:  # Redis has been started since, and knows it from now on
            connection.send_packed_command(packed("EVAL", script.text, *words), check_health=False)
            return connection.read_response()

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


def packed(*words: Word) -> list[bytes]:
    """A command as Redis reads it (RESP, arrays of bulk strings), in one chunk."""
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        text = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(text), text))
    return [b"".join(parts)]
