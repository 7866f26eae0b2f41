"""Exports by real workers: clients that go away or stop reading, statements that break off, places, and memory."""

from __future__ import annotations

import http.client
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson
import psutil
import psycopg
import pytest

from app.analytics.models import AnalyticsEvent
from app.runtime.embedded import database_url
from app.testing.waiting import await_true
from tests import gone
from tests.end_to_end.service import free_port, gunicorn, started

pytestmark = pytest.mark.full

PATH = "/api/v1/analytics/event/_export?as=ndjson"
# Far more than what lies between a worker and a client that does not read.
ROWS, TEXT = 4000, "lorem ipsum " * 1250
STALL = 3
RUNNING = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY (%' AND state = 'active'"
COLUMNS = ", ".join(
    each.name for each in AnalyticsEvent.__table__.columns if each.computed is None and each.name != "id"
)
FILL = f"""
INSERT INTO analytics_event (id, {COLUMNS})
SELECT gen_random_uuid(), {COLUMNS} FROM analytics_event, generate_series(2, %s) WHERE id = %s
"""


@dataclass(frozen=True)
class Service:
    """A service that runs."""

    port: int
    pid: int
    log: Path


@pytest.fixture(scope="module")
def database(app, var_dir):
    with psycopg.connect(database_url(var_dir), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def teller(cast, database):
    """Somebody with events that are long to tell."""
    owner = cast.user()
    event = owner.post("/api/v1/analytics/event", {"name": "told", "properties": {"text": TEXT}}).json["id"]
    database.execute(FILL, (ROWS, event))
    return owner


@pytest.fixture(scope="module")
def service(app, var_dir, tmp_path_factory):
    number, log = free_port(), tmp_path_factory.mktemp("exports") / "log"
    settings = {"EXPORT_STALL": str(STALL), "EXPORTS_PER_USER": "2", "DATABASE_LOCK_TIMEOUT": "60"}
    with started(gunicorn(2), number, log, VAR_DIR=var_dir, **settings) as process:
        yield Service(number, process.pid, log)


@contextmanager
def asked(service, actor, path=PATH, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    connection.request("GET", path, headers={"Authorization": f"Bearer {actor.token}", **headers})
    try:
        yield connection
    finally:
        connection.close()


def running(database):
    return database.execute(RUNNING).fetchone()[0]


def test_a_whole_export_comes_through(service, teller, database):
    with asked(service, teller) as connection:
        lines = connection.getresponse().read().splitlines()
    assert len(lines) == ROWS
    assert orjson.loads(lines[0])["properties"] == {"text": TEXT}
    await_true(lambda: running(database) == 0, 1)


def test_a_client_that_goes_away_ends_the_statement_within_a_second(service, teller, database):
    with asked(service, teller) as connection:
        response = connection.getresponse()
        response.read(100_000)
        assert running(database) == 1
        response.close()
    await_true(lambda: running(database) == 0, 1)
    assert "Traceback" not in service.log.read_text()


def test_so_does_one_that_goes_before_there_is_anything_to_read(service, teller, database, var_dir):
    with psycopg.connect(database_url(var_dir)) as holder:
        holder.execute("LOCK TABLE analytics_event")
        with asked(service, teller):
            await_true(lambda: running(database) == 1, 10)
        await_true(lambda: running(database) == 0, 1)
    assert "Traceback" not in service.log.read_text()


@pytest.mark.parametrize("version", [10, 11])
def test_a_client_that_stops_reading_is_cut_off(service, teller, database, version, monkeypatch):
    monkeypatch.setattr(http.client.HTTPConnection, "_http_vsn", version)
    monkeypatch.setattr(http.client.HTTPConnection, "_http_vsn_str", f"HTTP/1.{version - 10}")
    with asked(service, teller) as connection:
        response = connection.getresponse()
        response.read(1000)
        assert running(database) == 1
        await_true(lambda: running(database) == 0, STALL + 2)
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            response.read()


@pytest.mark.parametrize("version", [10, 11])
def test_what_fails_in_the_middle_does_not_end_as_if_it_were_whole(service, teller, database, version, monkeypatch):
    monkeypatch.setattr(http.client.HTTPConnection, "_http_vsn", version)
    monkeypatch.setattr(http.client.HTTPConnection, "_http_vsn_str", f"HTTP/1.{version - 10}")
    for ending in ("pg_cancel_backend", "pg_terminate_backend"):
        with asked(service, teller) as connection:
            response = connection.getresponse()
            response.read(1000)
            database.execute(RUNNING.replace("count(*)", f"{ending}(pid)"))
            with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
                response.read()
        with asked(service, teller, "/api/v1/analytics/event?take=1&fields=name") as connection:
            assert connection.getresponse().status == 200


@pytest.mark.parametrize("way", [gone.banned, gone.deleted, gone.removed, gone.demoted, gone.signed_out])
def test_an_export_breaks_off_when_its_caller_goes_or_loses_a_right(service, teller, cast, database, way):
    member = cast.colleague(teller, role="admin")
    with asked(service, member) as connection:
        response = connection.getresponse()
        response.read(1000)
        way(cast, teller, member)
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            read_slowly(response)
    await_true(lambda: running(database) == 0, 2)


@pytest.mark.parametrize("way", ["revoked", "narrowed"])
def test_an_export_breaks_off_when_its_key_ends_or_is_narrowed(service, teller, cast, way):
    key = cast.key(teller, "read")
    with asked(service, key) as connection:
        response = connection.getresponse()
        response.read(1000)
        held = teller.get(gone.KEY, query_string={"sort": "-createdAt"}).json["data"][0]["id"]
        path = f"{gone.KEY}/{held}"
        ended = teller.delete(path) if way == "revoked" else teller.put(path, {"access": [{"models": ["analytics/*"]}]})
        assert ended.status_code == 200
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            read_slowly(response)


def read_slowly(response):
    """Read to the end, so slowly that a whole export takes a minute."""
    while response.read(1 << 16):
        time.sleep(0.05)


def test_a_user_has_two_exports_at_a_time_over_all_workers(service, teller, cast, database):
    key, other = cast.key(teller, "read"), cast.user()
    with asked(service, teller) as first, asked(service, key) as second:
        assert [each.getresponse().status for each in (first, second)] == [200, 200]
        for _ in range(6):
            with asked(service, teller) as third:
                refused = third.getresponse()
                assert (refused.status, refused.headers["Retry-After"]) == (429, "10")
                assert orjson.loads(refused.read())["code"] == "RATE_LIMITED"
        with asked(service, other) as connection:
            assert connection.getresponse().status == 200
    await_true(lambda: running(database) == 0, 2)
    with asked(service, teller) as connection:
        assert connection.getresponse().status == 200


def test_an_export_takes_no_more_memory_than_its_blocks(service, teller):
    """60 MB on their way to a client, once as they are and once compressed."""
    workers = psutil.Process(service.pid).children()
    before = {each.pid: most_memory(each.pid) for each in workers}
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        with asked(service, teller, **headers) as connection:
            response = connection.getresponse()
            size = 0
            while block := response.read(1 << 16):
                size += len(block)
            assert size > (100_000 if headers else ROWS * len(TEXT))
    grown = [most_memory(each.pid) - before[each.pid] for each in workers]
    assert max(grown) < 20


def most_memory(pid):
    """The most MiB that the process has had so far."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024
