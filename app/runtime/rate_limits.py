"""Rate limits: fixed windows counted in Redis, or per process while Redis is away.

Flask-Limiter counts the limits of single routes; those of every request are counted here. Both use one storage.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Any, NamedTuple, TypeVar, cast

from flask import Flask, Response, current_app, g, request
from flask_limiter import Limiter, RequestLimit, RouteLimit
from flask_limiter.util import get_qualified_name
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage, Storage, storage_from_string
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from app.foundation.errors import RateLimited
from app.runtime.metrics import REFUSALS
from app.runtime.redis_scripts import AllInUse, RedisScripts
from app.runtime.window_counts import Hit, WindowCounts

log = logging.getLogger(__name__)

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

# How long counting stays in this process after Redis failed to answer, in seconds.
PAUSE = 2.0
# That of the library, which reads and removes what is counted here.
PREFIX = "LIMITS:"
PATIENCE: dict[str, Any] = {"socket_connect_timeout": 1, "socket_timeout": 1, "retry": Retry(NoBackoff(), 0)}


class Limit(NamedTuple):
    """So many in a window of so many seconds, under a name that appears in the headers."""

    name: str
    amount: int
    window: int

    @classmethod
    def of(cls, name: str, item: RateLimitItem) -> Limit:
        return cls(name, item.amount, item.get_expiry())


@dataclass
class Counter:
    """Counts in Redis; falls back to this process for a while whenever Redis does not answer."""

    shared: Storage
    own: MemoryStorage = field(default_factory=MemoryStorage)
    resumes_at: float = 0.0

    def __post_init__(self) -> None:
        self.scripts = RedisScripts(self.shared.storage)  # type: ignore[attr-defined]
        self._windows = WindowCounts(self.scripts)

    def hit(self, key: str, window: int, amount: int = 1) -> int:
        """Count ``amount`` and return the number counted in the running window of ``window`` seconds."""
        return self.hit_all([Hit(key, amount, window)])[0]

    def hit_all(self, hits: Sequence[Hit]) -> list[int]:
        """Count all of them, and return the numbers counted in the running windows."""
        return self.shared_or_local(
            lambda _: self._windows.count([each._replace(key=PREFIX + each.key) for each in hits]),
            lambda own: [own.incr(each.key, each.window, each.amount) for each in hits],
        )

    def close(self) -> None:
        """Give back to Redis what was paid ahead there."""
        self._windows.give_back(everything=True)

    def is_reachable(self) -> bool:
        """Whether Redis answers now."""
        try:
            return bool(self.shared.check())
        except RedisError:
            return False

    def ends_at(self, key: str) -> float:
        """When the running window of ``key`` ends, as a Unix time."""
        return self.shared_or_local(lambda storage: float(storage.get_expiry(key)))

    def shared_or_local(self, ask: Callable[[Any], T], ask_own: Callable[[Any], T] | None = None) -> T:
        """Ask the shared storage, or this process's own while Redis is away, in its own way where that differs."""
        if time.monotonic() >= self.resumes_at:
            try:
                return ask(self.shared)
            except AllInUse:
                pass  # this request counts here alone
            except RedisError as error:
                self.resumes_at = time.monotonic() + PAUSE
                log.warning("Redis is away, limits are counted per process: %s", type(error).__name__)
        return (ask_own or ask)(self.own)


def counter() -> Counter:
    """The counter of the running application."""
    return current_app.extensions["limit_counter"]


class ApplicationStorage(Storage):
    """The counter of the running application as a storage of Flask-Limiter."""

    STORAGE_SCHEME = ["rowgate"]

    @property
    def base_exceptions(self) -> type[Exception]:
        return RedisError

    @property
    def storage(self) -> Any:
        """The client of Redis, as the commands ``flask limiter`` show it."""
        return counter().shared.storage  # type: ignore[attr-defined]

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        return counter().hit(key, expiry, amount)

    def get(self, key: str) -> int:
        return counter().shared_or_local(lambda storage: int(storage.get(key)))

    def get_expiry(self, key: str) -> float:
        return counter().ends_at(key)

    def check(self) -> bool:
        return counter().is_reachable()

    def reset(self) -> int | None:
        return counter().shared.reset()

    def clear(self, key: str) -> None:
        counter().shared.clear(key)


def _user() -> str:
    return f"user:{g.principal.user_id}"


def _network() -> str:
    return f"network:{network_of(request.remote_addr)}"


def _is_uncounted() -> bool:
    return not counted_network(request.remote_addr)


def _text_of(name: str) -> Callable[[], str]:
    return lambda: getattr(current_app.config["SETTINGS"], name)


def _count_refusal(limit: RequestLimit) -> None:
    REFUSALS.labels(limit.request_args[-1]).inc()


limiter = Limiter(_network, storage_uri="rowgate://", on_breach=_count_refusal)

# Each counts one where it is entered, and raises RateLimitExceeded when that is one too many.
ANONYMOUS_KEYS = limiter.shared_limit("5 per hour", scope="anonymous-keys")
KEYS = limiter.shared_limit("10 per hour", scope="keys", key_func=_user)
ROTATIONS = limiter.shared_limit("10 per hour", scope="rotations", key_func=_user)
SIGN_UPS = limiter.shared_limit(_text_of("sign_up_limit"), scope="sign-up", exempt_when=_is_uncounted)
MAILS = limiter.shared_limit(_text_of("mail_limit"), scope="mail", exempt_when=_is_uncounted)
SIGN_INS = limiter.shared_limit(_text_of("sign_in_limit"), scope="sign-in", exempt_when=_is_uncounted)


def init_app(app: Flask, storage_uri: str) -> None:
    """Open the storage of ``app`` and bind Flask-Limiter to it."""
    app.extensions["limit_counter"] = Counter(cast(Storage, storage_from_string(storage_uri, **PATIENCE)))
    # Where the extension is there already, Flask-Limiter adds no hooks, which would look for limits on every request;
    # ``add_headers`` does their work for routes that count.
    app.extensions["limiter"] = {limiter}
    limiter.init_app(app)


def limited_by(*limits: RouteLimit) -> Callable[[F], F]:
    """Let ``flask limiter`` list limits that the view itself counts, by ``with``."""

    def declare(view: F) -> F:
        for limit in limits:
            limiter.limit_manager.add_decorated_limit(get_qualified_name(view), limit)
        return view

    return declare


def add_headers(response: Response) -> Response:
    """Say in an answer how much is left of the limit that was counted for it."""
    spent = limiter.current_limit
    if spent is not None:
        name, seconds = spent.request_args[-1], max(1, math.ceil(spent.window.reset_time - time.time()))
        # Redis may have gone or come back since it counted.
        left = 0 if spent.breached else spent.remaining
        response.headers.update(_headers(Limit.of(name, spent.limit), left, seconds))
        if spent.breached:
            response.headers["Retry-After"] = str(seconds)
    return response


def default_limit() -> Limit:
    """The limit of the generic routes, by setting."""
    return by_setting("default")


def by_setting(name: str) -> Limit:
    """The limit of this name whose amount is a setting: ``unknown-key`` is that of UNKNOWN_KEY_LIMIT."""
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


def consume_for_network(limit: Limit, address: str | None) -> None:
    """Count one of ``limit`` for the network of an address; raises RateLimited."""
    network = counted_network(address)
    if network:
        consume(limit, f"network:{network}")


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


def consume_for_key(key: Mapping[str, Any], amount: int = 1) -> None:
    """Count uses of an API key against the default limit and that in its row, at once; raises RateLimited."""
    limits = [default_limit()]
    if key["rate_limit_enabled"]:
        limits.insert(0, Limit("key", key["rate_limit_max"], max(1, key["rate_limit_time_window"] // 1000)))
    _consume(limits, f"key:{key['id']}", amount)


def consume(limit: Limit, who: str, amount: int = 1) -> None:
    """Count ``amount`` of ``limit`` for ``who``; raises RateLimited once it is exceeded."""
    _consume([limit], who, amount)


def _consume(limits: Sequence[Limit], who: str, amount: int) -> None:
    """Count against all ``limits``; raises RateLimited for the first that is exceeded."""
    counting = counter()
    hits = [Hit(f"{name}/{who}/{most}/{window}", amount, window, most) for name, most, window in limits]
    for limit, hit, count in zip(limits, hits, counting.hit_all(hits), strict=True):
        if count > limit.amount:
            REFUSALS.labels(limit.name).inc()
            seconds = max(1, math.ceil(counting.ends_at(hit.key) - time.time()))
            raise RateLimited(headers={"Retry-After": str(seconds), **_headers(limit, 0, seconds)})


def _headers(limit: Limit, left: int, seconds: int) -> dict[str, str]:
    """The fields of draft-ietf-httpapi-ratelimit-headers, and those of Flask-Limiter."""
    amount = limit.amount
    return {
        "RateLimit-Policy": f'"{limit.name}";q={amount};w={limit.window}',
        "RateLimit": f'"{limit.name}";r={left};t={seconds}',
        "X-RateLimit-Limit": str(amount),
        "X-RateLimit-Remaining": str(left),
        "X-RateLimit-Reset": str(int(time.time()) + seconds),
    }


@lru_cache
def _parsed(name: str, text: str) -> Limit:
    return Limit.of(name, parse(text))
