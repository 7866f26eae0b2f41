"""The caller's notifications as they come, taken up again where a stream broke off."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent

from rowgate_client.errors import RowgateError
from rowgate_client.openapi import AuthenticatedClient

STREAM = "/api/integrations/teams/notifications/stream"
# Seconds that a stream may be silent: the service sends a heartbeat every fifteen.
SILENCE = 45.0
LONGEST_PAUSE = 30.0


@dataclass
class Place:
    """How far a follower has come: keep ``last_event_id`` to go on there in another process."""

    last_event_id: str | None = None
    retry: float = 3.0
    failures: int = 0


def follow_notifications(
    client: AuthenticatedClient, place: Place | None = None, *, on_reset: Callable[[], None] = lambda: None
) -> Generator[dict[str, Any], None, None]:
    """Yield notifications for ever. A stream that ends or breaks is taken up again at ``place``, so that nothing is
    missed and nothing comes twice; in another process the last one may come again, since the place moves on after it
    was taken. ``on_reset`` is called when so much was missed that it has to be loaded from
    ``/api/v1/notification/notification``. Raises RowgateError when the service refuses the caller."""
    place = place or Place()
    with closing(_events(client, place)) as events:
        for event in events:
            if event.event == "reset":
                on_reset()
            # A blank line after a heartbeat is an event without data.
            if event.event == "message" and event.data:
                yield json.loads(event.data)
            if event.id:
                place.last_event_id = event.id


def _events(client: AuthenticatedClient, place: Place) -> Generator[ServerSentEvent, None, None]:
    """The events of one stream after the other, with a pause between them that grows while they fail."""
    while True:
        least = 0.0
        try:
            yield from _once(client, place)
        except RowgateError as error:
            if error.status < 500 and error.status != 429:
                raise
            place.failures += 1
            least = error.retry_after or 0.0
        except httpx.TransportError:
            place.failures += 1
        pause = min(place.retry * 2 ** max(0, place.failures - 1), LONGEST_PAUSE)
        time.sleep(max(pause * random.uniform(0.75, 1.25), least))  # noqa: S311 - no secret


def _once(client: AuthenticatedClient, place: Place) -> Generator[ServerSentEvent, None, None]:
    headers = {"Accept": "text/event-stream"}
    if place.last_event_id is not None:
        headers["Last-Event-ID"] = place.last_event_id
    timeout = httpx.Timeout(10.0, read=SILENCE)
    with client.get_httpx_client().stream("GET", STREAM, headers=headers, timeout=timeout) as response:
        if not response.is_success:
            raise RowgateError.of(response)
        for event in EventSource(response).iter_sse():
            place.failures = 0
            if event.retry is not None:
                place.retry = event.retry / 1000
            yield event
