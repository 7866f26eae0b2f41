"""Codes: how they are made, and how one is taken, once. Wrong ones are counted on the factor, whatever they are for."""

from __future__ import annotations

import hmac
import secrets
import time
from datetime import timedelta

import orjson
import pyotp

from app.auth.models.identity import AuthTwoFactor
from app.foundation.clock import now
from app.foundation.crypto import ALPHABET, vault
from app.foundation.errors import RateLimited

STEP = 30
# A clock may be off by one step, either way.
DRIFT = (0, -1, 1)
RECOVERY_CODES, RECOVERY_LENGTH = 10, 10
MAX_FAILURES, LOCKED = 10, timedelta(hours=1)
MAX_CODE_LENGTH = 40


def new_secret() -> str:
    """A secret to share with an authenticator, in base32."""
    return pyotp.random_base32()


def uri(secret: str, email: str, product: str) -> str:
    """The address that an authenticator reads from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=product)


def new_recovery_codes() -> tuple[list[str], str]:
    """Ten codes, and what is stored of them."""
    made = ["".join(secrets.choice(ALPHABET[:10] + ALPHABET[36:]) for _ in range(RECOVERY_LENGTH)) for _ in range(10)]
    return made, orjson.dumps([_digest(code) for code in made]).decode()


def take(factor: AuthTwoFactor, code: str, *, recovery: bool = False) -> bool:
    """Whether a code is right and was not used before; it is used up then. The row of ``factor`` is locked by the
    caller, who commits whatever comes of it: wrong codes count. Raises RateLimited after ten wrong ones."""
    if factor.locked_until is not None and factor.locked_until > now():
        seconds = int((factor.locked_until - now()).total_seconds()) + 1
        raise RateLimited("Too many wrong codes", headers={"Retry-After": str(seconds)})
    plain = "".join(code[:MAX_CODE_LENGTH].split()).replace("-", "")
    right = _take_recovery(factor, plain) if recovery else _take_timed(factor, plain)
    if right:
        factor.failed_verification_count, factor.locked_until = 0, None
        return True
    factor.failed_verification_count += 1
    if factor.failed_verification_count >= MAX_FAILURES:
        factor.failed_verification_count, factor.locked_until = 0, now() + LOCKED
    return False


def looks_like_recovery(code: str) -> bool:
    """Whether what somebody typed has the length of a recovery code."""
    return len("".join(code.split()).replace("-", "")) == RECOVERY_LENGTH


def left(factor: AuthTwoFactor) -> int:
    """How many recovery codes are not used yet."""
    return len(_stored(factor))


def _take_timed(factor: AuthTwoFactor, code: str) -> bool:
    totp, current = pyotp.TOTP(vault().decrypt(factor.secret)), int(time.time()) // STEP
    for step in (current + drift for drift in DRIFT):
        fresh = factor.last_used_step is None or step > factor.last_used_step
        if hmac.compare_digest(totp.at(step * STEP).encode(), code.encode()) and fresh:
            factor.last_used_step = step
            return True
    return False


def _take_recovery(factor: AuthTwoFactor, code: str) -> bool:
    digest, stored = _digest(code.lower()), _stored(factor)
    if digest not in stored:
        return False
    factor.backup_codes = orjson.dumps([each for each in stored if each != digest]).decode()
    return True


def _stored(factor: AuthTwoFactor) -> list[str]:
    return orjson.loads(factor.backup_codes or "[]")


def _digest(code: str) -> str:
    return vault().digest(f"recovery code:{code}")
