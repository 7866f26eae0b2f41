"""Fixed windows counted in Redis: one script, one round trip for every request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.runtime.redis_scripts import RedisScripts, Script, Word

# Each key is raised by its amount; the first count of a window says when it ends.
COUNT = Script(b"""
local counts = {}
for i, key in ipairs(KEYS) do
    local amount = tonumber(ARGV[2 * i - 1])
    counts[i] = redis.call('INCRBY', key, amount)
    if counts[i] == amount then
        redis.call('EXPIRE', key, ARGV[2 * i])
    end
end
return counts
""")


class Hit(NamedTuple):
    """So many to count under a key, in windows of so many seconds."""

    key: str
    amount: int
    window: int


@dataclass
class WindowCounts:
    """Fixed windows counted by ``scripts``."""

    scripts: RedisScripts

    def count(self, hits: Sequence[Hit]) -> list[int]:
        """Count ``hits``, and return how many there are by now under each key; raises RedisError, and AllInUse."""
        words: list[Word] = [len(hits), *(hit.key for hit in hits)]
        for hit in hits:
            words += (hit.amount, hit.window)
        return self.scripts.run(COUNT, words)
