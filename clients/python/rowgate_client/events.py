"""Streams of server-sent events that are taken up again where they broke off."""

from __future__ import annotations

import random
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass

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


def follow_events(
    client: AuthenticatedClient | Client, path: str, params: Mapping[str, str], place: Place
) -> Generator[ServerSentEvent, None, None]:
    """Yield the events of one stream after the other, for ever, with a pause between them that grows while they fail.
    ``place`` moves on after an event was taken. Raises RowgateError when the service refuses the caller."""
    while True:
        least = 0.0
        try:
            for event in _once(client, path, params, place):
                yield event
                if event.id:
                    place.last_event_id = event.id
        except RowgateError as error:
            if error.status < 500 and error.status != 429:
                raise
            place.failures += 1
            least = error.retry_after or 0.0
        except httpx.TransportError:
            place.failures += 1
        pause = min(place.retry * 2 ** max(0, place.failures - 1), LONGEST_PAUSE)
        time.sleep(max(pause * random.uniform(0.75, 1.25), least))  # noqa: S311 - no secret


def _once(
    client: AuthenticatedClient | Client, path: str, params: Mapping[str, str], place: Place
) -> Generator[ServerSentEvent, None, None]:
    headers = {"Accept": "text/event-stream"}
    if place.last_event_id is not None:
        headers["Last-Event-ID"] = place.last_event_id
    timeout = httpx.Timeout(10.0, read=SILENCE)
    http = client.get_httpx_client()
    with http.stream("GET", path, params=params, headers=headers, timeout=timeout) as response:
        if not response.is_success:
            raise RowgateError.of(response)
        for event in EventSource(response).iter_sse():
            place.failures = 0
            if event.retry is not None:
                place.retry = event.retry / 1000
            yield event
