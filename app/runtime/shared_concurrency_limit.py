"""Slots for expensive work, counted over all workers: so many of one caller at a time, so many of all, and so many
seconds of one caller in a minute.

The count is in Redis. While that is away each process counts for itself.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from app.foundation.errors import Failure, RateLimited, Unavailable
from app.runtime.concurrency_limit import ConcurrencyLimit
from app.runtime.metrics import REFUSALS
from app.runtime.rate_limits import Counter
from app.runtime.redis_scripts import Script, Word

# Seconds after which the slots of a process that was killed are free again; whoever works longer renews them.
LEASE = 6.0
# Seconds until another look for a slot that a process elsewhere holds: most work is short, and what is not is waited
# for with ever fewer looks.
FIRST_LOOK, LAST_LOOK = 0.002, 0.05
# Seconds over which the use of one caller is summed up.
WINDOW = 60
UNLIMITED = 86_400.0
TAKEN, FULL_FOR_CALLER, FULL, SPENT, TAKEN_HERE = range(5)

# KEYS: the slots of the caller, those of all, what the caller has used. ARGV: the token, the bounds of the first two,
# milliseconds of the lease, and those that the caller may use.
TAKE = Script(b"""
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if tonumber(redis.call('GET', KEYS[3]) or '0') >= tonumber(ARGV[5]) then
    return {3, redis.call('PTTL', KEYS[3])}
end
for i = 1, 2 do
    redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now)
    if redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[i + 1]) and not redis.call('ZSCORE', KEYS[i], ARGV[1]) then
        return {i, 0}
    end
end
for i = 1, 2 do
    redis.call('ZADD', KEYS[i], now + ARGV[4], ARGV[1])
    redis.call('PEXPIRE', KEYS[i], ARGV[4] * 2)
end
return {0, 0}
""")
# KEYS: as above. ARGV: the token, the milliseconds that were used, and those of the window.
GIVE_BACK = Script(b"""
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if redis.call('INCRBY', KEYS[3], ARGV[2]) == tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[3], ARGV[3])
end
""")
# KEYS: the slots of all, then those of the caller of each token. ARGV: milliseconds of the lease, then the tokens.
RENEW = Script(b"""
local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
for i = 2, #KEYS do
    redis.call('ZADD', KEYS[1], ends, ARGV[i])
    redis.call('ZADD', KEYS[i], ends, ARGV[i])
    redis.call('PEXPIRE', KEYS[i], ARGV[1] * 2)
end
redis.call('PEXPIRE', KEYS[1], ARGV[1] * 2)
""")

_has_slot: ContextVar[bool] = ContextVar("has_slot", default=False)


@contextmanager
def without_concurrency_limit() -> Iterator[None]:
    """Have the work of this context take none, as that of jobs, which are bounded by how many run at a time."""
    held = _has_slot.set(True)
    try:
        yield
    finally:
        _has_slot.reset(held)


@dataclass
class SharedConcurrencyLimit:
    """At most ``each`` pieces of work of one caller at a time and ``total`` of all, called ``name`` in refusals. A
    caller who has worked for ``seconds`` within a minute, and whoever finds no slot within ``wait`` seconds, is
    refused, and told to come again after ``retry_after``. Work within work that has a slot takes none of its own."""

    counter: Counter
    name: str
    each: int
    total: int
    seconds: float = UNLIMITED
    wait: float = 1.0
    retry_after: int = 1
    _held: dict[str, str] = field(default_factory=dict)
    _is_renewing: bool = False
    _lock: Any = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        # Those of this process wait in line here, so that few of them ask Redis again and again.
        self._line = ConcurrencyLimit(self.each, self.wait, lambda: self._refusal(FULL_FOR_CALLER))
        self._alone = ConcurrencyLimit(self.total, 0.0, lambda: self._refusal(FULL), self.total)

    @contextmanager
    def of(self, caller: str) -> Iterator[None]:
        """Take a slot for ``caller`` while the work lasts; raises RateLimited and Unavailable."""
        if _has_slot.get():
            yield
            return
        with self.taken(caller), without_concurrency_limit():
            yield

    @contextmanager
    def taken(self, caller: str) -> Iterator[None]:
        """Take a slot for ``caller``, whatever slots it has already, until the end of the context."""
        # Those that came together are not refused together: that many refusals at a time would hold up the worker.
        wait = self.wait * random.uniform(0.5, 1)  # noqa: S311 - nothing is kept secret by it
        ends = time.monotonic() + wait
        with self._line.of(caller, wait):
            token = uuid4().hex
            is_shared = self._take(caller, token, ends)
            begun = time.monotonic()
            try:
                if is_shared:
                    yield
                else:
                    with self._alone.of(""):
                        yield
            finally:
                self._give_back(caller, token, time.monotonic() - begun)

    def _take(self, caller: str, token: str, ends: float) -> bool:
        """Take the slot called ``token``, and return whether it is one among all workers."""
        bounds = (self.each, self.total, round(LEASE * 1000), round(self.seconds * 1000))
        words: list[Word] = [3, *self._keys(caller), token, *bounds]
        pause = FIRST_LOOK
        while True:
            state, milliseconds = self._run(TAKE, words, lambda: self._judge_here(caller))
            if state == TAKEN:
                self._hold(token, caller)
            if state in (TAKEN, TAKEN_HERE):
                return bool(state == TAKEN)
            if state == SPENT or time.monotonic() + pause > ends:
                raise self._refusal(state, milliseconds / 1000)
            time.sleep(pause)
            pause = min(2 * pause, LAST_LOOK)

    def _judge_here(self, caller: str) -> Sequence[int]:
        """What the script would say, by what this process knows."""
        key, own = self._keys(caller)[2], self.counter.own
        if own.get(key) >= self.seconds * 1000:
            return SPENT, max(0, round((own.get_expiry(key) - time.time()) * 1000))
        return TAKEN_HERE, 0

    def _give_back(self, caller: str, token: str, seconds: float) -> None:
        with self._lock:
            self._held.pop(token, None)
        used, (*slots, spent) = max(1, round(seconds * 1000)), self._keys(caller)
        words: list[Word] = [3, *slots, spent, token, used, WINDOW * 1000]
        self._run(GIVE_BACK, words, lambda: self.counter.own.incr(spent, WINDOW, used))

    def _hold(self, token: str, caller: str) -> None:
        """Renew the slot until it is given back."""
        with self._lock:
            self._held[token] = caller
            begins, self._is_renewing = not self._is_renewing, True
        if begins:
            threading.Thread(target=self._renew, name="slots", daemon=True).start()

    def _renew(self) -> None:
        while True:
            time.sleep(LEASE / 3)
            with self._lock:
                held = dict(self._held)
                self._is_renewing = bool(held)
            if not held:
                return
            keys = [f"PLACES:{self.name}", *(self._keys(caller)[0] for caller in held.values())]
            words: list[Word] = [len(keys), *keys, round(LEASE * 1000), *held]
            self._run(RENEW, words, lambda: None)

    def _run(self, script: Script, words: Sequence[Word], here: Callable[[], Any]) -> Any:
        return self.counter.shared_or_local(lambda _: self.counter.scripts.run(script, words), lambda _: here())

    def _keys(self, caller: str) -> tuple[str, str, str]:
        return f"PLACES:{self.name}:{caller}", f"PLACES:{self.name}", f"PLACES:{self.name}:{caller}:used"

    def _refusal(self, state: int, seconds: float = 0.0) -> Failure:
        REFUSALS.labels(self.name).inc()
        if state == FULL:
            return Unavailable(f"Too many {self.name} at this moment", self.retry_after)
        if state == SPENT:
            text = f"Your {self.name} have taken {self.seconds:g} seconds within a minute"
            return RateLimited(text, headers={"Retry-After": str(max(1, round(seconds + 0.5)))})
        return RateLimited(
            f"Too many {self.name} of yours at this moment", headers={"Retry-After": str(self.retry_after)}
        )
