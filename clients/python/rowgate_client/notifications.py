"""The caller's notifications as they come, taken up again where a stream broke off."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any

from rowgate_client.events import Place, follow_events
from rowgate_client.openapi import AuthenticatedClient

STREAM = "/api/integrations/teams/notifications/stream"


def follow_notifications(
    client: AuthenticatedClient, place: Place | None = None, *, on_reset: Callable[[], None] = lambda: None
) -> Generator[dict[str, Any], None, None]:
    """Yield notifications for ever. A stream that ends or breaks is taken up again at ``place``, so that nothing is
    missed and nothing comes twice; in another process the last one may come again, since the place moves on after it
    was taken. ``on_reset`` is called when so much was missed that it has to be loaded from
    ``/api/v1/notification/notification``. Raises RowgateError when the service refuses the caller."""
    with closing(follow_events(client, STREAM, {}, place or Place())) as events:
        for event in events:
            if event.event == "reset":
                on_reset()
            # A blank line after a heartbeat is an event without data.
            if event.event == "message" and event.data:
                yield json.loads(event.data)
