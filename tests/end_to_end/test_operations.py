"""Measurements and log lines of a real service of several workers."""

from __future__ import annotations

import http.client
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.testing.waiting import await_true
from tests.end_to_end.service import free_port, gunicorn, started
from tests.notification.sse import EventStream

pytestmark = pytest.mark.full


@pytest.fixture
def service(app, var_dir, tmp_path):
    port, log = free_port(), tmp_path / "log"
    settings = {"VAR_DIR": var_dir, "LOG_FORMAT": "json", "LOG_REQUESTS": "1", "TMPDIR": str(tmp_path)}
    with started(gunicorn(3), port, log, **settings) as master:
        yield port, master, log
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("rowgate-metrics")] == []


def sample(port, name, **labels):
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        families = text_string_to_metric_families(answer.read().decode())
        found = [each for family in families for each in family.samples if each.name == name]
    return sum(each.value for each in found if labels.items() <= each.labels.items())


def ask(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_folder_of_measurements_that_was_named_is_begun_anew_and_kept(app, var_dir, tmp_path):
    folder = tmp_path / "measured"
    for _ in range(2):
        port = free_port()
        settings = {"VAR_DIR": var_dir, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
        with started(gunicorn(1), port, tmp_path / "log", **settings):
            ask(port, "/api/v1/crm/deal")
            assert sample(port, "rowgate_requests_total", route="/api/v1/crm/deal") == 1
    assert folder.is_dir()


def test_the_numbers_are_those_of_all_workers(service):
    port, _, _ = service
    with ThreadPoolExecutor(20) as pool:
        assert set(pool.map(lambda _: ask(port, "/api/v1/crm/deal"), range(200))) == {401}
    assert sample(port, "rowgate_requests_total", route="/api/v1/crm/deal", status="401") == 200


def test_streams_of_a_killed_worker_are_not_counted_any_more(service, cast):
    port, master, _ = service
    owner = cast.user()
    with EventStream(port, owner.token) as one, EventStream(port, owner.token) as other:
        assert (one.next().name, other.next().name) == ("ready", "ready")
        assert sample(port, "rowgate_open_streams") == 2
        for worker in psutil.Process(master.pid).children():
            os.kill(worker.pid, signal.SIGKILL)
        await_true(lambda: ask_or_none(port) == 200)
        # The next worker is there within milliseconds, and may answer before the end of all others is known.
        await_true(lambda: sample(port, "rowgate_open_streams") == 0, 5)


def ask_or_none(port):
    try:
        return ask(port, "/healthz")
    except OSError:
        return None


def test_every_line_of_the_log_is_json_and_requests_name_themselves(service):
    port, _, log = service
    assert ask(port, "/api/v1/crm/deal?api_key=rg_key_secret") == 401
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (request,) = [each for each in lines if each.get("route") == "/api/v1/crm/deal"]
    assert (request["status"], bool(request["requestId"])) == (401, True)
    assert "rg_key_secret" not in log.read_text()
    assert any("Booting worker" in each["event"] for each in lines)
