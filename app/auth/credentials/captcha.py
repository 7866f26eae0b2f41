"""Whether a person sends a form, asked of a verifier by ``siteverify``, as Turnstile and hCaptcha have it."""

from __future__ import annotations

import logging
import time
from typing import Any

import httpx2

from app.foundation.errors import Invalid, Unavailable
from app.foundation.outbound import Outbound
from app.foundation.settings import settings

log = logging.getLogger("rowgate")

# The member of a body that holds what the page was given for the person.
MEMBER = "captcha"
MAX_LENGTH = 8192
TIMEOUT = 5.0


def check(token: Any, address: str | None) -> None:
    """Refuse a form that no person sends, where CAPTCHA_SECRET is set. Raises Invalid, and Unavailable while the
    verifier is away: whom nobody vouches for is not let in."""
    if not settings.captcha_secret:
        return
    if not isinstance(token, str) or not 0 < len(token) <= MAX_LENGTH:
        raise Invalid({MEMBER: ["Must be what the captcha of the page has given."]})
    form = {"secret": settings.captcha_secret, "response": token} | ({"remoteip": address} if address else {})
    try:
        client = Outbound(time.monotonic() + TIMEOUT, private=True).client()
        answer = client.post(settings.captcha_verify_url, data=form, timeout=TIMEOUT)
        answer.raise_for_status()
        is_person = answer.json().get("success") is True
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, AttributeError) as error:
        log.warning("The captcha verifier cannot be asked: %s", type(error).__name__)
        raise Unavailable("The captcha cannot be checked now") from error
    if not is_person:
        raise Invalid({MEMBER: ["Was not accepted; solve it again."]})
