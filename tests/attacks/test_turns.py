"""No body keeps the thread of a web worker for long: others have their turn in between."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from app.runtime.embedded import database_url
from config import ROOT

pytestmark = pytest.mark.full


def test_the_largest_bodies_keep_no_worker_from_its_other_requests(app, var_dir):
    command = [sys.executable, "-m", "tests.attacks.turns", database_url(var_dir), var_dir]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) > 600
    assert {status for _, status, _ in found} >= {200, 201, 400, 404}
    assert [each for each in found if each[0] > 1] == []
