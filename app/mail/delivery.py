"""Delivery: each message is claimed, sent outside of any transaction, and concluded.

A claim lasts as long as an attempt can take. Whoever is killed between two steps leaves a claim that runs out, so a
message is sent at least once, and each time under the same Message-ID.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import NotFound, Unavailable
from app.foundation.events import Event
from app.foundation.settings import settings
from app.mail import attachments, smtp, subscriptions
from app.mail.models import PlatformMail

log = logging.getLogger("rowgate")

# Steps of an attempt, each of which may take MAIL_TIMEOUT seconds.
STEPS = 12
# Minutes to wait after each attempt that failed; after the last of them, every four hours.
WAITS = (1, 2, 5, 10, 20, 40, 60, 120)
LAST_WAIT = 240
GIVE_UP_AFTER = timedelta(hours=24)
# Far more than that makes: attempts that nobody concludes are the message's own fault, which may kill whoever sends it.
MOST_ATTEMPTS = 50
# How long messages are kept: to be shown, and as a record of what was sent.
RETENTION = timedelta(days=30)
BATCH_SIZE = 200
NEVER_ENDED = "None of the attempts came to an end"
UNWANTED = "It was out of place before it could be sent"
ERASED = {"text": None, "html": None, "unsubscribe_url": None}


# A message, by its kind and cause, was sent or given up.
mail_concluded: Event[[Unit, str, str, bool]] = Event()
# Of kinds that may be out of place by the time they are sent: whether the message for a cause still is wanted.
IsWanted = Callable[[Session, str], bool]
_WANTED: dict[str, IsWanted] = {}


def wanted(kind: str) -> Callable[[IsWanted], IsWanted]:
    """Ask the function before each attempt to send a message of ``kind``; to be used as a decorator."""

    def register(is_wanted: IsWanted) -> IsWanted:
        _WANTED[kind] = is_wanted
        return is_wanted

    return register


@dataclass(frozen=True)
class Claimed:
    """A message that this process may try to send."""

    id: UUID
    kind: str
    cause: str
    attempt: int
    created_at: datetime
    to: str
    subject: str
    text: str
    html: str
    message_id: str
    unsubscribe_url: str | None
    attachments: list[UUID]


def deliver(mail_id: UUID) -> None:
    """Try to send a message whose time has come, as a job."""
    claimed = run_unit(SYSTEM, _claim, mail_id)
    if claimed is None:
        return
    try:
        smtp.deliver(settings, _opened(claimed))
    except smtp.PermanentFailure as failure:
        log.warning("Mail %s (%s) was refused", claimed.id, claimed.message_id)
        _conclude(claimed, status="failed", error_message=str(failure), **ERASED)
    except smtp.TemporaryFailure as failure:
        _postpone(claimed, str(failure)[:1000])
    except Exception as failure:
        log.exception("Mail %s (%s) could not be sent", claimed.id, claimed.message_id)
        _postpone(claimed, type(failure).__name__)
    else:
        _conclude(claimed, status="sent", sent_at=now(), error_message=None, **ERASED)


def deliver_due() -> None:
    """Try again to send messages that could not be sent, and those whose sender was killed."""
    due = (PlatformMail.status == "pending", PlatformMail.next_attempt_at <= now())
    with reading() as session:
        wanted = select(PlatformMail.id).where(*due).order_by(PlatformMail.next_attempt_at).limit(BATCH_SIZE)
        found = list(session.scalars(wanted))
    for mail_id in found:
        deliver(mail_id)


def expire(unit: Unit) -> None:
    """Remove messages after a month; those that were only shown hold live links no longer than a day."""
    unit.bookkeep(PlatformMail.__table__.delete().where(PlatformMail.created_at < now() - RETENTION))  # type: ignore[attr-defined]
    shown = (PlatformMail.status == "shown", PlatformMail.created_at < now() - GIVE_UP_AFTER)
    unit.bookkeep(update(PlatformMail).where(*shown).values(ERASED))


def _claim(unit: Unit, mail_id: UUID) -> Claimed | None:
    due = (PlatformMail.id == mail_id, PlatformMail.status == "pending", PlatformMail.next_attempt_at <= now())
    mail = unit.session.scalar(select(PlatformMail).where(*due).with_for_update(skip_locked=True))
    if mail is None or mail.text is None or mail.html is None:
        return None
    if mail.attempts >= MOST_ATTEMPTS:
        unit.bookkeep(update(PlatformMail).where(*due).values(status="failed", error_message=NEVER_ENDED, **ERASED))
        mail_concluded.emit(unit, mail.kind, mail.cause, False)
        return None
    if not _is_wanted(unit.session, mail):
        unit.bookkeep(update(PlatformMail).where(*due).values(status="failed", error_message=UNWANTED, **ERASED))
        mail_concluded.emit(unit, mail.kind, mail.cause, False)
        return None
    mail.attempts += 1
    mail.next_attempt_at = now() + timedelta(seconds=STEPS * settings.mail_timeout)
    return Claimed(
        mail.id, mail.kind, mail.cause, mail.attempts, mail.created_at, mail.to, mail.subject, mail.text, mail.html,
        mail.message_id, mail.unsubscribe_url, [UUID(each) for each in mail.attachments],
    )  # fmt: skip


def _is_wanted(session: Session, mail: PlatformMail) -> bool:
    if mail.subscription is not None and subscriptions.has_left(session, mail.subscription, mail.to):
        return False
    return mail.kind not in _WANTED or _WANTED[mail.kind](session, mail.cause)


def _opened(claimed: Claimed) -> EmailMessage:
    try:
        text, html = vault().decrypt(claimed.text), vault().decrypt(claimed.html)
        unsubscribe_url = vault().decrypt(claimed.unsubscribe_url) if claimed.unsubscribe_url else None
    except ValueError as error:
        raise smtp.PermanentFailure(f"Its bodies are {error}") from None
    try:
        attached = attachments.read(claimed.attachments)
    except NotFound:
        raise smtp.PermanentFailure("An attachment is gone") from None
    except Unavailable as error:
        raise smtp.TemporaryFailure(str(error)) from None
    return smtp.message(
        settings, to=claimed.to, subject=claimed.subject, text=text, html=html,
        message_id=claimed.message_id, unsubscribe_url=unsubscribe_url, attachments=attached,
    )  # fmt: skip


def _postpone(claimed: Claimed, error: str) -> None:
    minutes = WAITS[claimed.attempt - 1] if claimed.attempt <= len(WAITS) else LAST_WAIT
    end = claimed.created_at + GIVE_UP_AFTER
    if now() >= end:
        log.warning("Mail %s (%s) is given up", claimed.id, claimed.message_id)
        _conclude(claimed, status="failed", error_message=error, **ERASED)
    else:
        _conclude(claimed, next_attempt_at=min(now() + timedelta(minutes=minutes), end), error_message=error)


def _conclude(claimed: Claimed, **values: object) -> None:
    """Write what an attempt came to, unless a later one has been made meanwhile."""
    run_unit(SYSTEM, _write, claimed, values)


def _write(unit: Unit, claimed: Claimed, values: dict[str, object]) -> None:
    own = (PlatformMail.id == claimed.id, PlatformMail.status == "pending", PlatformMail.attempts == claimed.attempt)
    if unit.bookkeep(update(PlatformMail).where(*own).values(values)) and "status" in values:
        mail_concluded.emit(unit, claimed.kind, claimed.cause, values["status"] == "sent")
