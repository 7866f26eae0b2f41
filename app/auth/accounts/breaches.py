"""Passwords known from breaches, asked for by the first five characters of their SHA-1 digest (k-anonymity): the
service that is asked learns nothing of the others."""

from __future__ import annotations

import hashlib
import logging
import time

import httpx2

from app.foundation.outbound import Outbound
from app.foundation.settings import settings

log = logging.getLogger("rowgate")

TIMEOUT = 3.0
PREFIX = 5


def has(password: str) -> bool:
    """Whether a password is in the ranges at PASSWORD_RANGES_URL. A service that is away holds nobody up: its silence
    counts as no."""
    address = settings.password_ranges_url
    if not address:
        return False
    digest = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()
    try:
        client = Outbound(time.monotonic() + TIMEOUT, private=True).client()
        # Padding hides from the network how many digests the range has.
        answer = client.get(f"{address}/{digest[:PREFIX]}", headers={"Add-Padding": "true"}, timeout=TIMEOUT)
        answer.raise_for_status()
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        log.warning("The ranges of breached passwords cannot be read: %s", type(error).__name__)
        return False
    count = dict(line.split(":", 1) for line in answer.text.split() if ":" in line).get(digest[PREFIX:], "")
    return count.isdecimal() and int(count) > 0
