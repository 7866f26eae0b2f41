"""The larger example: its own tests pass, and it uses public names alone; as it was written for 0.3, it still runs."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from config import ROOT
from tests.end_to_end.service import environment

# A project that was made from this checkout has left here what names the kit to pytest a second time.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

EXAMPLE = ROOT / "examples" / "helpdesk"
OF_0_3 = ROOT / "tests" / "plugins" / "helpdesk_of_0_3"
CHECK = ("-m", "flask", "--app", "wsgi:app", "plugins", "check")


def run(folder, *arguments, **settings):
    path = f"{ROOT}:{folder}"
    options = {"capture_output": True, "text": True, "timeout": 300, "check": False}
    given = environment(PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1", **ALONE, **settings)
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=given, **options)


def outcome_of_tests(folder):
    """What pytest says of the tests in a folder, which pass."""
    done = run(
        folder, "-m", "pytest", "-q", "-p", "app.testing.plugin", "-p", "no:cacheprovider", "-c", "pyproject.toml"
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return done.stdout


def test_its_tests_pass():
    assert " passed" in outcome_of_tests(EXAMPLE)


def test_it_uses_public_names_alone(var_dir):
    checked = run(EXAMPLE, *CHECK, PLUGINS="helpdesk.plugin", VAR_DIR=var_dir)
    assert (checked.returncode, checked.stdout) == (0, "Every name that is used is public\n"), checked.stderr


@pytest.mark.full
def test_as_written_for_0_3_it_runs_unchanged_with_warnings():
    told = outcome_of_tests(OF_0_3)
    assert " passed" in told
    for old, new in (
        ("app.engine.record.Record", "rowgate.Record"),
        ("blueprints.base.wanted", "rowgate.http.parse_id"),
    ):
        assert f"DeprecationWarning: {old} is called {new} since 0.4, and goes with 0.5" in told


@pytest.mark.full
def test_what_goes_of_0_3_is_named_and_rewritten_on_demand(var_dir, tmp_path):
    folder = tmp_path / "helpdesk"
    shutil.copytree(OF_0_3, folder)
    given = {"PLUGINS": "helpdesk.plugin", "VAR_DIR": var_dir}
    named = run(folder, *CHECK, **given)
    assert named.returncode == 1
    assert (
        "hooks.py:12: app.engine.hooks.refusing is called rowgate.failing_at since 0.4, and goes with 0.5"
        in named.stdout
    )
    fixed = run(folder, *CHECK, "--fix", **given)
    assert (fixed.returncode, fixed.stdout.splitlines()[-1]) == (0, "Every name that is used is public"), fixed.stderr
    assert " passed" in outcome_of_tests(folder)
