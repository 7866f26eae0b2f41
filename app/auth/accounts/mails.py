"""The mails of accounts: to whom, in which language, and where their links lead."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from babel.dates import UTC, format_datetime
from flask import has_request_context, request
from uuid_utils.compat import uuid7

from app.auth.models.identity import AuthUser
from app.engine.write.unit_of_work import Unit
from app.foundation import languages, origin
from app.foundation.clock import now
from app.mail import outbox
from app.mail.templates import LANGUAGES

# Whoever sends these calls ``outbox.may_send``.
CHECKED_BY_SENDER = ("verify-address", "change-address", "reset-password", "welcome")
SESSIONS, SECURITY, KEYS, FORGOT = "/account/sessions", "/account/security", "/console/keys", "/account/forgot"
CLIENTS = "/account/clients"


def send_account_mail(
    unit: Unit,
    user: AuthUser,
    kind: str,
    path: str = "",
    *,
    to: str = "",
    cause: UUID | None = None,
    **values: Any,
) -> None:
    """Write a mail of ``kind`` to a user, or to another address of theirs; its link leads to ``path``. Times are shown
    in UTC. An address that was never verified may be a stranger's: it gets these mails only as often as
    ``outbox.may_send`` allows."""
    if not (user.email_verified or kind in CHECKED_BY_SENDER or outbox.may_send(unit, kind, to or user.email)):
        return
    language = user.locale or languages.DEFAULT
    shown = {
        name: format_time(value, language) if isinstance(value, datetime) else value for name, value in values.items()
    }
    if path:
        shown["link"] = outbox.link(path)
    shown = {"name": user.name, "time": format_time(now(), language), **shown}
    outbox.send(unit, kind, to or user.email, shown, cause=cause or uuid7(), language=language)


def secret_path(page: str, secret: str) -> str:
    """The path of a page that takes a secret off its address at once."""
    return f"/account/{page}?{urlencode({'token': secret})}"


def format_time(value: datetime, language: str) -> str:
    """A time as people read it."""
    return f"{format_datetime(value, 'd MMMM y HH:mm', tzinfo=UTC, locale=language)} UTC"


def language_of_request(fallback: str | None = None) -> str:
    """The language that the running request asks for."""
    asked = has_request_context() and request.headers.get("Accept-Language")
    return languages.accepted(LANGUAGES) if asked else fallback or languages.DEFAULT


def device() -> dict[str, str]:
    """How the device of the running request is shown in a mail."""
    if not has_request_context():
        return {"device": "?", "address_of": "?"}
    return {"device": (origin.user_agent() or "?")[:120], "address_of": origin.address() or "?"}
