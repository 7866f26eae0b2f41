"""Limits by name, and how one is spent: fixed windows counted in Redis, per process while Redis is away."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar

from flask import Flask, current_app
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from limits import RateLimitItem, RateLimitItemPerSecond, parse
from limits.storage import MemoryStorage, Storage
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from app.errors import RateLimited
from app.metrics import REFUSALS

log = logging.getLogger(__name__)

T = TypeVar("T")

# How long counting stays in this process after Redis failed to answer, in seconds.
PAUSE = 2.0
PATIENCE: dict[str, Any] = {"socket_connect_timeout": 1, "socket_timeout": 1, "retry": Retry(NoBackoff(), 0)}


@dataclass(frozen=True)
class Limit:
    """So many in such a window, under a name that appears in the headers."""

    name: str
    item: RateLimitItem


ANONYMOUS_KEYS = Limit("anonymous-keys", parse("5 per hour"))
KEYS = Limit("keys", parse("10 per hour"))
ROTATIONS = Limit("rotations", parse("10 per hour"))


@dataclass
class Counter:
    """Counts in Redis; falls back to this process for a while whenever Redis does not answer."""

    shared: Storage
    own: MemoryStorage = field(default_factory=MemoryStorage)
    resumes_at: float = 0.0

    def hit(self, key: str, window: int) -> int:
        """Count one and return the number counted in the running window of ``window`` seconds."""
        return self.first_answer(lambda storage: int(storage.incr(key, window)))

    def is_reachable(self) -> bool:
        """Whether Redis answers now."""
        try:
            return bool(self.shared.check())
        except RedisError:
            return False

    def ends_at(self, key: str) -> float:
        """When the running window of ``key`` ends, as a Unix time."""
        return self.first_answer(lambda storage: float(storage.get_expiry(key)))

    def first_answer(self, ask: Callable[[Any], T], ask_own: Callable[[Any], T] | None = None) -> T:
        """Ask the shared storage, or this process's own while Redis is away, in its own way where that differs."""
        if time.monotonic() >= self.resumes_at:
            try:
                return ask(self.shared)
            except RedisError as error:
                self.resumes_at = time.monotonic() + PAUSE
                log.warning("Redis is away, limits are counted per process: %s", type(error).__name__)
        return (ask_own or ask)(self.own)


def init_app(app: Flask, storage_uri: str) -> None:
    """Open the storage of Flask-Limiter for ``app``.

    The extension looks on every request for limits of the route. Ours are limits of callers, spent where the caller
    is known, so it is bound to an application of its own, which never serves.
    """
    carrier = Flask(__name__)
    carrier.config.update(RATELIMIT_STORAGE_URI=storage_uri, RATELIMIT_STORAGE_OPTIONS=PATIENCE)
    app.extensions["limit_counter"] = Counter(Limiter(get_remote_address, app=carrier).storage)


def counter() -> Counter:
    """The counter of the running application."""
    bound: Counter = current_app.extensions["limit_counter"]
    return bound


def default_limit() -> Limit:
    """The limit of the generic routes, by setting."""
    return by_setting("default")


def by_setting(name: str) -> Limit:
    """The limit of this name whose amount is a setting: ``sign-up`` is that of SIGN_UP_LIMIT."""
    return _parsed(name, getattr(current_app.config["SETTINGS"], f"{name.replace('-', '_')}_limit"))


def network_of(address: str | None) -> str:
    """Who an address stands for: itself, or for IPv6 its /64, which one subscriber has whole. Callers without a
    known address share one allowance."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return "unknown"
    if parsed.version == 4:
        return str(parsed)
    return str(parsed.ipv4_mapped or ip_network((parsed, 64), strict=False))


def spend_on_network(limit: Limit, address: str | None) -> None:
    """Count one of ``limit`` for the network of an address; raises RateLimited."""
    network = counted_network(address)
    if network:
        spend(limit, f"network:{network}")


def counted_network(address: str | None) -> str:
    """The network of an address that is held to its limits; none in development for loopback, where everybody on this
    machine has the same."""
    if _is_loopback(address) and not current_app.config["SETTINGS"].production:
        return ""
    return network_of(address)


def _is_loopback(address: str | None) -> bool:
    try:
        return ip_address(address or "").is_loopback
    except ValueError:
        return False


def spend_on_key(key: Mapping[str, Any]) -> None:
    """Count one validation of an API key against the limit in its row."""
    if key["rate_limit_enabled"]:
        seconds = max(1, key["rate_limit_time_window"] // 1000)
        item = RateLimitItemPerSecond(key["rate_limit_max"], seconds)
        spend(Limit("key", item), f"key:{key['id']}")


def spend(limit: Limit, *who: str) -> None:
    """Count one of ``limit`` for ``who``; raises RateLimited once it is exceeded."""
    window = limit.item.get_expiry()
    key = limit.item.key_for(limit.name, *who)
    if counter().hit(key, window) > limit.item.amount:
        REFUSALS.labels(limit.name).inc()
        seconds = max(1, math.ceil(counter().ends_at(key) - time.time()))
        raise RateLimited(headers=_headers(limit, window, seconds))


def _headers(limit: Limit, window: int, seconds: int) -> dict[str, str]:
    """Retry-After, the fields of draft-ietf-httpapi-ratelimit-headers, and those of Flask-Limiter."""
    amount = limit.item.amount
    return {
        "Retry-After": str(seconds),
        "RateLimit-Policy": f'"{limit.name}";q={amount};w={window}',
        "RateLimit": f'"{limit.name}";r=0;t={seconds}',
        "X-RateLimit-Limit": str(amount),
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(int(time.time()) + seconds),
    }


@lru_cache
def _parsed(name: str, text: str) -> Limit:
    return Limit(name, parse(text))
