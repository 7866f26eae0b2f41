"""The outbox: a message is written in the unit of work of its cause, and delivered by a job once that is committed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import exists, func, select
from uuid_utils.compat import uuid7

from app.engine.write.unit_of_work import Unit
from app.foundation.addresses import normalized
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.settings import settings
from app.jobs.queue import defer
from app.mail import subscriptions
from app.mail.attachments import check
from app.mail.models import PlatformMail
from app.mail.smtp import new_message_id
from app.mail.templates import render

DELIVER = "deliver_mail"
# How often anybody may have mail of one kind sent to an address, whoever asks. Besides there are so many a day as
# MAILS_PER_ADDRESS says.
PAUSE, DAY = timedelta(minutes=5), timedelta(days=1)
NO_SERVER = "MAIL_URL is not set"
MAX_CAUSE_LENGTH = 100
# Values of mail that goes to no account, for the texts that all mails share.
TO_ANYBODY = {"name": "", "to_anybody": True}


def send(
    unit: Unit,
    kind: str,
    to: str,
    values: Mapping[str, Any],
    *,
    cause: UUID | str,
    language: str = "en",
    unsubscribe_url: str | None = None,
    subscription: str | None = None,
    attachments: Sequence[UUID] = (),
) -> None:
    """Write a message of ``kind`` to an address. Its links begin with the configured base URL: see ``link``. What was
    written for the same ``cause`` is not written again."""
    written = (PlatformMail.kind == kind, PlatformMail.cause == str(cause), PlatformMail.to == to)
    if unit.session.scalar(select(exists().where(*written))):
        return
    shown = {**values, "unsubscribe": unsubscribe_url} if unsubscribe_url else values
    message = render(kind, language, shown, product=settings.product_name, logo=settings.product_logo)
    id = uuid7()
    mail = PlatformMail(
        id=id, kind=kind, to=to, locale=language, cause=str(cause), subject=message.subject,
        message_id=new_message_id(settings, id), subscription=subscription, attachments=list(map(str, attachments)),
    )  # fmt: skip
    if settings.mail_url or not settings.production:
        mail.text, mail.html = vault().encrypt(message.text), vault().encrypt(message.html)
        mail.unsubscribe_url = vault().encrypt(unsubscribe_url) if unsubscribe_url else None
        mail.status = "pending" if settings.mail_url else "shown"
    else:
        mail.status, mail.error_message = "failed", NO_SERVER
    unit.store(mail)
    if mail.status == "pending":
        defer(unit, DELIVER, id)


def send_mail(
    unit: Unit, kind: str, to: str, values: dict[str, Any], *, cause: UUID | str, language: str = "en",
    subscription: str = "", attachments: Sequence[UUID] = (), limited: bool = True, paused: bool = True,
) -> bool:  # fmt: skip
    """Have a message of ``kind``, a template of the plugin, sent to an address, whosever it is, once ``unit`` is
    committed; once for each ``cause``. ``attachments`` are uploads that the unit's principal may read.

    Returns False, and sends nothing, where the address has left the ``subscription``; where mail is ``limited``, and
    the address had as much of the kind today as MAILS_PER_ADDRESS says; and where it is ``paused`` as well, and the
    address had some within five minutes. What people cause who have signed up by themselves has to be limited. Raises
    LookupError for an unknown kind, marshmallow's ValidationError for what is
    no address, NotFound for an attachment that is not there, and ValueError for too many or too large ones.
    """
    address = normalized(to)
    if subscription and not subscriptions.NAME.fullmatch(subscription):
        raise ValueError("The name of a subscription has lowercase letters, digits and hyphens, 64 at most")
    if len(str(cause)) > MAX_CAUSE_LENGTH:
        raise ValueError(f"A cause has {MAX_CAUSE_LENGTH} characters at most")
    if subscription and subscriptions.has_left(unit.session, subscription, address):
        return False
    if limited and not may_send(unit, kind, address, paused=paused):
        return False
    check(unit, attachments)
    url = subscriptions.unsubscribe_url(subscription, address) if subscription else None
    send(
        unit, kind, address, TO_ANYBODY | values, cause=cause, language=language, unsubscribe_url=url,
        subscription=subscription or None, attachments=attachments,
    )  # fmt: skip
    return True


def may_send(unit: Unit, kind: str, to: str, *, by_day: bool = True, paused: bool = True) -> bool:
    """Whether anybody may have mail of ``kind`` sent to an address again; of those who ask at once, one may. Mail that
    the owner of the address may need in haste is not counted ``by_day``, or strangers could use it up."""
    unit.lock(f"mail {kind} to {to}")
    with unit.session.no_autoflush:
        sent = select(func.count(), func.max(PlatformMail.created_at)).where(
            PlatformMail.kind == kind, PlatformMail.to == to, PlatformMail.created_at > now() - DAY
        )
        count, last = unit.session.execute(sent).one()
    return (not paused or last is None or last <= now() - PAUSE) and not (
        by_day and count >= settings.mails_per_address
    )


def link(path: str) -> str:
    """The address of a page of the service, for a message: never made from a request."""
    return f"{settings.public_url}{path}"
