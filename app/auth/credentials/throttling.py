"""Throttling of failed sign-ins by account and by network: after five, a delay that doubles up to fifteen minutes."""

from __future__ import annotations

from threading import Lock
from typing import Any

from flask import current_app, request
from limits.storage import Storage

from app.auth.sign_in import devices
from app.foundation import crypto
from app.runtime import rate_limits

FIRST, MAX_LENGTH = 1, 15 * 60
# How long failures are remembered, in seconds from the first.
WINDOW = 60 * 60

# One step, so that attempts of several workers are judged one after the other.
SETTLE = """
if redis.call('EXISTS', KEYS[1]) + redis.call('EXISTS', KEYS[3]) > 0 then return 0 end
if ARGV[1] == '1' then
    redis.call('DEL', KEYS[2])
    return 1
end
for which = 1, 2 do
    local failures = KEYS[2 * which]
    local failed = redis.call('INCR', failures)
    if failed == 1 then redis.call('EXPIRE', failures, ARGV[4]) end
    local over = failed - tonumber(ARGV[1 + which])
    if over >= 0 then
        local delay = math.min(tonumber(ARGV[5]) * 2 ^ math.min(over, 20), tonumber(ARGV[6]))
        redis.call('SET', KEYS[2 * which - 1], 1, 'EX', delay)
    end
end
return 0
"""
_one_at_a_time = Lock()


def record_attempt(account: str, network: str, *, succeeded: bool) -> bool:
    """Note what an attempt came to, and tell whether it counts as a success.

    It is asked after the password has been checked, so that of parallel guesses no more are heard than of guesses one
    after the other, and so that a locked account takes as long to answer as any other. While the account or the network
    is locked nothing succeeds and nothing is counted. A success forgets the failures of the account, not those of the
    network: whoever holds one account could clear the way for guessing others.
    """
    settings = current_app.config["SETTINGS"]
    keys = [f"sign-in/{kind}/{who}" for who in (f"account/{account}", f"network/{network}") for kind in KINDS]
    free = (settings.sign_in_failures, settings.sign_in_failures_per_network)
    return rate_limits.counter().shared_or_local(
        lambda shared: _record_shared(shared, keys, free, succeeded),
        lambda own: _record_own(own, keys, free, succeeded),
    )


def record_for_request(user_id: object, email: str, *, succeeded: bool) -> bool:
    """The same for a guess at the password of a known account. From a device that its owner has signed in on, guesses
    count for that device: whoever guesses elsewhere does not lock the owner out."""
    device = devices.known_device_id(user_id)
    who = crypto.vault().digest(f"{email}/{device}" if device else email)
    return record_attempt(who, f"device/{device}" if device else network(), succeeded=succeeded)


def network() -> str:
    """The network that the running request comes from."""
    return rate_limits.network_of(request.remote_addr)


def forget(email: str) -> None:
    """Forget the failures of an account, whose owner has come in another way."""
    who = crypto.vault().digest(email)
    keys = [f"sign-in/{kind}/account/{who}" for kind in KINDS]
    rate_limits.counter().shared_or_local(
        lambda shared: shared.storage.delete(*keys), lambda own: [own.clear(key) for key in keys]
    )


KINDS = ("lock", "failures")


def is_network_locked(network: str) -> bool:
    """Whether nothing from ``network`` succeeds now, whatever the password: nobody has to compute for it."""
    lock = f"sign-in/lock/network/{network}"
    return bool(
        rate_limits.counter().shared_or_local(lambda shared: shared.storage.exists(lock), lambda own: own.get(lock))
    )


def delay(times: int) -> int:
    """Seconds to wait after the failure that started the delay and ``times`` more."""
    return min(FIRST << min(times, 20), MAX_LENGTH)


def _record_shared(shared: Any, keys: list[str], free: tuple[int, int], succeeded: bool) -> bool:
    arguments = (int(succeeded), *free, WINDOW, FIRST, MAX_LENGTH)
    return bool(shared.storage.eval(SETTLE, len(keys), *keys, *arguments))


def _record_own(own: Storage, keys: list[str], free: tuple[int, int], succeeded: bool) -> bool:
    """The same within this process, while Redis is away."""
    with _one_at_a_time:
        if own.get(keys[0]) or own.get(keys[2]):
            return False
        if succeeded:
            own.clear(keys[1])
            return True
        for lock, failures, most in ((keys[0], keys[1], free[0]), (keys[2], keys[3], free[1])):
            failed = own.incr(failures, WINDOW)
            if failed >= most:
                own.incr(lock, delay(failed - most))
        return False
