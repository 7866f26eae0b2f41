"""Routing: a notification is stored in the unit of work that causes it, with the channels that its receiver's
preferences allow, and signalled after the commit."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select
from uuid_utils.compat import uuid7

from app.engine.declare.fields import Factory
from app.engine.write.unit_of_work import Unit
from app.extension_points import CHANNELS
from app.foundation.clock import now
from app.foundation.events import Event
from app.notification.models import NotificationNotification, NotificationPreference, channel_defaults
from app.runtime.pubsub import signals

MAX_TITLE_LENGTH = 200
MAX_BODY_LENGTH = 4000
# A notification has its channels, in the unit that stores it.
notification_routed: Event[[Unit, NotificationNotification]] = Event()
# Channels of our own that reach people who are not looking; they rest in quiet hours.
INTRUSIVE = ("teams", "email")


def notify(
    unit: Unit,
    user_id: UUID,
    type: str,
    title: str,
    body: str = "",
    data: dict[str, Any] | None = None,
    *,
    actor_id: UUID | None = None,
    organization_id: UUID | None = None,
) -> None:
    """Notify a user once ``unit`` is committed; ``data`` holds ids and a link for the client."""
    notification = NotificationNotification(
        id=uuid7(), user_id=user_id, type=type, title=title[:MAX_TITLE_LENGTH], body=body[:MAX_BODY_LENGTH],
        data=data or {}, actor_id=actor_id, organization_id=organization_id,
    )  # fmt: skip
    route(unit, notification)
    unit.store(notification)


def notify_all(unit: Unit, user_ids: Iterable[UUID], type: str, title: str, body: str = "", **more: Any) -> None:
    """Notify several users of the same; in one order, so that two who do so do not wait for each other."""
    for user_id in sorted(set(user_ids)):
        notify(unit, user_id, type, title, body, **more)


def lock_recipients(unit: Unit, user_ids: Iterable[UUID]) -> None:
    """Take the receivers of several kinds of notifications of one transaction, in one order."""
    for user_id in sorted(user_ids):
        # The notifications of one user are numbered in the order in which they are committed: a stream that has sent a
        # number has sent all before it.
        unit.lock(f"notifications of {user_id}")


def route(unit: Unit, notification: NotificationNotification) -> None:
    """Choose the channels of a new notification, keep its place in the receiver's order, and have it sent."""
    lock_recipients(unit, [notification.user_id])
    wanted = NotificationPreference.user_id == notification.user_id
    notification.channels = _channels(unit.session.scalar(select(NotificationPreference).where(wanted)), notification)
    if not notification.channels:
        notification.delivery_status = "suppressed"
    if "stream" in notification.channels:
        unit.gather(_send).add(notification.user_id)  # one signal for all that the unit sends
    notification_routed.emit(unit, notification)


def default_of(name: str) -> Any:
    """What a preference says for those who said nothing."""
    default = NotificationPreference.fields()[name].spec.default
    return default.make() if isinstance(default, Factory) else default


def is_quiet(hours: dict[str, Any], moment: datetime) -> bool:
    """Whether ``moment`` lies in the quiet hours, which may go past midnight."""
    if not hours["enabled"]:
        return False
    try:
        start, end = (time.fromisoformat(hours[name]) for name in ("start", "end"))
        local = moment.astimezone(ZoneInfo(hours["timeZone"])).time()
    except (ValueError, KeyError, OSError):
        # A zone that this host does not know is no reason to fail whoever tells of something.
        return False
    return start <= local < end if start <= end else local >= start or local < end


def _channels(preference: NotificationPreference | None, notification: NotificationNotification) -> list[str]:
    open_channels = preference.channels if preference else default_of("channels")
    types = preference.types if preference else default_of("types")
    muted = preference.muted_channel_ids if preference else []
    type = notification.type
    unwanted = (preference is not None and not preference.enabled) or not types.get(type, True)
    if unwanted or notification.data.get("channelId") in muted:
        return []
    quiet = is_quiet(preference.quiet_hours if preference else default_of("quiet_hours"), now())
    return [
        name
        for name, default in channel_defaults().items()
        if open_channels.get(name, default)
        and types.get(f"{type}/{name}", True)
        and not (quiet and _is_intrusive(name))
    ]


def _is_intrusive(channel: str) -> bool:
    return channel in INTRUSIVE or (channel in CHANNELS and CHANNELS[channel].intrusive)


def _send(user_ids: set[UUID]) -> None:
    signals().send(user_ids)
