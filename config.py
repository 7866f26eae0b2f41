"""Settings: every environment variable is read, typed and explained here, once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from limits import parse_many

ROOT = Path(__file__).resolve().parent
VERSION = "0.3.0"
# How gunicorn runs the service.
GUNICORN = ROOT / "app" / "runtime" / "gunicorn.conf.py"
# Beside the code in a checkout, in the working folder when installed.
VAR_DIR = str((ROOT if (ROOT / "setup.cfg").exists() else Path.cwd()) / "var")


class SettingError(Exception):
    """A missing or ill-typed setting; the message names it and says what it takes."""


def setting(default: Any, text: str) -> Any:
    """Declare one setting with its default and the one line that explains it."""
    return field(default=default, metadata={"text": text})


@dataclass(frozen=True)
class Setting:
    """A setting of the engine or of a plugin. It is read from the environment by its name in upper case, and is an
    attribute of the settings, as those declared there. Its type is that of the default."""

    name: str
    default: str | int | float | bool
    text: str
    low: float | None = None
    high: float | None = None
    # A regular expression that the value matches, unless it is empty.
    pattern: str = ""
    # Whether the service does not start without it.
    required: bool = False

    def check(self, value: Any) -> None:
        """Refuse a value that does not fit; raises SettingError."""
        if self.required and value == "":
            raise SettingError(f"{self.name.upper()} is missing: {self.text}")
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            raise SettingError(f"{self.name.upper()} must be {_range(self.low, self.high)}")
        if self.pattern and value and not re.fullmatch(self.pattern, value):
            raise SettingError(f"{self.name.upper()} does not fit: {self.text}")


# Filled by the plugins, by name.
DECLARED: dict[str, Setting] = {}


def declare(settings: Iterable[Setting]) -> None:
    """Add the settings of a plugin; raises SettingError for a name that is taken."""
    for each in settings:
        if each.name in DECLARED or each.name in {own.name for own in fields(Settings)}:
            raise SettingError(f"{each.name.upper()} is declared twice")
        DECLARED[each.name] = each


@dataclass(frozen=True, init=False)
class Settings:
    """The settings of one process, frozen after start; names are the environment variables in lower case.

    ``of_plugins`` holds those of plugins that differ from their defaults; they are read as attributes, too.
    """

    domains: str = setting("", "domains of the product to serve, comma-separated, such as crm; empty serves all")
    plugins: str = setting("", "entry points or modules of plugins besides the product's own, comma-separated")
    environment: str = setting("development", "development or production, which does not start without SECRET_KEY")
    secret_key: str = setting("", "at least 32 characters; peppers the stored digests and encrypts secrets at rest")
    database_url: str = setting("", "PostgreSQL 15 or newer with pgvector; empty starts the embedded one under VAR_DIR")
    redis_url: str = setting("", "Redis 6 or newer; empty starts the embedded one under VAR_DIR")
    var_dir: str = setting(VAR_DIR, "where the embedded servers and uploaded files keep their data")
    host: str = setting("127.0.0.1", "address to listen on")
    port: int = setting(3001, "port to listen on")
    base_url: str = setting("", "public address, such as https://api.example.com; the start of links")
    cors_origins: str = setting(
        "",
        "origins, such as https://app.example.com, whose pages may call the routes of people with bearer tokens, "
        "comma-separated, or *; empty means * in development, none in production",
    )
    allowed_hosts: str = setting(
        "",
        "hosts that requests may name, comma-separated, .example.com for all below it; empty means any, in "
        "production that of BASE_URL",
    )
    workers: int = setting(2, "worker processes; set it to the number of processors")
    database_pooler: bool = setting(False, "DATABASE_URL is a pooler such as PgBouncer in transaction mode")
    database_pool_size: int = setting(10, "connections kept in each of a worker's two pools, for reads and writes")
    database_pool_overflow: int = setting(20, "further connections of each pool under load")
    database_pool_timeout: float = setting(5.0, "seconds to wait for a free connection, then 503")
    database_connect_timeout: int = setting(3, "seconds to wait for PostgreSQL")
    database_statement_timeout: float = setting(10.0, "seconds for a statement of a request")
    database_lock_timeout: float = setting(3.0, "seconds to wait for a lock")
    database_idle_timeout: float = setting(30.0, "seconds that a transaction may do nothing")
    database_upgrade_wait: float = setting(300.0, "seconds in which a migration must get its locks")
    job_statement_timeout: float = setting(120.0, "seconds for a statement of a job, or of a wide removal")
    trusted_proxies: int = setting(0, "hops of X-Forwarded-* headers to believe")
    max_take: int = setting(1000, "largest page of a list (take)")
    max_json_bytes: int = setting(1024 * 1024, "largest JSON body, in bytes")
    key_limit: str = setting("100 per minute", "requests of a key without a limit of its own")
    default_limit: str = setting("6000 per minute", "limit of the generic routes, by credential or client address")
    sign_up_limit: str = setting("30 per hour", "sign-ups from one network")
    sign_in_limit: str = setting("60 per minute", "sign-ins from one network")
    unknown_key_limit: str = setting("60 per minute", "unknown keys from one network")
    body_timeout: float = setting(30.0, "seconds without a byte of a request, then 408")
    stop_grace: int = setting(20, "seconds that requests and jobs may go on after a signal to stop")
    query_key_safe_only: bool = setting(False, "accept the parameter api_key for GET, HEAD and QUERY only")
    log_format: str = setting("", "json or text; empty means json in production, otherwise text")
    log_level: str = setting("info", "debug, info, warning or error")
    log_requests: bool = setting(False, "log each request; a proxy in front usually does")
    metrics: bool = setting(True, "answer /metrics to callers on the same machine, not through a proxy")
    metrics_token: str = setting("", "bearer token that opens /metrics to others")
    api_v1_deprecation: str = setting("", "Deprecation header of version 1 (RFC 9745), such as @1767225600")
    api_v1_sunset: str = setting("", "Sunset header of version 1 (RFC 8594), an HTTP date")

    of_plugins: Mapping[str, Any] = field(default_factory=dict)

    def __init__(self, **given: Any) -> None:
        own = {each.name: each.default for each in fields(self) if each.name != "of_plugins"}
        of_plugins = dict(given.pop("of_plugins", {})) | {name: given[name] for name in given.keys() - own.keys()}
        for name, default in own.items():
            object.__setattr__(self, name, given.get(name, default))
        object.__setattr__(self, "of_plugins", of_plugins)
        for name, each in DECLARED.items():
            object.__setattr__(self, name, of_plugins.get(name, each.default))

    def __getattr__(self, name: str) -> Any:
        if name not in DECLARED:
            raise AttributeError(f"No setting is called {name}")
        return self.of_plugins.get(name, DECLARED[name].default)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Read every setting from ``environ``; raises SettingError for the first one that does not fit."""
        types = {each.name: str(each.type) for each in fields(cls) if each.name != "of_plugins"}
        types |= {name: type(each.default).__name__ for name, each in DECLARED.items()}
        sent = {name: environ.get(name.upper()) for name in types}
        settings = cls(**{name: _typed(name.upper(), raw, types[name]) for name, raw in sent.items() if raw})
        settings.check()
        return settings

    def check(self) -> None:
        """Refuse combinations that cannot work; raises SettingError."""
        if self.environment not in ("development", "production"):
            raise SettingError("ENVIRONMENT must be development or production")
        if self.production and not self.secret_key:
            raise SettingError("SECRET_KEY is required when ENVIRONMENT is production")
        if self.secret_key and len(self.secret_key) < 32:
            raise SettingError("SECRET_KEY must have at least 32 characters")
        if self.database_url and not self.database_url.startswith(
            ("postgresql://", "postgres://", "postgresql+psycopg://")
        ):
            raise SettingError("DATABASE_URL must start with postgresql://")
        if self.redis_url and not self.redis_url.startswith(("redis://", "rediss://", "unix://")):
            raise SettingError("REDIS_URL must start with redis://, rediss:// or unix://")
        for name in ("database_url", "redis_url"):
            _check_url(name.upper(), getattr(self, name))
        if self.base_url and not ORIGIN.fullmatch(self.base_url):
            raise SettingError("BASE_URL must be a scheme and a host, such as https://api.example.com")
        if self.origins != [EVERY_ORIGIN] and not all(map(ORIGIN.fullmatch, self.origins)):
            raise SettingError("CORS_ORIGINS must be * or origins such as https://app.example.com, comma-separated")
        for name in ("api_v1_deprecation", "api_v1_sunset"):
            if not getattr(self, name).isprintable():
                raise SettingError(f"{name.upper()} must be one line of plain text")
        if self.log_format not in ("", "json", "text"):
            raise SettingError("LOG_FORMAT must be json or text")
        if self.log_level.lower() not in ("debug", "info", "warning", "error"):
            raise SettingError("LOG_LEVEL must be debug, info, warning or error")
        for name in ("key_limit", "default_limit", "sign_up_limit", "sign_in_limit", "unknown_key_limit"):
            _check_limit(name.upper(), getattr(self, name))
        unknown = self.of_plugins.keys() - DECLARED.keys()
        if unknown:
            raise SettingError(f"No plugin brings the setting {min(unknown).upper()}")
        for each in (*BOUNDS, *DECLARED.values()):
            each.check(getattr(self, each.name))

    @property
    def public_url(self) -> str:
        """The start of links to the service, without a slash at its end. Never taken from a request."""
        host = "localhost" if self.host in LOCAL_HOSTS else f"[{self.host}]" if ":" in self.host else self.host
        return self.base_url or f"http://{host}:{self.port}"

    @property
    def origins(self) -> list[str]:
        """The origins whose pages may call the routes of people; ``*`` alone means every one."""
        named = listed(self.cors_origins.lower())
        return named or ([] if self.production else [EVERY_ORIGIN])

    @property
    def plugin_names(self) -> list[str]:
        """The plugins to load besides those of the product."""
        return listed(self.plugins)

    @property
    def hosts(self) -> list[str]:
        """The hosts that requests may name, without ports; none means any."""
        named = listed(self.allowed_hosts)
        if self.production and not named and self.base_url:
            named = [urlsplit(self.base_url).hostname or ""]
        return [*named, *LOOPBACK_HOSTS] if named else []

    @property
    def production(self) -> bool:
        return self.environment == "production"


LOCAL_HOSTS = ("127.0.0.1", "::1", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
EVERY_ORIGIN = "*"
ORIGIN = re.compile(r"https?://[^/?#@*\s]+")
# Its origin stands in a header, where these characters would end it.
LOOPBACK_HOSTS = ("localhost", "127.0.0.1")

BOUNDS = tuple(Setting(name, low, "", low, high) for name, low, high in (
    ("port", 1, 65535), ("workers", 1, 256), ("database_pool_size", 1, 1000), ("database_pool_overflow", 0, 1000),
    ("database_connect_timeout", 1, 60), ("database_pool_timeout", 0.1, 600.0),
    ("database_statement_timeout", 0.1, 3600.0), ("database_lock_timeout", 0.1, 3600.0),
    ("database_idle_timeout", 0.1, 3600.0), ("database_upgrade_wait", 0.1, 86400.0),
    ("job_statement_timeout", 0.1, 86400.0), ("body_timeout", 0.1, 3600.0), ("stop_grace", 1, 3600),
    ("trusted_proxies", 0, 10), ("max_take", 1, 100_000), ("max_json_bytes", 1024, 64 * 1024 * 1024),
))  # fmt: skip

# Names at least this alike count as misspelt; shorter names are alike by chance.
ALIKE, MIN_NAME_LENGTH = 0.9, 7
SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"at most {high}" if low is None else f"at least {low}"
    return f"between {low} and {high}"


def named(variable: str, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The PLUGINS or DOMAINS that the environment names: they are loaded before their settings can be read."""
    return listed(environ.get(variable, ""))


def listed(names: str) -> list[str]:
    """The names in a setting, which are separated by commas."""
    return [each.strip() for each in names.split(",") if each.strip()]


def every_setting() -> list[tuple[str, Any, str]]:
    """List every setting as (variable, default, text), for the documentation and its test."""
    own = [(each.name, each.default, each.metadata["text"]) for each in fields(Settings) if each.name != "of_plugins"]
    of_plugins = [(each.name, each.default, each.text) for each in DECLARED.values()]
    return [(name.upper(), default, text) for name, default, text in (*own, *of_plugins)]


def misspelt(environ: Mapping[str, str] = os.environ) -> list[str]:
    """A sentence about each variable that is nearly a setting."""
    known = {name for name, _, _ in every_setting()}
    nearly = {name: get_close_matches(name, known - environ.keys(), 1, ALIKE) for name in environ if name not in known}
    meant = {name: found[0] for name, found in nearly.items() if found and len(name) >= MIN_NAME_LENGTH}
    return [f"{name} is no setting; did you mean {other}?" for name, other in meant.items()]


def _check_url(name: str, url: str) -> None:
    try:
        _ = urlsplit(url).port
    except ValueError:
        raise SettingError(f"{name} has a port that is no number") from None


def _check_limit(name: str, text: str) -> None:
    try:
        (limit,) = parse_many(text)
        fits = limit.amount >= 1
    except ValueError:
        fits = False
    if not fits:
        raise SettingError(f"{name} must be a limit such as 100 per minute, not {text!r}")


def _typed(name: str, raw: str, kind: str) -> Any:
    try:
        if kind == "int":
            return int(raw)
        if kind == "float":
            return float(raw)
        if kind == "bool":
            return SWITCHES[raw.lower()]
    except (ValueError, KeyError):
        expected = {"int": "a whole number", "float": "a number", "bool": "on or off"}[kind]
        raise SettingError(f"{name} must be {expected}, not {raw!r}") from None
    return raw
