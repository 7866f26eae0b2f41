"""Hooks of notifications and preferences: routing, defaults and checks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import select

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthInvitation, AuthOrganization
from app.auth.models.sharing import AuthShare
from app.auth.organizations.organizations import user_provisioned
from app.auth.sharing.shareable import organization_above
from app.auth.sharing.shares import RECORD_SHARED, record_shared
from app.engine.declare.record import Record, camel
from app.engine.write.hooks import Write, on_create, on_update, require
from app.engine.write.unit_of_work import Unit
from app.notification import routing
from app.notification.models import CHANNEL_NAMES, NotificationNotification, NotificationPreference
from app.platform.comments import PlatformComment, mentioned

INVITATION = "APPROVAL_REQUEST"
SWITCHES = ("channels", "types")
CLOCK_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


@user_provisioned.subscribe
def give_preferences(unit: Unit, user: AuthUser) -> None:
    """Give a new user the preferences of everybody."""
    unit.session.add(NotificationPreference(user_id=user.id))


@on_create(AuthInvitation, callers_only=True)
def tell_of_invitation(invitation: AuthInvitation, write: Write) -> None:
    """Notify the invited person, where the address is an account's, besides the mail, and no oftener."""
    if invitation.secret_hash is None:
        return
    holder = (AuthUser.email == invitation.email, AuthUser.email_verified)
    with write.unit.session.no_autoflush:
        user_id = write.unit.session.scalar(select(AuthUser.id).where(*holder))
        organization = write.unit.get(AuthOrganization, invitation.organization_id)
        if user_id is not None:
            data = {"organizationId": str(organization.id), "link": "/account/organizations"}
            title = f"You are invited to join {organization.name}"
            routing.notify(write.unit, user_id, INVITATION, title, data=data, actor_id=invitation.inviter_id)


@record_shared.subscribe
def tell_of_share(unit: Unit, record: Record, share: AuthShare) -> None:
    """Notify a user with whom a record was shared."""
    title = f"{_name_of(unit, share.created_by_id)} has shared something with you"
    more = {"actor_id": share.created_by_id, "organization_id": share.organization_id}
    routing.notify(unit, share.user_id, RECORD_SHARED, title, data=_place_of(record), **more)  # type: ignore[arg-type]


@mentioned.subscribe
def tell_of_mention(unit: Unit, record: Record, comment: PlatformComment, named: list[UUID]) -> None:
    """Notify those who are named in a comment."""
    title, data = f"{_name_of(unit, comment.user_id)} mentioned you", _place_of(record) | {"commentId": str(comment.id)}
    body = comment.text[: routing.MAX_BODY_LENGTH]
    more = {"actor_id": comment.user_id, "organization_id": organization_above(unit, record)}
    routing.lock_recipients(unit, named)
    routing.notify_all(unit, named, "MENTION", title, body, data=data, **more)


def _name_of(unit: Unit, user_id: UUID | None) -> str:
    found = unit.session.get(AuthUser, user_id) if user_id else None
    return found.name if found else "Somebody"


def _place_of(record: Record) -> dict[str, str]:
    """A record and its page in the studio, as notifications have them."""
    model = type(record).qualified_name()
    return {"id": str(record.id), "model": model, "link": f"/console/{model}/{record.id}/show"}


@on_create(NotificationNotification, callers_only=True)
def send(notification: NotificationNotification, write: Write) -> None:
    routing.route(write.unit, notification)


@on_create(NotificationPreference, callers_only=True)
@on_update(NotificationPreference, callers_only=True)
def complete_preferences(preference: NotificationPreference, write: Write) -> None:
    """Lay what was sent over what was there, key by key."""
    for name in (*SWITCHES, "quiet_hours"):
        sent = write.given.get(name)
        if sent is not None:
            known = routing.default_of(name)
            stored = write.before.get(name, known)
            # Keys that are stored may be those of a plugin that is not loaded any more.
            taken = known.keys() | stored.keys() | (_of_one_channel(known) if name == "types" else set())
            require(sent.keys() <= taken, camel(name), f"Takes the keys {', '.join(known)}.")
            setattr(preference, name, {**stored, **sent})
    for name in SWITCHES:
        switches = getattr(preference, name) or {}
        require(all(isinstance(value, bool) for value in switches.values()), camel(name), "Takes true or false.")
    _check_quiet_hours(preference.quiet_hours or routing.default_of("quiet_hours"))


def _of_one_channel(types: Iterable[str]) -> set[str]:
    """The switches of types by channel."""
    return {f"{type}/{channel}" for type in types for channel in CHANNEL_NAMES}


def _check_quiet_hours(hours: dict[str, Any]) -> None:
    require(isinstance(hours["enabled"], bool), "quietHours", "enabled takes true or false.")
    for name in ("start", "end"):
        fits = isinstance(hours[name], str) and CLOCK_TIME.fullmatch(hours[name])
        require(bool(fits), "quietHours", f"{name} takes a time such as 22:00.")
    try:
        ZoneInfo(hours["timeZone"])
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        require(False, "quietHours", "timeZone takes the name of an IANA zone.")
