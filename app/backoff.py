"""Failed sign-ins: counted by account and by network; after five a delay, which doubles to a quarter of an hour."""

from __future__ import annotations

from flask import current_app

from app import limits

FIRST, LONGEST = 1, 15 * 60
# How long failures are remembered, in seconds from the first.
WINDOW = 60 * 60


def settle(account: str, network: str, *, succeeded: bool) -> bool:
    """Note what an attempt came to, and tell whether it counts as a success.

    It is asked after the password has been checked, so that of parallel guesses no more are heard than of guesses one
    after the other, and so that a locked account takes as long to answer as any other. While the account or the network
    is locked nothing succeeds and nothing is counted. A success forgets the failures of the account, not those of the
    network: whoever holds one account could clear the way for guessing others.
    """
    counter = limits.counter()
    settings = current_app.config["SETTINGS"]
    keys = {
        f"account/{account}": settings.sign_in_failures,
        f"network/{network}": settings.sign_in_failures_per_network,
    }
    if any(counter.count(_lock(key)) for key in keys):
        return False
    if succeeded:
        counter.clear(_failures(f"account/{account}"))
        return True
    for key, free in keys.items():
        failed = counter.hit(_failures(key), WINDOW)
        if failed >= free:
            counter.hit(_lock(key), delay(failed - free))
    return False


def delay(times: int) -> int:
    """Seconds to wait after the failure that started the delay and ``times`` more."""
    return min(FIRST << min(times, 20), LONGEST)


def _failures(key: str) -> str:
    return f"sign-in/failures/{key}"


def _lock(key: str) -> str:
    return f"sign-in/lock/{key}"
