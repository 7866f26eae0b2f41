"""An API key and thirty days of its use: exports at night, some reading by day, and one run into the limit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from app.auth.keys import api_keys
from app.auth.models.keys import AuthApiKey, AuthApiKeyAnalytics
from app.ops.samples.context import Context
from app.ops.samples.people import Team

NAME = "Nightly export"
ISSUED = 32
DAYS = 30
EXPORTED = ("/api/v1/crm/company", "/api/v1/crm/contact", "/api/v1/crm/deal")
READ_BY_DAY = (*EXPORTED, "/api/v1/crm/deal/{id}", "/api/v1/ai-rag/document")
SATURDAY = 5
# Days before today on which the export ran wild, and on which somebody tried to write with it.
BURST, WRITE_TRIED = 6, 19
LIMIT, BEYOND_LIMIT = 100, 14


def make(context: Context, team: Team) -> None:
    """Store the key and one row for each request that presented it."""
    key, _ = api_keys.issue(context.unit, team.admin, scopes=["read"], name=NAME)
    rows = [*_by_night(context), *_by_day(context), *_burst(context), *_writes(context)]
    for row in rows:
        row.key_id, row.user_id, row.organization_id = key.id, team.admin.id, team.organization.id
    context.store_all((row, row.time) for row in rows)
    _settle(context, team, key, rows)


def _settle(context: Context, team: Team, key: AuthApiKey, rows: list[AuthApiKeyAnalytics]) -> None:
    issued = context.at(ISSUED, "16:30")
    key.organization_id, key.expires_at = team.organization.id, issued + api_keys.DEFAULT_LIFE
    key.request_count, key.last_used_at = len(rows), max(row.time for row in rows)
    context.store(key, issued)


def _by_night(context: Context) -> Iterator[AuthApiKeyAnalytics]:
    for days in range(DAYS, 0, -1):
        for seconds, route in enumerate(EXPORTED, start=2):
            yield _request(context, context.at(days, "02:00") + timedelta(seconds=seconds), route)


def _by_day(context: Context) -> Iterator[AuthApiKeyAnalytics]:
    for days in range(DAYS, 0, -1):
        noon = context.at(days, "12:00")
        for _ in range(context.random.randint(2, 6) if noon.weekday() < SATURDAY else 0):
            time = noon + timedelta(milliseconds=context.random.randrange(6 * 3600 * 1000))
            yield _request(context, time, context.random.choice(READ_BY_DAY))


def _burst(context: Context) -> Iterator[AuthApiKeyAnalytics]:
    """More requests within one minute than a key may make."""
    start = context.at(BURST, "11:30")
    for number in range(LIMIT + BEYOND_LIMIT):
        request = _request(context, start + timedelta(milliseconds=400 * number), "/api/v1/crm/deal")
        if number >= LIMIT:
            request.outcome, request.status_code, request.latency_ms = "RATE_LIMITED", 429, context.random.randint(1, 3)
        yield request


def _writes(context: Context) -> Iterator[AuthApiKeyAnalytics]:
    """A key that can only read was used for changes."""
    for clock in ("09:41", "09:43"):
        request = _request(context, context.at(WRITE_TRIED, clock), "/api/v1/crm/deal", method="POST")
        request.outcome, request.status_code = "INSUFFICIENT_PERMISSIONS", 403
        yield request


def _request(context: Context, time: datetime, route: str, *, method: str = "GET") -> AuthApiKeyAnalytics:
    return AuthApiKeyAnalytics(
        request_id=f"{context.random.getrandbits(128):032x}", time=time, outcome="VALID", method=method, route=route,
        status_code=200, required_scope="read" if method == "GET" else "write",
        latency_ms=context.random.randint(4, 38), ip_address="203.0.113.24", user_agent="harbour-export/1.4",
    )  # fmt: skip
