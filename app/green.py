"""How a connection to PostgreSQL waits inside a gevent worker: on watchers of the event loop that it keeps.

psycopg gives way to other green threads by itself, through gevent's stand-in for ``select.poll``; but that sets up and
tears down a poll object for every answer, which costs a short statement as much as all the rest of the driver.
"""

from __future__ import annotations

from typing import Any

import psycopg
from gevent import get_hub, monkey
from psycopg.waiting import READY_R, READY_RW, READY_W, WAIT_R, WAIT_RW, WAIT_W

# What psycopg waits for, as libev's events (1 to read, 2 to write), and what it is told when that came true.
EVENTS = {WAIT_R: (1, READY_R), WAIT_W: (2, READY_W), WAIT_RW: (3, READY_RW)}


class GreenConnection(psycopg.Connection[Any]):
    """A connection whose waiting lets other green threads run."""

    _hub: Any = None
    _watchers: dict[int, Any]

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Drive ``gen`` to its end; with a ``timeout``, as psycopg does it."""
        if timeout is not None:
            return super().wait(gen, interval=interval, timeout=timeout)
        hub = get_hub()
        try:
            wanted = next(gen)
            while True:
                events, ready = EVENTS[wanted]
                hub.wait(self._watcher(hub, events))
                wanted = gen.send(ready)
        except StopIteration as done:
            return done.value

    def close(self) -> None:
        self._drop_watchers()
        super().close()

    def _watcher(self, hub: Any, events: int) -> Any:
        if hub is not self._hub:
            self._drop_watchers()
            self._hub, self._watchers = hub, {}
        if events not in self._watchers:
            self._watchers[events] = hub.loop.io(self.pgconn.socket, events)
        return self._watchers[events]

    def _drop_watchers(self) -> None:
        for watcher in self._watchers.values() if self._hub is not None else ():
            watcher.close()
        self._hub = None


def connect(url: str, **options: Any) -> psycopg.Connection[Any]:
    """Connect to ``url``, waiting green where gevent runs the process."""
    kind = GreenConnection if monkey.is_module_patched("select") else psycopg.Connection
    return kind.connect(url, **options)
