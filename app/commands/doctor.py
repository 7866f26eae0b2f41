"""flask doctor: checks everything that the service needs, and names what is wrong."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from urllib.parse import urlsplit

import click
import psycopg
from flask.cli import with_appcontext
from limits import parse
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from app.auth.models.identity import AuthUser
from app.auth.organizations import memberships
from app.commands.groups import as_json, show, unreachable
from app.engine.changes import status
from app.engine.read import concurrency
from app.engine.read.database import reading
from app.foundation.errors import Failure, require_found
from app.foundation.settings import settings
from app.mail import smtp
from app.ops.unfit_grants import unfit_grants
from app.runtime import connections, rate_limits
from app.schema import change_log, histories
from app.schema import versions as schema_version
from app.storage.object_store import object_store, put
from config import every_setting, misspelt

COLUMNS, OLDEST_SERVER = ("part", "state", "note"), 150000
# Seconds that the clocks of this machine and of the database may differ: tokens and limits go by both.
SKEW = 5.0
# Minutes that a job may wait before it looks as if no worker ran.
PATIENCE = 10
WORKS = "does flask jobs work run?"
LATE_JOBS = text("""
SELECT count(*) FROM procrastinate_jobs j
JOIN procrastinate_events e ON e.job_id = j.id AND e.type = 'deferred'
WHERE j.status = 'todo' AND coalesce(j.scheduled_at, e.at) < now() - make_interval(mins => :minutes)
""")
FAILED_JOBS = text("""
SELECT task_name, count(*) FROM procrastinate_jobs WHERE status = 'failed' GROUP BY task_name ORDER BY task_name
""")
REFUSED_MAIL = text("""
SELECT count(*) FROM platform_mail WHERE status = 'failed' AND created_at > now() - interval '1 day'
""")

# Settings that keep one caller from stopping the others: larger values loosen that.
BOUNDS = (
    "queries_per_user", "queries_at_once", "query_seconds", "query_timeout", "batch_timeout", "max_records",
    "max_json_bytes", "exports_per_user", "exports_at_once", "import_seconds", "import_memory", "import_max_bytes",
    "mails_per_address", "database_statement_timeout", "database_lock_timeout", "default_limit",
)  # fmt: skip
PARALLEL_WORKERS = text("SELECT current_setting('max_parallel_workers_per_gather')::int")


class Trouble(Exception):
    """Something is wrong; the text says what to do."""


class Advice(Exception):
    """Something works, and less well than it could; the text says how."""


@click.command("doctor")
@as_json
@with_appcontext
def command(as_json: bool) -> None:
    """Check the settings and every part that the service needs; exit status 1 when something is wrong."""
    found = [{"part": part, "state": state, "note": note} for part, state, note in _findings()]
    show(found if as_json else _once(found), as_json, COLUMNS)
    if any(each["state"] == "wrong" for each in found):
        raise SystemExit(1)


def _findings() -> Iterator[tuple[str, str, str]]:
    for part, look in CHECKS.items():
        try:
            yield part, "ok", look()
        except Advice as advice:
            yield part, "warning", str(advice)
        except Exception as error:
            yield part, "wrong", _trouble(error)


def _once(found: list[dict[str, str]]) -> list[dict[str, str]]:
    """The same with each long note once: one part that is away is the trouble of several."""
    first = {each["note"]: each["part"] for each in reversed(found)}
    return [
        each if each["state"] != "wrong" or first[each["note"]] == each["part"]
        else each | {"note": f"see {first[each['note']]}"}
        for each in found
    ]  # fmt: skip


def _trouble(error: Exception) -> str:
    if isinstance(error, Trouble):
        return str(error)
    if isinstance(error, Failure):
        return unreachable(error.__cause__) if isinstance(error.__cause__, DBAPIError | psycopg.Error) else error.text
    return f"{type(error).__name__}: {error}"  # a setting that a library cannot read


def _check_settings() -> str:
    if settings.production and not settings.base_url.startswith("https://"):
        raise Trouble("set BASE_URL to the https address that people use: cookies and links follow it")
    if settings.production and not settings.database_url:
        raise Trouble("set DATABASE_URL: the embedded PostgreSQL is for development")
    if settings.production and not settings.redis_url:
        raise Trouble("set REDIS_URL: the embedded Redis is for development")
    if misspelt():
        raise Trouble(" ".join(misspelt()))
    return settings.environment


def _check_database() -> str:
    with reading() as session:
        version = int(str(session.scalar(text("SHOW server_version_num"))))
    if version < OLDEST_SERVER:
        raise Trouble(f"PostgreSQL {version // 10000} is too old; 15 or newer is needed")
    return f"PostgreSQL {version // 10000}"


def _check_timeouts() -> str:
    """Behind a pooler the limits are not set at each connection, but with the role."""
    with reading() as session:
        found = {name: session.scalar(text(f"SHOW {name}")) for name in connections.timeouts(settings)}
    missing = [name for name, value in found.items() if value == "0"]
    if missing:
        raise Trouble(f"statements have no end: ALTER ROLE ... SET {missing[0]} = '10s', and so {', '.join(missing)}")
    return ", ".join(f"{name} {value}" for name, value in found.items())


def _check_bounds() -> str:
    """What is looser than by default may be meant so, and is good to know of when others wait."""
    usual = {name.lower(): default for name, default, _ in every_setting()}
    slots = concurrency.default_slots(settings)
    usual |= {"queries_per_user": slots.each, "exports_per_user": slots.each, "queries_at_once": slots.total}
    found = [(name, getattr(settings, name)) for name in BOUNDS]
    loose = [f"{name.upper()} is {value} ({usual[name]})" for name, value in found if _rate(value) > _rate(usual[name])]
    with reading() as session:
        if session.scalar(PARALLEL_WORKERS):
            loose.append(
                "a statement may take several processors: ALTER ROLE ... SET max_parallel_workers_per_gather = 0"
            )
    if loose:
        raise Advice(f"looser than by default, so that one caller may keep others waiting: {'; '.join(loose)}")
    return "as by default, or tighter"


def _rate(value: float | str) -> float:
    """A number, or how often a second ``6000 per minute`` allows something."""
    if not isinstance(value, str):
        return value
    limit = parse(value)
    return limit.amount / limit.get_expiry()


def _check_extensions() -> str:
    with reading() as session:
        found = session.scalar(text("SELECT extversion FROM pg_extension WHERE extname = 'vector'"))
    missing = Trouble("the extension vector is not there: install pgvector, and run flask db upgrade")
    return f"vector {require_found(found, missing)}"


def _check_text() -> str:
    """Lists compare and sort text with case aside, which is for the database to know."""
    with reading() as session:
        folds = session.scalar(text("SELECT lower('\u00c9') = '\u00e9'"))
        locale = session.scalar(text("SELECT datcollate FROM pg_database WHERE datname = current_database()"))
    if not folds:
        raise Advice(f"lower() knows ASCII alone (locale {locale}): \u00c9 and \u00e9 differ in conditions and sorts")
    return f"lower() knows more than ASCII (locale {locale})"


def _check_migrations() -> str:
    notes = [_schema(each) for each in schema_version.look()]
    if left := histories.orphaned_plugins():
        raise Advice("; ".join(map(str, left)))
    return ", ".join(notes)


def _schema(found: schema_version.HistoryState) -> str:
    of = f"{found.history.plugin} " if found.history.plugin else ""
    if found.head is None:
        raise Trouble(f"{found.history} has no migrations: run flask db migrate --plugin {found.history.plugin}")
    if found.state is schema_version.State.OLDER:
        raise Trouble(
            f"the schema of {found.history} is at {found.stored}, the code at {found.head}: run flask db upgrade"
        )
    if found.state is schema_version.State.TOO_NEW:
        raise Trouble(f"the schema is at {found.stored}, which this release cannot work with: install the newer one")
    newer = "" if found.state is schema_version.State.CURRENT else ", newer than the code, which can work with it"
    return f"{of}{found.stored}{newer}"


def _check_redis() -> str:
    if not rate_limits.counter().is_reachable():
        raise Trouble("Redis does not answer: limits are counted per process, streams look once in a while")
    return "reachable"


def _check_storage() -> str:
    content = secrets.token_bytes(32)
    key = put(content)
    try:
        if object_store().read(key) != content:
            raise Trouble("what was stored is not what is read")
    finally:
        object_store().remove(key)
    return "written, read and removed"


def _check_clock() -> str:
    before = time.time()
    with reading() as session:
        there = session.scalar(text("SELECT clock_timestamp()"))
    skew = abs((there or datetime.now(UTC)).timestamp() - (before + time.time()) / 2)
    if skew > SKEW:
        raise Trouble(f"the clocks of this machine and of the database differ by {skew:.0f} s")
    return f"{skew * 1000:.0f} ms"


def _check_jobs() -> str:
    with reading() as session:
        late = session.scalar(LATE_JOBS, {"minutes": PATIENCE}) or 0
        failed = session.execute(FAILED_JOBS).all()
    if late:
        raise Trouble(f"{late} jobs have waited for more than {PATIENCE} minutes: {WORKS}")
    if failed:
        named = ", ".join(f"{task} ({number})" for task, number in failed)
        raise Trouble(f"jobs have failed: {named}: see flask jobs list --status failed, and flask jobs retry")
    return "none waits, none has failed"


def _check_changes() -> str:
    if not settings.changes_days:
        return "none are kept"
    if missing := change_log.differences():
        raise Trouble(f"{len(missing)} tables do not write their changes as declared: run flask db upgrade")
    found = status.look()
    if found.ends_soon:
        raise Trouble(f"the log has partitions for {found.days} days, and without one nothing can be written: {WORKS}")
    if found.waits:
        raise Advice(found.waits)
    return f"{found.position} changes, partitions for {found.days} days"


def _check_mail() -> str:
    if not settings.mail_url and settings.production:
        raise Advice("set MAIL_URL: without it nobody recovers a password, proves or changes an address, or is invited")
    if not settings.mail_url:
        return "none is sent: messages are shown at /mailbox"
    try:
        smtp.check_connection(settings)
    except smtp.TemporaryFailure as failure:
        raise Trouble(f"the mail server cannot be used: {failure}") from None
    with reading() as session:
        refused = session.scalar(REFUSED_MAIL) or 0
    if refused:
        raise Advice(f"{refused} messages were refused or given up in a day: see flask mail list --status failed")
    return f"{smtp.sender(settings)} by {urlsplit(settings.mail_url).hostname}"


def _check_grants() -> str:
    if unfit := unfit_grants():
        raise Advice(f"{len(unfit)} grants name what is gone, and open nothing: {'; '.join(unfit[:3])}")
    return "all grants name what is there"


def _check_admins() -> str:
    with reading() as session:
        admins = select(AuthUser.id).where(AuthUser.role == "admin", AuthUser.banned.is_(False))
        bare = [each for each in session.scalars(admins) if not memberships.has_factor(session, each)]
    if bare and settings.production:
        raise Advice(f"{len(bare)} admins have no second factor and no passkey: they set one up at /account/security")
    return "all have a second factor or a passkey" if not bare else f"{len(bare)} without a second factor"


CHECKS: dict[str, Callable[[], str]] = {
    "settings": _check_settings,
    "database": _check_database,
    "timeouts": _check_timeouts,
    "bounds": _check_bounds,
    "grants": _check_grants,
    "extensions": _check_extensions,
    "text": _check_text,
    "migrations": _check_migrations,
    "redis": _check_redis,
    "storage": _check_storage,
    "clock": _check_clock,
    "jobs": _check_jobs,
    "changes": _check_changes,
    "mail": _check_mail,
    "admins": _check_admins,
}
