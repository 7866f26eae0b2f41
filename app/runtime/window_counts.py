"""Fixed windows counted in Redis by one script, and paid for ahead by callers who ask often.

Below half of its limit, a caller who asks again within a second is counted for some requests more: this process admits
those without a round trip. What is left of them after a second goes back. So never more pass than the limit, and fewer
only by what was paid for within that second. Small limits are counted one by one.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, Timer
from typing import NamedTuple

from redis.exceptions import RedisError

from app.runtime.redis_scripts import RedisScripts, Script, Word

# Seconds for which requests are paid ahead, how many at most, and of how many callers.
LEASE, MOST_AHEAD, MOST_CALLERS = 1.0, 16, 10_000
# At most the limit divided by this is paid ahead, so that smaller limits are counted one by one, and are exact.
FRACTION = 200

# Each key is raised by its amount, and by as many more as are wanted and leave it below half of its limit; the first
# count of a window says when it ends. Milliseconds to the end of the window are told with what was paid ahead.
COUNT = Script(b"""
local answers = {}
for i, key in ipairs(KEYS) do
    local at = 4 * i
    local amount, limit, wanted = tonumber(ARGV[at - 3]), tonumber(ARGV[at - 1]), tonumber(ARGV[at])
    local count = redis.call('INCRBY', key, amount)
    if count == amount then
        redis.call('EXPIRE', key, ARGV[at - 2])
    end
    local ahead = math.max(0, math.min(wanted, math.floor(limit / 2) - count))
    local left = 0
    if ahead > 0 then
        redis.call('INCRBY', key, ahead)
        left = redis.call('PTTL', key)
    end
    answers[3 * i - 2], answers[3 * i - 1], answers[3 * i] = count, ahead, left
end
return answers
""")

# The window that was paid in has about as much time left as is told. Another has more: it began when that one ended.
GIVE_BACK = Script(b"""
for i, key in ipairs(KEYS) do
    local left = redis.call('PTTL', key)
    if left > 0 and left <= tonumber(ARGV[2 * i]) then
        redis.call('DECRBY', key, ARGV[2 * i - 1])
    end
end
""")
# Milliseconds that an answer of Redis may have been under way, and seconds of the shortest window that is paid ahead.
UNDER_WAY, SHORTEST = 2000, 10
# Windows that are given back to at once, as Redis does nothing else meanwhile.
BATCH = 500


class Hit(NamedTuple):
    """So many to count under a key, in windows of so many seconds; some are paid ahead where ``limit`` tells of how
    many at most."""

    key: str
    amount: int
    window: int
    limit: int = 0


class PrepaidHits:
    """Hits that Redis has counted already: so many requests may this process admit without a round trip, until
    they end. Moments are of ``time.monotonic``."""

    __slots__ = ("_may_renew", "_tokens", "count", "ends", "size", "window_ends")

    def __init__(self, began: float, count: int, size: int, left: int) -> None:
        self.count = count
        self.size = size
        self.window_ends = began + left / 1000
        self.ends = min(began + LEASE, self.window_ends) if size else began + LEASE
        self._tokens, self._may_renew = [None] * size, [None]

    def take(self) -> bool:
        """Take one of them, if one is left."""
        return _popped(self._tokens)

    def empty(self) -> int:
        """Take all that are left, and return how many they were."""
        number = 0
        while self.take():
            number += 1
        return number

    def is_used_up(self) -> bool:
        """Whether none is left."""
        return not self._tokens

    def renew(self) -> bool:
        """Whether to pay ahead again: when these are used up, and for one who asks."""
        return not self._tokens and _popped(self._may_renew)


@dataclass
class WindowCounts:
    """Fixed windows counted by ``scripts``."""

    scripts: RedisScripts
    _prepaid: dict[str, PrepaidHits] = field(default_factory=dict)
    _replaced: deque[tuple[str, PrepaidHits]] = field(default_factory=deque)
    _is_timed: bool = False
    _timing: Lock = field(default_factory=Lock)

    def count(self, hits: Sequence[Hit]) -> list[int]:
        """Count ``hits``, and return how many there are by now under each key, as far as this process knows; raises
        RedisError, and AllInUse."""
        now = time.monotonic()
        known = [self._take(hit, now) for hit in hits]
        asked = [hit for hit, count in zip(hits, known, strict=True) if not count]
        if not asked:
            return known
        counted = iter(self._ask(asked, now))
        return [count or next(counted) for count in known]

    def give_back(self, *, everything: bool = False) -> None:
        """Give back what is left of those that have ended, or of all."""
        now = time.monotonic()
        # Other threads add meanwhile. A copy is made at one go, a list of pairs is not: each may wake the collector.
        held = self._prepaid.copy()
        ended = [(key, prepaid) for key, prepaid in held.items() if everything or now >= prepaid.ends]
        for key, _ in ended:
            self._prepaid.pop(key, None)
        while self._replaced:
            ended.append(self._replaced.popleft())
        left = [(key, prepaid, prepaid.empty()) for key, prepaid in ended if not prepaid.is_used_up()]
        for start in range(0, len(left), BATCH):
            some = left[start : start + BATCH]
            words: list[Word] = [len(some), *(key for key, _, _ in some)]
            for _, prepaid, number in some:
                words += (number, round(1000 * (prepaid.window_ends - now)) + UNDER_WAY)
            # What does not arrive is lost to the caller until the window ends; given back twice, too many would pass.
            with suppress(RedisError):
                self.scripts.run(GIVE_BACK, words, again=False)

    def _take(self, hit: Hit, now: float) -> int:
        """Take one that was paid ahead, and return the count of then; 0 where there is none."""
        prepaid = self._prepaid.get(hit.key)
        if prepaid is None or hit.amount != 1 or now >= prepaid.ends or not prepaid.take():
            return 0
        return prepaid.count

    def _ask(self, hits: Sequence[Hit], now: float) -> list[int]:
        words: list[Word] = [len(hits), *(hit.key for hit in hits)]
        for hit in hits:
            words += (hit.amount, hit.window, hit.limit, self._wanted(hit, now))
        answers: list[int] = self.scripts.run(COUNT, words)
        for hit, count, size, left in zip(hits, answers[::3], answers[1::3], answers[2::3], strict=True):
            if hit.limit and hit.window >= SHORTEST:
                self._keep(hit.key, PrepaidHits(now, count, size, left), now)
        return answers[::3]

    def _wanted(self, hit: Hit, now: float) -> int:
        """How many to pay ahead: twice as many as last time, where those were used up before their end."""
        prepaid = self._prepaid.get(hit.key)
        if prepaid is None or now >= prepaid.ends or not prepaid.renew():
            return 0
        return min(2 * prepaid.size or 1, MOST_AHEAD, hit.limit // FRACTION)

    def _keep(self, key: str, prepaid: PrepaidHits, now: float) -> None:
        former = self._prepaid.get(key)
        if not prepaid.size and (len(self._prepaid) >= MOST_CALLERS if former is None else now < former.ends):
            return
        if former is not None and not former.is_used_up():
            self._replaced.append((key, former))
        self._prepaid[key] = prepaid
        self._schedule_give_back()

    def _schedule_give_back(self) -> None:
        """Have those that have ended given back in a second."""
        with self._timing:
            if self._is_timed:
                return
            self._is_timed = True
        timer = Timer(LEASE, self._end)
        timer.daemon = True
        timer.start()

    def _end(self) -> None:
        self._is_timed = False
        self.give_back()
        if self._prepaid:
            self._schedule_give_back()


def _popped(words: list[None]) -> bool:
    """Whether there was one to take: no two threads pop the same."""
    try:
        words.pop()
    except IndexError:
        return False
    return True
