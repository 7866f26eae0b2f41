"""One row for each check of a key, written off the request path.

Rows wait in the process for a second at most and then go to the database together. A graceful stop writes what
waits; a process that is killed loses the rows of its last second, never more than ``MAX_WAITING``. While the
database is away rows wait up to that number, and further ones are dropped with a line in the log: a request is never
refused for the sake of its record.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import UUID

import psycopg
from flask import Flask, Response, current_app, g, request
from uuid_utils.compat import uuid7

from app.engine.declare.principal import SYSTEM, scope_of
from app.engine.read.encoding import dumps
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation import origin
from app.foundation.clock import now
from app.foundation.errors import Failure

log = logging.getLogger(__name__)

EVERY = 1.0
MAX_WAITING = 10_000
BATCH = 1_000
MAX_ROUTE_LENGTH = 255

# The owner is taken from the key as it stands; one that went meanwhile leaves a row without key.
INSERT = """
INSERT INTO auth_api_key_analytics (
    id, created_at, updated_at, time, key_id, user_id, organization_id, request_id, outcome, method, route,
    status_code, required_scope, credential_source, spent_credits, latency_ms, ip_address, user_agent, tags)
SELECT r.id, r.time, r.time, r.time, k.id, k.user_id, k.organization_id, r.request_id, r.outcome, r.method, r.route,
    r.status_code, r.required_scope, r.credential_source, 0, r.latency_ms, r.ip_address, r.user_agent, '{}'
FROM jsonb_to_recordset(%s::jsonb) AS r (
    id uuid, time timestamptz, key_id uuid, request_id text, outcome text, method text, route text, status_code int,
    required_scope text, credential_source text, latency_ms int, ip_address text, user_agent text)
LEFT JOIN auth_api_key k ON k.id = r.key_id
ON CONFLICT (id) DO NOTHING
"""


@dataclass(slots=True)
class Check:
    """The check of the key that the running request presented, as far as it has come."""

    key_id: UUID | None
    outcome: str
    credential_source: str


@dataclass
class Recorder:
    """The rows of one process that wait to be written."""

    app: Flask
    waiting: deque[Mapping[str, Any]] = field(default_factory=deque)
    dropped: int = 0
    _stopping: threading.Event = field(default_factory=threading.Event)
    _writer: threading.Thread | None = None
    _starting: threading.Lock = field(default_factory=threading.Lock)
    _flushing: threading.Lock = field(default_factory=threading.Lock)

    def add(self, row: Mapping[str, Any]) -> None:
        if len(self.waiting) >= MAX_WAITING:
            self.dropped += 1
            return
        self.waiting.append(row)
        if self._writer is None:
            self._start()

    def flush(self) -> None:
        """Write all that waits; rows that cannot be written now wait on. Whoever comes second waits for the first."""
        with self._flushing:
            while self.waiting:
                batch = [self.waiting.popleft() for _ in range(min(BATCH, len(self.waiting)))]
                try:
                    self._write(batch)
                except BaseException:
                    self.waiting.extendleft(reversed(batch))
                    raise
            if self.dropped:
                log.warning("%d rows of key use were dropped while the database was away", self.dropped)
                self.dropped = 0

    def close(self) -> None:
        """Write what waits and write no more by itself."""
        self._stopping.set()
        try:
            self.flush()
        except Failure as failure:
            log.warning("%d rows of key use are lost: %s", len(self.waiting), failure.text)

    def _start(self) -> None:
        # Not before the first row: a thread does not survive the fork that makes a worker.
        with self._starting:
            if self._writer is None:
                self._writer = threading.Thread(target=self._run, name="key-use", daemon=True)
                self._writer.start()

    def _run(self) -> None:
        while not self._stopping.wait(EVERY):
            try:
                self.flush()
            except Failure as failure:
                log.warning("Key use cannot be written now: %s", failure.text)
            except Exception:
                log.exception("Key use cannot be written")

    def _write(self, batch: list[Mapping[str, Any]]) -> None:
        with self.app.app_context():
            if not _is_taken(batch):
                for row in batch:
                    _is_taken([row])


def _is_taken(rows: list[Mapping[str, Any]]) -> bool:
    """Insert rows; False where one of them is not fit, as when its key was deleted meanwhile. Raises other failures."""
    try:
        run_unit(SYSTEM, _insert, rows)
    except Failure as failure:
        if not isinstance(failure.__cause__, psycopg.IntegrityError | psycopg.DataError):
            raise
        return False
    return True


def _insert(unit: Unit, rows: list[Mapping[str, Any]]) -> None:
    driver_connection(unit.session).execute(INSERT, (dumps(rows).decode(),))


def init_app(app: Flask) -> None:
    """Record the checks of keys in requests to ``app``."""
    app.extensions["usage"] = Recorder(app)
    app.after_request(_record)


def begin(key_id: UUID | None, outcome: str, *, from_query: bool) -> None:
    """Note that the running request presented a key of good form, and what looking it up came to."""
    g.key_check = Check(key_id, outcome, "query" if from_query else "header")


def set_outcome(outcome: str) -> None:
    """Note what the check of the presented key came to in the end; nothing where there was none."""
    check: Check | None = g.get("key_check")
    if check is not None:
        check.outcome = outcome


def flush(app: Flask) -> None:
    """Write the rows that wait in this process."""
    app.extensions["usage"].flush()


def close(app: Flask) -> None:
    """Write the rows that wait, at the end of the process."""
    app.extensions["usage"].close()


def _record(response: Response) -> Response:
    known = g._get_current_object()
    check: Check | None = known.get("key_check")
    if check is not None:
        asked = request._get_current_object()  # type: ignore[attr-defined]
        row = {
            "id": uuid7(),
            "time": now(),
            "key_id": check.key_id,
            "request_id": known.request_id,
            "outcome": check.outcome,
            "method": asked.method[:10],
            "route": _template(asked.url_rule.rule) if asked.url_rule else None,
            "status_code": response.status_code,
            "required_scope": _scope_needed(),
            "credential_source": check.credential_source,
            "latency_ms": int((time.perf_counter() - known.began) * 1000),
            "ip_address": origin.address(),
            "user_agent": origin.user_agent(),
        }
        current_app.extensions["usage"].add(row)
    return response


def _scope_needed() -> str:
    """The scope of the verb, or that of reading where a POST asks for no more."""
    if request.method != "POST":
        return scope_of(request.method)
    access = getattr(current_app.view_functions.get(request.endpoint or ""), "access", None)
    return "read" if access is not None and access.reads else scope_of(request.method)


@cache
def _template(rule: str) -> str:
    """``/x/<string:id>`` as the documentation writes it: ``/x/{id}``."""
    return re.sub(r"<(?:[^:>]*:)?([^>]*)>", r"{\1}", rule)[:MAX_ROUTE_LENGTH]
