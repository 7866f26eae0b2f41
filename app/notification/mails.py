"""Notifications by mail: at once or, in quiet hours, not at all; each with a link that ends such mail."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.auth.models.identity import AuthUser
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import NotFound
from app.foundation.identifiers import uuid_of
from app.mail import outbox
from app.mail.delivery import mail_concluded, wanted
from app.notification.models import NotificationNotification, NotificationPreference
from app.notification.receivers import may_be_told
from app.notification.routing import default_of, notification_routed

KIND, CHANNEL = "notification", "email"
UNSUBSCRIBE = "/account/unsubscribe"
MAX_TOKEN_LENGTH = 500


@notification_routed.subscribe
def send(unit: Unit, notification: NotificationNotification) -> None:
    """Send a notification that is for mail to its receiver, whose address has to be verified."""
    if CHANNEL not in notification.channels:
        return
    user = unit.session.get(AuthUser, notification.user_id)
    if user is None or not user.email_verified or not may_be_told(unit.session, notification):
        return
    values = {"name": user.name, "title": notification.title, "body": notification.body}
    path = (notification.data or {}).get("link")
    if isinstance(path, str) and path.startswith("/") and not path.startswith(("//", "/\\")):
        values["link"] = outbox.link(path)
    outbox.send(
        unit, KIND, user.email, values, cause=notification.id, language=user.locale or "en",
        unsubscribe_url=outbox.link(f"{UNSUBSCRIBE}?{urlencode({'token': token_of(user.id)})}"),
    )  # fmt: skip


@wanted(KIND)
def is_wanted(session: Session, cause: str) -> bool:
    """Whether the receiver of a mail that waits may still have it."""
    notification = session.get(NotificationNotification, UUID(cause))
    return notification is not None and may_be_told(session, notification)


@mail_concluded.subscribe
def note_delivery(unit: Unit, kind: str, cause: str, sent: bool) -> None:
    """Say of a notification what its mail came to, unless another channel has delivered it."""
    if kind != KIND:
        return
    waiting = update(NotificationNotification).where(
        NotificationNotification.id == UUID(cause), NotificationNotification.delivery_status.in_(("pending", "failed"))
    )
    outcome = {"delivery_status": "delivered", "delivered_at": now()} if sent else {"delivery_status": "failed"}
    unit.bookkeep(waiting.values(outcome))


def token_of(user_id: UUID) -> str:
    """What a link that ends notifications by mail carries; it lasts as long as the mail does."""
    return vault().encrypt(f"{UNSUBSCRIBE}:{user_id}")


def unsubscribe(token: str) -> None:
    """End notifications by mail for the receiver of a link; raises NotFound for a link that is none of ours."""
    run_unit(SYSTEM, _unsubscribe, receiver_of(token))


def receiver_of(token: str) -> UUID:
    """Whose notifications a link is about; raises NotFound."""
    try:
        purpose, _, named = vault().decrypt(token if len(token) <= MAX_TOKEN_LENGTH else "").partition(":")
    except ValueError:
        raise NotFound() from None
    user_id = uuid_of(named)
    if purpose != UNSUBSCRIBE or user_id is None:
        raise NotFound()
    return user_id


def _unsubscribe(unit: Unit, user_id: UUID) -> None:
    own = select(NotificationPreference).where(NotificationPreference.user_id == user_id)
    preference = unit.session.scalar(own.with_for_update())
    if preference is not None:
        preference.channels = {**default_of("channels"), **preference.channels, CHANNEL: False}
