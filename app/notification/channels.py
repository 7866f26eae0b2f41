"""Delivery by the channels of plugins: each notification by a job of its own, for a receiver who may still be told."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import update

from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.extension_points import CHANNELS
from app.foundation.clock import now
from app.jobs.queue import defer
from app.notification.models import NotificationNotification
from app.notification.receivers import may_be_told
from app.notification.routing import notification_routed

DELIVER = "deliver_notification"


@notification_routed.subscribe
def send(unit: Unit, notification: NotificationNotification) -> None:
    """Have a notification delivered by the channels of plugins that are open to it."""
    for name in notification.channels:
        if name in CHANNELS:
            defer(unit, DELIVER, notification.id, channel=name)


def deliver(notification_id: UUID, *, channel: str) -> None:
    """Deliver a notification by a channel, as a job."""
    with reading() as session:
        notification = session.get(NotificationNotification, notification_id)
        is_wanted = notification is not None and channel in CHANNELS and may_be_told(session, notification)
    if notification is None or not is_wanted:
        give_up(notification_id)
        return
    CHANNELS[channel].deliver(notification)
    _note(notification_id, delivery_status="delivered", delivered_at=now())


def give_up(notification_id: UUID) -> None:
    """Say of a notification that it could not be delivered, unless another channel has delivered it."""
    _note(notification_id, delivery_status="failed")


def _note(notification_id: UUID, **outcome: object) -> None:
    waiting = update(NotificationNotification).where(
        NotificationNotification.id == notification_id,
        NotificationNotification.delivery_status.in_(("pending", "failed")),
    )
    run_unit(SYSTEM, Unit.bookkeep, waiting.values(outcome))
