"""Followers of streams, of notifications and of changes, who come back after every break as an EventSource does."""

from __future__ import annotations

import http.client
import time
from dataclasses import dataclass
from threading import Event, Thread

from app.foundation.clock import now
from app.testing.cast import Actor
from tests.notification.sse import STREAM, EventStream
from tests.notification.sse import Event as SentEvent

# The service tells browsers to come back after three seconds; this is as long for a test as it need be.
RETRY = 0.5
FOLLOWED = ("crm/company", "crm/contact", "crm/deal")


@dataclass(frozen=True)
class Heard:
    """A notification as it came over the stream."""

    sequence: int
    title: str
    at: float


class Follower(Thread):
    """Follows the notifications of one user until it is told to end."""

    path = STREAM

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
                with EventStream(self.port, self.person.token, self._last, path=self.path) as stream:
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
            if event.name == "reset":
                self.faults.append("a stream was reset, though few events were missed")
            else:
                self._hear(event)

    def _hear(self, event: SentEvent) -> None:
        if event.name == "ready" and not self.ready.is_set():
            self.begins_at = int(event.id)
            self.ready.set()
        elif event.name == "message":
            self.heard.append(Heard(int(event.id), event.data["title"], time.monotonic()))


class ChangeFollower(Follower):
    """Follows the changes of one user's companies, contacts and deals; keeps for each position what was told."""

    path = f"/api/v1/_changes/stream?models={','.join(FOLLOWED)}"

    def __init__(self, person: Actor, port: int) -> None:
        super().__init__(person, port)
        self.told: dict[int, tuple[str, str]] = {}
        self.since = now().isoformat()

    def _hear(self, event: SentEvent) -> None:
        if event.name == "ready":
            self.ready.set()
        elif event.name == "place":
            pass  # nothing has changed
        elif event.name == "resync":
            self.faults.append("a stream says that rights have changed, though none have")
        else:
            position = int(event.data["id"])
            if self.told and position <= max(self.told):
                self.faults.append(f"the change {position} came after {max(self.told)}, or again")
            self.told[position] = event.data["recordId"], event.name
