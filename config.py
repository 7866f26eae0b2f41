"""Settings: every environment variable is read, typed and explained here, once."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from limits import parse_many

ROOT = Path(__file__).resolve().parent


class SettingError(Exception):
    """A missing or ill-typed setting; the message names it and says what it takes."""


def setting(default: Any, text: str) -> Any:
    """Declare one setting with its default and the one line that explains it."""
    return field(default=default, metadata={"text": text})


@dataclass(frozen=True)
class Settings:
    """The settings of one process, frozen after start; names are the environment variables in lower case."""

    environment: str = setting(
        "development", "development or production; production refuses to start without SECRET_KEY"
    )
    secret_key: str = setting("", "at least 32 characters; peppers the stored digests and encrypts secrets at rest")
    database_url: str = setting("", "PostgreSQL 15 or newer with pgvector; empty starts the embedded one under VAR_DIR")
    redis_url: str = setting("", "Redis 6 or newer; empty starts the embedded one under VAR_DIR")
    var_dir: str = setting(str(ROOT / "var"), "where the embedded servers and uploaded files keep their data")
    host: str = setting("127.0.0.1", "address that the service listens on")
    port: int = setting(3001, "port that the service listens on")
    base_url: str = setting("", "how people reach the service, such as https://api.example.com; the start of its links")
    password_min_length: int = setting(8, "fewest characters of a new password")
    cors_origins: str = setting(
        "",
        "origins whose pages may call the routes of people with bearer tokens, such as https://app.example.com, "
        "comma-separated, or *; empty means * in development and none in production",
    )
    allowed_hosts: str = setting(
        "",
        "the hosts that requests may name, comma-separated, .example.com for all below it; empty means any, in "
        "production the one of BASE_URL",
    )
    workers: int = setting(2, "gunicorn worker processes; as many as processors")
    database_pooler: bool = setting(
        False, "DATABASE_URL is PgBouncer in transaction mode, or a pooler like it: statements are not prepared"
    )
    database_pool_size: int = setting(10, "connections kept in each of a worker's two pools, for reads and for writes")
    database_pool_overflow: int = setting(20, "further connections that each pool may open under load")
    database_pool_timeout: float = setting(5.0, "seconds to wait for a free connection before answering 503")
    database_connect_timeout: int = setting(3, "seconds to wait for PostgreSQL to accept a connection")
    database_statement_timeout: float = setting(10.0, "seconds that a statement of a request may take")
    database_lock_timeout: float = setting(3.0, "seconds that a statement may wait for a lock")
    database_idle_timeout: float = setting(30.0, "seconds that a transaction may do nothing before it is ended")
    job_statement_timeout: float = setting(120.0, "seconds that a statement of a job, or of a wide removal, may take")
    trusted_proxies: int = setting(0, "how many hops of X-Forwarded-* headers are believed")
    max_take: int = setting(1000, "largest page a list may ask for with take")
    max_json_bytes: int = setting(1024 * 1024, "largest JSON body, in bytes")
    key_limit: str = setting("100 per minute", "requests of a key, unless the key has a limit of its own")
    default_limit: str = setting(
        "6000 per minute", "limit of the generic routes, for each credential or client address"
    )
    sign_up_limit: str = setting("30 per hour", "sign-ups from one network; loopback is not counted in development")
    sign_in_limit: str = setting("60 per minute", "sign-ins from one network; loopback is not counted in development")
    unknown_key_limit: str = setting(
        "60 per minute", "keys that do not exist, from one network; loopback is not counted in development"
    )
    body_timeout: float = setting(30.0, "seconds without a byte of a request before its connection is closed")
    stop_grace: int = setting(20, "seconds that requests and jobs may go on after a signal asked for the end")
    require_email_verification: bool = setting(False, "sign-in and new keys only for accounts with a verified address")
    upload_max_bytes: int = setting(25 * 1024 * 1024, "largest uploaded file, in bytes; buckets have limits besides")
    extraction_seconds: int = setting(20, "processor seconds for reading the text of a file; twice as long in all")
    extraction_memory: int = setting(512, "memory for reading the text of a file, in MiB")
    extraction_pages: int = setting(2000, "most pages of a file whose text is read")
    extraction_characters: int = setting(1_000_000, "most characters of text that is read from a file")
    rag_max_chunks: int = setting(10_000, "most chunks of a knowledge-base document")
    rag_max_bytes: int = setting(1024**3, "most bytes of text and chunks in the knowledge bases of an organization")
    s3_bucket: str = setting("", "bucket for uploaded files; empty keeps them under VAR_DIR")
    s3_endpoint_url: str = setting("", "address of the S3 service; empty means Amazon's")
    s3_region: str = setting("us-east-1", "region of the bucket")
    s3_access_key_id: str = setting("", "credential for the bucket; empty leaves it to the SDK's own search")
    s3_secret_access_key: str = setting("", "secret of that credential")
    key_max_days: int = setting(3650, "longest life of a signed-in user's key, in days; 365 is advised in production")
    github_client_id: str = setting("", "OAuth app at GitHub; empty switches sign-in with GitHub off")
    github_client_secret: str = setting("", "secret of that app")
    github_url: str = setting("https://github.com", "GitHub, or a GitHub Enterprise Server")
    github_api_url: str = setting("https://api.github.com", "its API")
    google_client_id: str = setting("", "OAuth client at Google; empty switches sign-in with Google off")
    google_client_secret: str = setting("", "secret of that client")
    google_issuer: str = setting("https://accounts.google.com", "issuer of Google's tokens, with discovery below it")
    microsoft_client_id: str = setting("", "app registration at Microsoft; empty switches sign-in with Microsoft off")
    microsoft_client_secret: str = setting("", "secret of that registration")
    microsoft_tenant: str = setting("common", "tenant id, or common, organizations or consumers for several tenants")
    microsoft_authority: str = setting(
        "https://login.microsoftonline.com", "Microsoft's sign-in, or that of a national cloud"
    )
    oauth_timeout: float = setting(10.0, "seconds to wait for an answer of a sign-in provider")
    sign_in_failures: int = setting(5, "failed sign-ins of one account before further ones are delayed")
    sign_in_failures_per_network: int = setting(5, "the same for one client address; raise it behind a shared address")
    query_key_safe_only: bool = setting(False, "narrow the api_key query parameter to GET and HEAD")
    streams_per_user: int = setting(20, "streams of notifications that a user may have open in each worker")
    teams_app_id: str = setting("", "app id of the bot and the tab in Microsoft Teams; empty switches Teams off")
    teams_app_secret: str = setting("", "client secret of the bot, for sending")
    teams_tenant_id: str = setting("", "tenant of the bot; empty for an old multi-tenant bot")
    teams_app_id_uri: str = setting("", "application ID URI of the tab, where it is not the usual one")
    teams_tenants: str = setting("", "tenants whose people may sign in through the tab, with commas; empty for any")
    teams_tab_clients: str = setting("", "client ids besides those of Teams that may get tab tokens, with commas")
    teams_connector_hosts: str = setting("", "hosts besides those of Teams that the bot may send to, with commas")
    teams_emulator: bool = setting(False, "accept activities of the Bot Framework Emulator; never in production")
    teams_certificates: str = setting("", "folder of private keys {id}.pem for Graph notifications with content")
    teams_bot_metadata_url: str = setting(
        "https://login.botframework.com/v1/.well-known/openidconfiguration", "where the Bot Framework tells its keys"
    )
    teams_bot_issuer: str = setting("https://api.botframework.com", "issuer of the Bot Framework's tokens")
    teams_graph_url: str = setting("https://graph.microsoft.com", "Microsoft Graph, or that of a national cloud")
    teams_graph_publisher: str = setting(
        "0bf30f3b-4a52-48df-9a82-234910c4a086", "app id under which Graph publishes notifications"
    )
    log_format: str = setting("", "json or text; empty means json in production, and text otherwise")
    log_level: str = setting("info", "debug, info, warning or error")
    log_requests: bool = setting(False, "write a line for each request; a proxy in front usually does")
    metrics: bool = setting(True, "answer /metrics to callers on the same machine that come through no proxy")
    metrics_token: str = setting("", "bearer token with which /metrics is answered to others too")
    analytics_days: int = setting(0, "days that analytics events and activities are kept; 0 keeps them for good")
    private_provider_urls: bool = setting(False, "allow model providers at private and loopback addresses")
    api_v1_deprecation: str = setting("", "Deprecation header of version 1 (RFC 9745), such as @1767225600")
    api_v1_sunset: str = setting("", "Sunset header of version 1 (RFC 8594), an HTTP date")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Read every setting from ``environ``; raises SettingError for the first one that does not fit."""
        values = {}
        for declared in fields(cls):
            raw = environ.get(declared.name.upper())
            if raw is not None and raw != "":
                values[declared.name] = _typed(declared.name.upper(), raw, str(declared.type))
        settings = cls(**values)
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
        providers = (self.github_client_id, self.google_client_id, self.microsoft_client_id)
        if self.production and any(providers) and not self.base_url:
            raise SettingError("BASE_URL is required where people sign in through providers in production")
        for name in ("api_v1_deprecation", "api_v1_sunset"):
            if not getattr(self, name).isprintable():
                raise SettingError(f"{name.upper()} must be one line of plain text")
        if self.log_format not in ("", "json", "text"):
            raise SettingError("LOG_FORMAT must be json or text")
        if self.log_level.lower() not in ("debug", "info", "warning", "error"):
            raise SettingError("LOG_LEVEL must be debug, info, warning or error")
        for name in ("key_limit", "default_limit", "sign_up_limit", "sign_in_limit", "unknown_key_limit"):
            _check_limit(name.upper(), getattr(self, name))
        for name, low, high in BOUNDS:
            if not low <= getattr(self, name) <= high:
                raise SettingError(f"{name.upper()} must be between {low} and {high}")

    @property
    def public_url(self) -> str:
        """The start of links to the service, without a slash at its end. Never taken from a request."""
        host = "localhost" if self.host in LOCAL_HOSTS else f"[{self.host}]" if ":" in self.host else self.host
        return self.base_url or f"http://{host}:{self.port}"

    @property
    def origins(self) -> list[str]:
        """The origins whose pages may call the routes of people; ``*`` alone means every one."""
        named = [each.strip().lower() for each in self.cors_origins.split(",") if each.strip()]
        return named or ([] if self.production else [EVERY_ORIGIN])

    @property
    def hosts(self) -> list[str]:
        """The hosts that requests may name, without ports; none means any."""
        named = [each.strip() for each in self.allowed_hosts.split(",") if each.strip()]
        if self.production and not named and self.base_url:
            named = [urlsplit(self.base_url).hostname or ""]
        return [*named, *LOOPBACK_HOSTS] if named else []

    @property
    def production(self) -> bool:
        return self.environment == "production"


LOCAL_HOSTS = ("127.0.0.1", "::1", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
EVERY_ORIGIN = "*"
ORIGIN = re.compile(r"https?://[^/?#@*\s]+")
LOOPBACK_HOSTS = ("localhost", "127.0.0.1")

BOUNDS = (
    ("port", 1, 65535),
    ("workers", 1, 256),
    ("password_min_length", 8, 128),
    ("database_pool_size", 1, 1000),
    ("database_pool_overflow", 0, 1000),
    ("database_connect_timeout", 1, 60),
    ("database_pool_timeout", 0.1, 600.0),
    ("database_statement_timeout", 0.1, 3600.0),
    ("database_lock_timeout", 0.1, 3600.0),
    ("database_idle_timeout", 0.1, 3600.0),
    ("job_statement_timeout", 0.1, 86400.0),
    ("body_timeout", 0.1, 3600.0),
    ("stop_grace", 1, 3600),
    ("extraction_seconds", 1, 3600),
    ("extraction_memory", 128, 65536),
    ("extraction_pages", 1, 1_000_000),
    ("extraction_characters", 1, 1_000_000),
    ("rag_max_chunks", 1, 1_000_000),
    ("rag_max_bytes", 1024, 2**53),
    ("trusted_proxies", 0, 10),
    ("max_take", 1, 100_000),
    ("max_json_bytes", 1024, 64 * 1024 * 1024),
    ("key_max_days", 1, 36500),
    ("upload_max_bytes", 1, 1024 * 1024 * 1024),
    ("analytics_days", 0, 36500),
    ("oauth_timeout", 0.1, 60.0),
    ("sign_in_failures", 1, 1000),
    ("streams_per_user", 1, 10_000),
    ("sign_in_failures_per_network", 1, 100_000),
)

# Names at least this alike count as misspelt; shorter names are alike by chance.
ALIKE, SHORTEST_NAME = 0.9, 7
SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def described() -> list[tuple[str, Any, str]]:
    """List every setting as (variable, default, text), for the documentation and its test."""
    return [
        (each.name.upper(), None if each.default is MISSING else each.default, each.metadata["text"])
        for each in fields(Settings)
    ]


def misspelt(environ: Mapping[str, str] = os.environ) -> list[str]:
    """A sentence about each variable that is nearly a setting."""
    known = {name for name, _, _ in described()}
    nearly = {name: get_close_matches(name, known - environ.keys(), 1, ALIKE) for name in environ if name not in known}
    meant = {name: found[0] for name, found in nearly.items() if found and len(name) >= SHORTEST_NAME}
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
