"""Passwords: the rules for new ones, and argon2id hashing in a thread pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.auth.accounts import breaches
from app.auth.errors import PasswordBreached, PasswordTooCommon, PasswordTooLong, PasswordTooShort
from app.auth.models.identity import AuthAccount
from app.foundation.errors import Unavailable
from app.foundation.settings import settings
from app.runtime.concurrency_limit import ConcurrencyLimit
from app.runtime.gevent_support import run_in_thread
from config import SettingError

T = TypeVar("T")

MAX_LENGTH = 128
COMMON_PASSWORDS = 30_000
# Hashes that may wait at once; at 50 a second, the last one waits two seconds. One network may take few of the slots.
HASHING = ConcurrencyLimit(
    total=100, each=3, wait=0.0, refusal=lambda: Unavailable("Too many people sign in at this moment")
)
# Words of this place that a guess would begin with.
OWN_WORDS = ("rowgate",)
ADDED = "0123456789!"

# OWASP's first choice for argon2id: 19 MiB, two passes, one lane.
HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def init_app(app: Flask) -> None:
    """Read the passwords that nobody may choose; raises SettingError."""
    path = app.config["SETTINGS"].common_passwords
    if not path:
        return
    try:
        _common(path)
    except (OSError, ValueError) as error:
        raise SettingError(f"COMMON_PASSWORDS: {path} cannot be read: {error}") from error


def check(password: str, *, about: Iterable[str] = ()) -> None:
    """Refuse a new password that is too short, too long, among the most common ones, one of the words ``about`` its
    user, or known from breaches where PASSWORD_RANGES_URL is set; raises PasswordTooShort, PasswordTooLong,
    PasswordTooCommon and PasswordBreached. Not for the inside of a transaction: the last check asks another service."""
    shortest = settings.password_min_length
    if len(password) < shortest:
        raise PasswordTooShort(shortest)
    if len(password) > MAX_LENGTH:
        raise PasswordTooLong()
    folded = password.casefold()
    words = (*OWN_WORDS, settings.product_name, *about)
    if folded in _common(settings.common_passwords) or any(_is_like(folded, word.casefold()) for word in words):
        raise PasswordTooCommon()
    if breaches.has(password):
        raise PasswordBreached()


def _is_like(password: str, word: str) -> bool:
    """Whether they are one word, but for what people put around it."""
    bare = password.strip(ADDED)
    return password == word or (bare != "" and bare == word.strip(ADDED))


def stored_hash_of(session: Session, user_id: UUID) -> str | None:
    """What is stored of the password of a user, who may have none."""
    mine = (AuthAccount.user_id == user_id, AuthAccount.provider_id == "credential")
    return session.scalar(select(AuthAccount.password).where(*mine))


def hash_password(password: str, *, network: str = "") -> str:
    """Hash a password, for a caller in ``network``; raises Unavailable when too many wait for that."""
    return _computed(network, HASHER.hash, password)


def verify_password(stored: str | None, password: str, *, network: str = "") -> bool:
    """Whether ``password`` is the one that ``stored`` was made of. Without a stored one it takes as long to say no."""
    # A longer one is none that was accepted; its length must not make the hash dearer.
    return _computed(network, _verify, stored, password[: MAX_LENGTH + 1]) and stored is not None


def is_outdated(stored: str) -> bool:
    """Whether ``stored`` was made with other parameters than today's."""
    return HASHER.check_needs_rehash(stored)


def _computed(network: str, work: Callable[..., T], *arguments: Any) -> T:
    """Compute aside, as long as the queue there is one that people would wait in."""
    with HASHING.of(network):
        return run_in_thread(work, *arguments)


def _verify(stored: str | None, password: str) -> bool:
    # Made first for everybody: only then do known and unknown addresses take the same time from the first sign-in on.
    nobodys = _nobodys()
    try:
        return HASHER.verify(stored or nobodys, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    return HASHER.hash("nobody's password")


@cache
def _common(path: str) -> frozenset[str]:
    """The passwords that nobody may choose: those of a file, or the most common ones."""
    if path:
        return frozenset(line.strip().casefold() for line in Path(path).read_text("utf-8").splitlines())
    # A list of half a megabyte: read when the first password is set.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(FREQUENCY_LISTS["passwords"][:COMMON_PASSWORDS])
