"""Log lines: for people, for machines, with the request they belong to, and never with a secret."""

from __future__ import annotations

import io
import json
import logging
from functools import wraps
from logging.config import dictConfig

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.foundation import crypto
from app.runtime import logs
from config import Settings


@pytest.fixture
def lines():
    """Configures a logger of its own as the service does, and gives it with what it wrote."""
    written = io.StringIO()

    def configured(**settings):
        configuration = logs.configuration(Settings(**settings))
        configuration["handlers"]["stderr"]["stream"] = written
        del configuration["root"]
        configuration["loggers"] = {"app.tried": {"level": "INFO", "handlers": ["stderr"], "propagate": False}}
        dictConfig(configuration)
        return logging.getLogger("app.tried"), written

    return configured


def test_production_writes_json(lines):
    log, written = lines(environment="production", secret_key="x" * 40)
    log.warning("Redis is away: %s", "TimeoutError", extra={"route": "/api/v1/crm/deal"})
    line = json.loads(written.getvalue())
    assert (line["event"], line["level"], line["logger"]) == ("Redis is away: TimeoutError", "warning", "app.tried")
    assert line["route"] == "/api/v1/crm/deal"
    assert line["timestamp"].endswith("Z")


def test_a_terminal_gets_a_plain_line(lines):
    log, written = lines()
    log.warning("Redis is away")
    assert "[warning" in written.getvalue()
    assert "Redis is away" in written.getvalue()
    assert "\x1b" not in written.getvalue()


def test_a_traceback_is_one_field_of_one_line(lines):
    log, written = lines(log_format="json")
    try:
        int("no password in postgresql://ada:hunter2@db/x")
    except ValueError:
        log.exception("Failed")
    (line,) = written.getvalue().splitlines()
    assert "ValueError" in json.loads(line)["exception"]
    assert "hunter2" not in line


def test_what_is_logged_in_a_request_names_it(app, lines):
    log, written = lines(log_format="json")
    view = app.view_functions["monitoring.healthz"]

    @wraps(view)
    def telling():
        log.info("Inside")
        return view()

    app.view_functions["monitoring.healthz"] = telling
    try:
        app.test_client().get("/healthz", headers={"X-Request-Id": "request-0001"})
    finally:
        app.view_functions["monitoring.healthz"] = view
    assert json.loads(written.getvalue())["requestId"] == "request-0001"


AROUND = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=20)


@given(kind=st.sampled_from(crypto.PREFIXES), before=AROUND, after=AROUND)
def test_no_token_is_ever_written(kind, before, after):
    token = crypto.make(kind)
    assert token not in logs.without_secrets(f"{before} {token} {after}")
    assert token not in logs.without_secrets(f"{before}?api_key={token}&{after}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("GET /x?api_key=abc&take=5", "GET /x?api_key=***&take=5"),
        ("redis://:pass@cache:6379/0", "redis://:***@cache:6379/0"),
        ("redis://:p@ss@cache:6379/0", "redis://:***@cache:6379/0"),
        ("authorization: BASIC YWRhOng=", "authorization: BASIC ***"),
        ("access_token=abc&client_secret=def", "access_token=***&client_secret=***"),
        ("took 5 s: nothing hidden, code=5", "took 5 s: nothing hidden, code=5"),
        ("http://127.0.0.1:3001/x", "http://127.0.0.1:3001/x"),
    ],
)
def test_only_secrets_are_hidden(text, shown):
    assert logs.without_secrets(text) == shown


def test_a_line_for_each_request_is_written_where_wanted(build, caplog):
    app = build(log_requests=True)
    with caplog.at_level(logging.INFO, "rowgate"):
        app.test_client().get("/api/v1/crm/deal/00000000-0000-7000-8000-000000000000?api_key=rg_key_x")
        app.test_client().get("/nowhere/rg_key_x")
    record, unmatched = (each for each in caplog.records if each.name == "rowgate")
    assert (record.method, record.route, record.status) == ("GET", "/api/v1/crm/deal/<string:id>", 401)
    assert unmatched.route == "unmatched"
    assert "rg_key_x" not in str(record.__dict__)
