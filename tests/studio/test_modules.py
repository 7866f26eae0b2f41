"""The modules of the studio, each by itself: what vitest asks of them over the catalogue of all models, and of the data
provider against the running service."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from config import ROOT
from tests.studio import refusals

STUDIO = ROOT / "studio"


@pytest.fixture
def said(cast, tmp_path):
    """A file with what the service says of itself."""
    file = tmp_path / "said.json"
    catalogue = cast.admin.get("/api/v1/_catalogue", headers={"Accept-Language": "en"}).json
    file.write_text(json.dumps({"catalogue": catalogue, "refusals": refusals.sentences()}))
    return file


def test_each_module_does_what_its_own_tests_say(cast, service, said):
    reader = {"NO_COLOR": "1", "TZ": "UTC"}
    asked = {"ROWGATE_URL": service, "ROWGATE_TOKEN": cast.user().token, "ROWGATE_SAID": str(said)}
    run = subprocess.run(
        ["npx", "--no-install", "vitest", "run", "--allowOnly=false", "--testTimeout=60000"],
        cwd=STUDIO, env=os.environ | reader | asked, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
