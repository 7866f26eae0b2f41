"""Settings that do not fit end gunicorn, with a line that names them: no worker is started again and again."""

from __future__ import annotations

import subprocess

import pytest

from config import ROOT
from tests.end_to_end.service import environment, free_port, gunicorn


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("PORT", "many", "PORT must be a whole number"),
        ("KEY_MAX_DAYS", "0", "KEY_MAX_DAYS must be between 1 and 36500"),
        ("PLUGINS", "nowhere", "PLUGINS names nowhere"),
    ],
)
def test_gunicorn_ends_when_a_setting_does_not_fit(var_dir, variable, value, text):
    settings = {"VAR_DIR": var_dir, "PORT": str(free_port())} | {variable: value}
    done = subprocess.run(
        gunicorn(2), cwd=ROOT, env=environment(**settings), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert text in done.stderr
