"""Streams of server-sent events that are taken up again where they broke off."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent

from rowgate_client.errors import RowgateError
from rowgate_client.openapi import AuthenticatedClient, Client

# Seconds that a stream may be silent: the service sends a heartbeat every fifteen.
SILENCE = 45.0
LONGEST_PAUSE = 30.0


@dataclass
class Place:
    """How far a follower has come: keep ``last_event_id`` to go on there in another process."""

    last_event_id: str | None = None
    retry: float = 3.0
    failures: int = 0
    least: float = 0.0

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Count a failure of what is done within; raises RowgateError when the service refuses the caller."""
        self.least = 0.0
        try:
            yield
        except RowgateError as error:
            if error.status < 500 and error.status != 429:
                raise
            self.failures += 1
            self.least = error.retry_after or 0.0
        except httpx.TransportError:
            self.failures += 1

    def pause(self) -> float:
        """The seconds until the next attempt, longer while they fail."""
        pause = min(self.retry * 2 ** max(0, self.failures - 1), LONGEST_PAUSE)
        return max(pause * random.uniform(0.75, 1.25), self.least)  # noqa: S311 - no secret

    def asked(self, params: Mapping[str, str]) -> dict[str, Any]:
        """How a stream is asked for that goes on here."""
        headers = {"Accept": "text/event-stream"}
        if self.last_event_id is not None:
            headers["Last-Event-ID"] = self.last_event_id
        return {"params": params, "headers": headers, "timeout": httpx.Timeout(10.0, read=SILENCE)}

    def heard(self, event: ServerSentEvent) -> None:
        """Note that the stream lives, and what it asks for."""
        self.failures = 0
        if event.retry is not None:
            self.retry = event.retry / 1000

    def move(self, event: ServerSentEvent) -> None:
        """Go on behind an event that was taken."""
        if event.id:
            self.last_event_id = event.id


def follow_events(
    client: AuthenticatedClient | Client, path: str, params: Mapping[str, str], place: Place
) -> Generator[ServerSentEvent, None, None]:
    """Yield the events of one stream after the other, for ever, with a pause between them that grows while they fail.
    ``place`` moves on after an event was taken. Raises RowgateError when the service refuses the caller."""
    http = client.get_httpx_client()
    while True:
        with place.attempt(), http.stream("GET", path, **place.asked(params)) as response:
            if not response.is_success:
                raise RowgateError.of(response)
            for event in EventSource(response).iter_sse():
                place.heard(event)
                yield event
                place.move(event)
        time.sleep(place.pause())


async def follow_events_async(
    client: AuthenticatedClient | Client, path: str, params: Mapping[str, str], place: Place
) -> AsyncGenerator[ServerSentEvent, None]:
    """Yield the same on an event loop."""
    http = client.get_async_httpx_client()
    while True:
        with place.attempt():
            async with http.stream("GET", path, **place.asked(params)) as response:
                if not response.is_success:
                    await response.aread()
                    raise RowgateError.of(response)
                async for event in EventSource(response).aiter_sse():
                    place.heard(event)
                    yield event
                    place.move(event)
        await asyncio.sleep(place.pause())
