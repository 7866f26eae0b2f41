"""Needed parts going away under a running service, and coming back."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from app.runtime.embedded import Postgres, Redis
from app.testing.parts import UNSAFE_BUT_FAST
from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.service import FLASK, environment, free_port, gunicorn, started

pytestmark = pytest.mark.full

COMPANIES = "/api/v1/crm/company"


@pytest.fixture(scope="module")
def parts():
    """A PostgreSQL and a Redis that a test may stop."""
    folder = tempfile.mkdtemp(prefix="rgo-")
    postgres, redis = Postgres(folder, UNSAFE_BUT_FAST), Redis(folder)
    postgres.start()
    redis.start()
    yield folder, postgres, redis
    postgres.stop()
    redis.stop()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def service(parts):
    folder, _, _ = parts
    env = environment(VAR_DIR=folder)
    run = {"cwd": ROOT, "env": env, "check": True, "capture_output": True}
    subprocess.run([*FLASK, "db", "upgrade"], **run)
    subprocess.run([*FLASK, "users", "create", "--email", "a@example.com", "--password", "correct horse"], **run)
    made = subprocess.run([*FLASK, "sessions", "create", "--user", "a@example.com", "--json"], **run)
    port = free_port()
    with started(gunicorn(), port, Path(folder) / "log", VAR_DIR=folder):
        yield port, json.loads(made.stdout)["token"]


def call(service, method="GET", path=COMPANIES, body=None):
    port, token = service
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        return response.status, response.headers, json.loads(response.read())
    finally:
        connection.close()


def test_with_the_database_away_data_routes_answer_503_and_recover_by_themselves(parts, service):
    _, postgres, _ = parts
    assert call(service, "POST", body={"name": "Before"})[0] == 201
    postgres.stop()
    for method, body in (("GET", None), ("POST", {"name": "During"})):
        status, headers, answer = call(service, method, body=body)
        assert (status, answer) == (503, {"error": "The service is temporarily unavailable"})
        assert int(headers["Retry-After"]) >= 1
    assert call(service, path="/healthz")[0] == 200
    assert call(service, path="/readyz")[0] == 503
    postgres.start()
    await_true(lambda: call(service)[0] == 200)
    assert call(service)[2]["total"] == 1


def test_with_redis_away_data_routes_go_on_and_the_counting_comes_back(parts, service):
    _, _, redis = parts
    redis.stop()
    assert call(service)[0] == 200
    assert call(service, "POST", body={"name": "Meanwhile"})[0] == 201
    assert call(service, path="/readyz")[2]["redis"] == "unreachable"
    redis.start()
    await_true(lambda: call(service, path="/readyz")[2]["status"] == "ok")
