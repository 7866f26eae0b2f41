"""Numbers without gaps, through a service that is killed while they are drawn."""

from __future__ import annotations

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from config import ROOT
from tests.end_to_end.service import free_port, gunicorn, started

pytestmark = pytest.mark.full

RENTAL = ROOT / "examples" / "rental"
INVOICE = {"dueOn": "2027-04-01", "total": {"amount": "12.50", "currency": "EUR"}}


def asked(port, path, token="", body=None):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    sent = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"http://127.0.0.1:{port}{path}", sent, headers), timeout=30) as answer:
        return json.load(answer)


def test_what_a_kill_breaks_off_leaves_no_gap_and_no_double(project, var_dir, tmp_path):
    start = project(RENTAL)
    assert start("-m", "flask", "db", "upgrade", plugins="rental.plugin").returncode == 0
    parts = {"VAR_DIR": var_dir, "DATABASE_URL": start.url, "PYTHONPATH": start.path, "PLUGINS": "rental.plugin"}
    port, told = free_port(), []
    with started(gunicorn(), port, tmp_path / "first", **parts) as process:
        account = {"email": "ada@numbers.example", "password": "a wise old heron", "name": "Ada"}
        token = asked(port, "/api/auth/signup", body=account)["token"]

        def draw(_):
            try:
                told.append(asked(port, "/api/v1/rental/invoice", token, INVOICE)["number"])
            except (URLError, OSError, HTTPException):
                return
            if len(told) == 20:
                os.killpg(process.pid, signal.SIGKILL)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(draw, range(60)))
        process.wait(30)
    with started(gunicorn(), port, tmp_path / "second", **parts):
        told.append(asked(port, "/api/v1/rental/invoice", token, INVOICE)["number"])
        kept = asked(port, "/api/v1/rental/invoice?sort=number&take=200", token)["data"]
    numbers = [each["number"] for each in kept]
    assert numbers == list(range(1, len(numbers) + 1))
    assert {*told} <= {*numbers}
    assert len(told) == len({*told}) >= 20
