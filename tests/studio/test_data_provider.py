"""The data provider of the TypeScript client against the running service, as react-admin expects it to be."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

STUDIO = Path(__file__).parents[2] / "studio"


def test_the_provider_does_what_react_admin_expects(cast, service):
    environment = os.environ | {"NO_COLOR": "1", "ROWGATE_URL": service, "ROWGATE_TOKEN": cast.user().token}
    run = subprocess.run(
        ["npx", "--no-install", "vitest", "run", ],
        cwd=STUDIO, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "24 passed" in run.stdout
