"""The larger example: its own tests pass, and it uses public names alone."""

from __future__ import annotations

import subprocess
import sys

from config import ROOT
from tests.end_to_end.service import environment

# A project that was made from this checkout has left here what names the kit to pytest a second time.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

EXAMPLE = ROOT / "examples" / "helpdesk"


def run(*arguments, **settings):
    path = f"{ROOT}:{EXAMPLE}"
    options = {"capture_output": True, "text": True, "timeout": 300, "check": False}
    given = environment(PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1", **ALONE, **settings)
    return subprocess.run([sys.executable, *arguments], cwd=EXAMPLE, env=given, **options)


def test_its_tests_pass():
    done = run("-m", "pytest", "-q", "-p", "app.testing.plugin", "-p", "no:cacheprovider", "-c", "pyproject.toml")
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout


def test_it_uses_public_names_alone(var_dir):
    checked = run("-m", "flask", "--app", "wsgi:app", "plugins", "check", PLUGINS="helpdesk.plugin", VAR_DIR=var_dir)
    assert (checked.returncode, checked.stdout) == (0, "Every name that is used is public\n"), checked.stderr
