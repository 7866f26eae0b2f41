"""The processing of inbound events: always by a job, and at once when there is time before the answer."""

from __future__ import annotations

import logging
import threading
from uuid import UUID

from flask import current_app

from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Failure, Unavailable
from app.teams import activities, graph, inbox, invokes
from app.teams.models import IntegrationInboundEvent

log = logging.getLogger(__name__)

# Seconds that the Bot Framework waits for an activity to be done; after them it is told that the work goes on.
BUDGET = 2.0


def process(event_id: UUID) -> None:
    """Do what follows an event, as a job; what is done already is left alone. A failure that may pass is tried again:
    nobody else has the event any more."""
    try:
        _press(event_id)
        inbox.process(event_id, handle, wait=True)
    except Failure as failure:
        raise Unavailable() from failure


def process_in_time(event_id: UUID) -> bool:
    """Begin with an event at once, and say whether it was done within the budget. It goes on otherwise; and should that
    fail, its job does it."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    done = threading.Event()

    def work() -> None:
        try:
            with app.app_context():
                _press(event_id)
                if inbox.process(event_id, handle, wait=False):
                    done.set()
        except Failure as failure:
            log.warning("An inbound event waits for its job: %s", failure.text)
        except Exception:
            log.exception("An inbound event waits for its job")

    thread = threading.Thread(target=work, name="inbound", daemon=True)
    thread.start()
    thread.join(BUDGET)
    return done.is_set()


def _press(event_id: UUID) -> None:
    """Carry out a button that came as a message. It has transactions of its own, and does nothing the second time."""
    with reading() as session:
        event = session.get(IntegrationInboundEvent, event_id)
        if event is None or event.source != "bot" or event.status not in inbox.OPEN:
            return
        activity, pressed_at = event.payload, event.created_at
    if activities.is_press(activity):
        invokes.press(activity, pressed_at)


def handle(unit: Unit, event: IntegrationInboundEvent) -> None:
    """Do what follows an event, by its source."""
    (activities.handle if event.source == "bot" else graph.handle)(unit, event)
