"""Followers of notification streams, who come back after every break as an EventSource does."""

from __future__ import annotations

import http.client
import time
from dataclasses import dataclass
from threading import Event, Thread

from app.testing.cast import Actor
from tests.notification.sse import EventStream

# The service tells browsers to come back after three seconds; this is as long for a test as it need be.
RETRY = 0.5


@dataclass(frozen=True)
class Heard:
    """A notification as it came over the stream."""

    sequence: int
    title: str
    at: float


class Follower(Thread):
    """Follows the notifications of one user until it is told to end."""

    def __init__(self, person: Actor, port: int) -> None:
        super().__init__(name=f"follower of {person.user_id}", daemon=True)
        self.person, self.port = person, port
        self.begins_at = 0
        self.heard: list[Heard] = []
        self.faults: list[str] = []
        self.breaks = 0
        self.ready, self.ended = Event(), Event()
        self._last = ""

    @property
    def user_id(self) -> str:
        return str(self.person.user_id)

    def has_heard(self, number: int) -> bool:
        return len(self.heard) >= number

    def turn_page(self) -> list[str]:
        """What was wrong since the page was turned last."""
        faults, self.faults = self.faults, []
        return faults

    def begin_again_after(self, sequence: int) -> None:
        """Look at later notifications only."""
        self.begins_at = sequence
        self.heard = [each for each in self.heard if each.sequence > sequence]

    def run(self) -> None:
        while not self.ended.is_set():
            try:
                with EventStream(self.port, self.person.token, self._last) as stream:
                    self._follow(stream)
            except (OSError, EOFError, http.client.HTTPException):
                self.breaks += 1
            self.ended.wait(RETRY)

    def _follow(self, stream: EventStream) -> None:
        if 400 <= stream.status < 500:
            self.faults.append(f"a stream was refused with {stream.status}")
        while stream.status == 200 and not self.ended.is_set():
            event = stream.next()
            if event.name == "bye":
                return
            self._last = event.id
            if event.name == "ready" and not self.ready.is_set():
                self.begins_at = int(event.id)
                self.ready.set()
            elif event.name == "reset":
                self.faults.append("a stream was reset, though few notifications were missed")
            elif event.name == "message":
                self.heard.append(Heard(int(event.id), event.data["title"], time.monotonic()))
