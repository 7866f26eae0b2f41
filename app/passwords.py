"""Passwords: what is accepted, and argon2id."""

from __future__ import annotations

from argon2 import PasswordHasher

from app.errors import Invalid

SHORTEST, LONGEST = 8, 128

# OWASP's first choice for argon2id: 19 MiB, two passes, one lane.
HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def check(password: str) -> None:
    """Refuse a password of the wrong length; raises Invalid."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise Invalid({"password": [f"Must have {SHORTEST} to {LONGEST} characters."]})


def hashed(password: str) -> str:
    return HASHER.hash(password)
