"""Requests for mail that anybody can make: all are answered alike, and a job looks whether there is anything to send.

The address travels sealed, so that no table of jobs lists addresses.
"""

from __future__ import annotations

from uuid import UUID

from marshmallow import ValidationError
from uuid_utils.compat import uuid7

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.addresses import normalized
from app.foundation.crypto import vault
from app.jobs.queue import defer
from app.runtime import rate_limits

# Jobs for one address within the pause of the outbox, which looks more closely.
WINDOW, MAX_JOBS = 300, 3


def ask_for_mail(task: str, email: str, *, user_id: UUID | None = None) -> None:
    """Have ``task`` send mail to an address, unless it was asked for that a moment ago. What is no address is asked for
    like one. Raises RateLimitExceeded for too many requests from one network."""
    try:
        address = normalized(email)
    except ValidationError:
        address = ""
    with rate_limits.MAILS:
        about = vault().digest(f"{task}:{address or email}")
        if rate_limits.counter().hit(f"mail/{about}", WINDOW) <= MAX_JOBS:
            run_unit(SYSTEM, defer, task, user_id or uuid7(), sealed=vault().encrypt(address))


def address_of(sealed: str) -> str:
    """The address in the arguments of a job."""
    return vault().decrypt(sealed)
