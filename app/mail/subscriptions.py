"""Subscriptions: kinds of mail that an address, whosever it is, can leave by a link in each of them."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlencode

from sqlalchemy import ColumnElement, delete, exists, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.addresses import normalized
from app.foundation.crypto import vault
from app.foundation.errors import NotFound
from app.foundation.settings import settings
from app.mail.models import PlatformMailOptOut

NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")
PURPOSE = "subscription"
PATH = "/account/unsubscribe"
MAX_TOKEN_LENGTH = 1000


class Subscriber(NamedTuple):
    """Who a link is about, and which mail."""

    subscription: str
    address: str


def unsubscribe_url(subscription: str, address: str) -> str:
    """The link by which an address leaves a subscription; it works for as long as the mail is kept."""
    token = vault().encrypt(f"{PURPOSE}:{subscription}:{address}")
    return f"{settings.public_url}{PATH}?{urlencode({'token': token})}"


def subscriber_of(token: str) -> Subscriber | None:
    """Whom a link is about; None for a link that is about something else. Raises NotFound for one that is not ours."""
    try:
        purpose, _, named = vault().decrypt(token if len(token) <= MAX_TOKEN_LENGTH else "").partition(":")
    except ValueError:
        raise NotFound() from None
    subscription, _, address = named.partition(":")
    return Subscriber(subscription, address) if purpose == PURPOSE else None


def leave(subscriber: Subscriber) -> None:
    """Send an address no more mail of a subscription."""
    values = {"id": uuid7(), "address": subscriber.address, "subscription": subscriber.subscription}
    run_unit(SYSTEM, Unit.bookkeep, insert(PlatformMailOptOut).values(**values).on_conflict_do_nothing())


def join(unit: Unit, subscription: str, address: str) -> None:
    """Send an address mail of a subscription again, as its owner has asked for it."""
    unit.bookkeep(delete(PlatformMailOptOut).where(*_is(subscription, address)))


def has_left(session: Session, subscription: str, address: str) -> bool:
    """Whether an address wants no more mail of a subscription."""
    return bool(session.scalar(select(exists().where(*_is(subscription, address)))))


def _is(subscription: str, address: str) -> tuple[ColumnElement[bool], ...]:
    return PlatformMailOptOut.address == normalized(address), PlatformMailOptOut.subscription == subscription
