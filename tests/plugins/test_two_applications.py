"""Two applications with different plugins in one process."""

from __future__ import annotations

import json

import pytest

PROGRAM = """
import json

import pytest
from app.factory import create_app
from config import Settings

with_gadgets, without = (create_app(Settings(plugins=each)) for each in ("gadgets.plugin", ""))
said = []
for app in (with_gadgets, without):
    client = app.test_client()
    described = client.get("/api/v1/openapi.json").json["paths"]
    with app.app_context():
        from app.engine.declare.catalogue import every_model
        models = [model.domain for model in every_model()]
    answered = client.get("/api/v1/gadgets/gadget").status_code
    said.append([answered, "/api/v1/gadgets/gadget" in described, "gadgets" in models])
print(json.dumps(said))
"""


@pytest.mark.full
def test_each_serves_and_describes_its_own_plugins(run):
    done = run("-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [[401, True, True], [404, False, False]]
