"""A client of event streams, to the letter of the HTML standard as far as the service uses it."""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass
from typing import Any

PATIENCE = 20
STREAM = "/api/integrations/teams/notifications/stream"


@dataclass(frozen=True)
class Event:
    name: str
    data: Any
    id: str


class EventStream:
    """An open stream; iterate with ``next`` over its events."""

    def __init__(
        self,
        port: int,
        token: str | None = None,
        last: str = "",
        query: str = "",
        cookie: str = "",
        path: str = STREAM,
    ) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        headers = {"Accept": "text/event-stream"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if cookie:
            headers["Cookie"] = cookie
        if last:
            headers["Last-Event-ID"] = last
        self._connection.request("GET", path + query, headers=headers)
        self.response = self._connection.getresponse()
        self.status = self.response.status
        self.last_id = last
        self.comments = 0

    def next(self) -> Event:
        """The next event; raises EOFError at the end and TimeoutError when nothing comes."""
        name, data = "message", []
        deadline = time.monotonic() + PATIENCE
        while True:
            if time.monotonic() > deadline:  # heartbeats are no events
                raise TimeoutError
            try:
                line = self.response.readline()
            except (http.client.IncompleteRead, ConnectionError, AttributeError):
                raise EOFError from None
            except TimeoutError:
                raise TimeoutError from None
            if not line:
                raise EOFError
            text = line.decode().rstrip("\n")
            if not text and data:
                return Event(name, json.loads("\n".join(data)), self.last_id)
            if not text:
                name = "message"
            field, _, value = text.partition(":")
            value = value.removeprefix(" ")
            if text.startswith(":"):
                self.comments += 1
            elif field == "id":
                self.last_id = value
            elif field == "event":
                name = value
            elif field == "data":
                data.append(value)

    def messages(self, number: int) -> list[Event]:
        """The next ``number`` notifications, whatever else comes between."""
        found: list[Event] = []
        while len(found) < number:
            event = self.next()
            if event.name == "message":
                found.append(event)
        return found

    def close(self) -> None:
        self.response.close()
        self._connection.close()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
