"""Messages as tests look at them: the rows of the outbox, opened, and the secrets in their links."""

from __future__ import annotations

import re
from typing import Any

from flask import Flask
from sqlalchemy import select

from app.foundation.crypto import vault
from app.mail.models import PlatformMail
from app.testing.database import transaction

LINK = re.compile(r"(https?://\S+?[?]token=([0-9A-Za-z]+))")


def rows(app: Flask, to: str, kind: str = "") -> list[dict[str, Any]]:
    """The rows of messages to an address, the oldest first."""
    wanted = select(PlatformMail.__table__).where(PlatformMail.to == to).order_by(PlatformMail.id)
    with app.app_context(), transaction() as session:
        found = [dict(row._mapping) for row in session.execute(wanted)]
    return [row for row in found if kind in ("", row["kind"])]


def kinds(app: Flask, to: str) -> list[str]:
    """The kinds of the messages to an address, the oldest first."""
    return [row["kind"] for row in rows(app, to)]


def text(app: Flask, to: str, kind: str) -> str:
    """What the latest message of a kind to an address says, in plain text."""
    with app.app_context():
        return vault().decrypt(rows(app, to, kind)[-1]["text"])


def link(app: Flask, to: str, kind: str) -> str:
    """The link with a secret in the latest message of a kind."""
    return _found(text(app, to, kind))[0]


def secret(app: Flask, to: str, kind: str) -> str:
    """The secret in the latest message of a kind."""
    return _found(text(app, to, kind))[1]


def _found(said: str) -> tuple[str, str]:
    match = LINK.search(said)
    assert match is not None, said
    return match[1], match[2]
