"""An API key and thirty days of its use: exports at night, some reading by day, and one run into the limit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from app.auth import api_keys
from app.auth.models.keys import AuthApiKey, AuthApiKeyAnalytics
from app.ops.samples.people import Team
from app.ops.samples.scene import Scene

NAME = "Nightly export"
ISSUED = 32
DAYS = 30
EXPORTED = ("/api/v1/crm/company", "/api/v1/crm/contact", "/api/v1/crm/deal")
READ_BY_DAY = (*EXPORTED, "/api/v1/crm/deal/{id}", "/api/v1/ai-rag/document")
SATURDAY = 5
# Days before today on which the export ran wild, and on which somebody tried to write with it.
BURST, WRITE_TRIED = 6, 19
LIMIT, BEYOND_LIMIT = 100, 14


def make(scene: Scene, team: Team) -> None:
    """Store the key and one row for each request that presented it."""
    key, _ = api_keys.issue(scene.unit, team.admin, scopes=["read"], name=NAME)
    rows = [*_by_night(scene), *_by_day(scene), *_burst(scene), *_writes(scene)]
    for row in rows:
        row.key_id, row.user_id, row.organization_id = key.id, team.admin.id, team.organization.id
    scene.store_all((row, row.time) for row in rows)
    _settle(scene, team, key, rows)


def _settle(scene: Scene, team: Team, key: AuthApiKey, rows: list[AuthApiKeyAnalytics]) -> None:
    issued = scene.at(ISSUED, "16:30")
    key.organization_id, key.expires_at = team.organization.id, issued + api_keys.DEFAULT_LIFE
    key.request_count, key.last_used_at = len(rows), max(row.time for row in rows)
    scene.store(key, issued)


def _by_night(scene: Scene) -> Iterator[AuthApiKeyAnalytics]:
    for days in range(DAYS, 0, -1):
        for seconds, route in enumerate(EXPORTED, start=2):
            yield _request(scene, scene.at(days, "02:00") + timedelta(seconds=seconds), route)


def _by_day(scene: Scene) -> Iterator[AuthApiKeyAnalytics]:
    for days in range(DAYS, 0, -1):
        noon = scene.at(days, "12:00")
        for _ in range(scene.random.randint(2, 6) if noon.weekday() < SATURDAY else 0):
            time = noon + timedelta(milliseconds=scene.random.randrange(6 * 3600 * 1000))
            yield _request(scene, time, scene.random.choice(READ_BY_DAY))


def _burst(scene: Scene) -> Iterator[AuthApiKeyAnalytics]:
    """More requests within one minute than a key may make."""
    start = scene.at(BURST, "11:30")
    for number in range(LIMIT + BEYOND_LIMIT):
        request = _request(scene, start + timedelta(milliseconds=400 * number), "/api/v1/crm/deal")
        if number >= LIMIT:
            request.outcome, request.status_code, request.latency_ms = "RATE_LIMITED", 429, scene.random.randint(1, 3)
        yield request


def _writes(scene: Scene) -> Iterator[AuthApiKeyAnalytics]:
    """A key that can only read was used for changes."""
    for clock in ("09:41", "09:43"):
        request = _request(scene, scene.at(WRITE_TRIED, clock), "/api/v1/crm/deal", method="POST")
        request.outcome, request.status_code = "INSUFFICIENT_PERMISSIONS", 403
        yield request


def _request(scene: Scene, time: datetime, route: str, *, method: str = "GET") -> AuthApiKeyAnalytics:
    return AuthApiKeyAnalytics(
        request_id=f"{scene.random.getrandbits(128):032x}", time=time, outcome="VALID", method=method, route=route,
        status_code=200, required_scope="read" if method == "GET" else "write", latency_ms=scene.random.randint(4, 38),
        ip_address="203.0.113.24", user_agent="harbour-export/1.4",
    )  # fmt: skip
