"""Mails as their readers have them, and the requests for mail that jobs answer."""

from __future__ import annotations

import re
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import func, select, text

from app.auth.accounts import recovery, verification
from app.foundation.crypto import vault
from app.mail.models import PlatformMail
from app.testing.database import transaction

SENDERS = {
    recovery.SEND_RESET: recovery.send_reset_link,
    verification.SEND_VERIFICATION: verification.send_verification_link,
    verification.SEND_CHANGE: verification.send_change,
}
ASKED = text("SELECT args->>'row_id', args->>'sealed' FROM procrastinate_jobs WHERE task_name = :task ORDER BY id")
DONE = text("DELETE FROM procrastinate_jobs WHERE task_name = :task")
LINK = re.compile(r"http://\S+/account/\S+")


def send_what_was_asked(app, task):
    """Do what the jobs of a task would."""
    with app.app_context():
        with transaction() as session:
            asked = session.execute(ASKED, {"task": task}).all()
            session.execute(DONE, {"task": task})
        for row_id, sealed in asked:
            SENDERS[task](UUID(row_id), sealed=sealed)


def count_of(app, email, kind):
    """How many mails of a kind an address has."""
    with app.app_context(), transaction() as session:
        own = (PlatformMail.to == email, PlatformMail.kind == kind)
        return session.scalar(select(func.count()).select_from(PlatformMail).where(*own))


def link_to(app, email, kind):
    """The path of the link in the latest mail of a kind."""
    with app.app_context():
        with transaction() as session:
            own = (PlatformMail.to == email, PlatformMail.kind == kind)
            sealed = session.scalar(select(PlatformMail.text).where(*own).order_by(PlatformMail.id.desc()).limit(1))
        return path_of(LINK.search(vault().decrypt(sealed))[0])


def path_of(address):
    """Where an address is on its host."""
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"
