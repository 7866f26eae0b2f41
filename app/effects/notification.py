"""What follows writes in the notification domain."""

from __future__ import annotations

import re
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import select

from app.effects.hooks import Write, on_create, on_update, require
from app.models.base import camel
from app.models.notification import NotificationNotification, NotificationPreference

SWITCHES = ("channels", "types")
CLOCK_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


@on_create(NotificationNotification)
def address(notification: NotificationNotification, write: Write) -> None:
    """Choose the channels that the receiver's preferences open for this type."""
    wanted = NotificationPreference.user_id == notification.user_id
    preference = write.session.scalar(select(NotificationPreference).where(wanted))
    channels = preference.channels if preference else default_of("channels")
    types = preference.types if preference else default_of("types")
    open_for_type = (preference is None or preference.enabled) and types.get(notification.type, True)
    notification.channels = [name for name in default_of("channels") if channels.get(name) and open_for_type]
    if not notification.channels:
        notification.delivery_status = "suppressed"


@on_create(NotificationPreference)
@on_update(NotificationPreference)
def complete_preferences(preference: NotificationPreference, write: Write) -> None:
    """Lay what was sent over what was there, key by key."""
    for name in (*SWITCHES, "quiet_hours"):
        sent = write.given.get(name)
        if sent is not None:
            known = default_of(name)
            stored = write.before.get(name, known)
            require(sent.keys() <= known.keys(), camel(name), f"Takes the keys {', '.join(known)}.")
            setattr(preference, name, {**stored, **sent})
    for name in SWITCHES:
        switches = getattr(preference, name) or {}
        require(all(isinstance(value, bool) for value in switches.values()), camel(name), "Takes true or false.")
    _check_quiet_hours(preference.quiet_hours or default_of("quiet_hours"))


def default_of(name: str) -> dict[str, Any]:
    default: dict[str, Any] = NotificationPreference.fields()[name].wire.default
    return default


def _check_quiet_hours(hours: dict[str, Any]) -> None:
    require(isinstance(hours["enabled"], bool), "quietHours", "enabled takes true or false.")
    for name in ("start", "end"):
        fits = isinstance(hours[name], str) and CLOCK_TIME.fullmatch(hours[name])
        require(bool(fits), "quietHours", f"{name} takes a time such as 22:00.")
    try:
        ZoneInfo(hours["timeZone"])
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        require(False, "quietHours", "timeZone takes the name of an IANA zone.")
