"""Who may still be told of a notification outside of the service, by mail or in Teams."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app.auth.accounts.users import user_principal
from app.notification.models import NotificationNotification


def may_be_told(session: Session, notification: NotificationNotification) -> bool:
    """Whether the receiver may act, and is a member of the organization that the notification is about."""
    receiver = user_principal(session, notification.user_id)
    about = notification.organization_id
    return receiver is not None and (about is None or about in receiver.memberships)
