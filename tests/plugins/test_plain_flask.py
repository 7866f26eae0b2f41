"""Ordinary Flask stays ordinary in a plugin: blueprints, what runs before and after, failures, and the test client."""

from __future__ import annotations

import json

from tests.plugins.conftest import HERE


def test_a_blueprint_of_flask_does_what_it_does_elsewhere(run):
    done = run(str(HERE / "use_plain_flask.py"), plugins="plain_flask")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "home": [200, "<h1>Books &amp; more</h1>", "1", True],
        "closed": "Closed",
        "mine": True,
        "nobody": 401,
        "old": [302, "/library/"],
        "late": [409, {"said": "A week late"}],
        "broken": [500, {"code": "UNKNOWN_ERROR"}],
        "forgotten": 403,
    }
    assert "GET '/library/broken': UNKNOWN_ERROR" in done.stderr
