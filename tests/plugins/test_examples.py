"""The examples: their own tests pass, and they use public names alone; the helpdesk as written for 0.3 still runs, and
Conduit passes the collection of RealWorld."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from config import ROOT
from tests.end_to_end.service import environment, free_port, gunicorn, started

# A project that was made from this checkout has left here what names the kit to pytest a second time.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

EXAMPLES = ("helpdesk", "conduit", "directory", "rental")
OF_0_3 = ROOT / "tests" / "plugins" / "helpdesk_of_0_3"
# The collection is not ours to keep: CONDUIT_COLLECTION names a copy of api/Conduit.postman_collection.json at this
# commit of gothinkster/realworld.
COLLECTION_COMMIT = "747190ecf0bb27d461cf1100f6cb3468c6c914ed"
COLLECTION_HASH = "d6e9a7e5ea83e60afff7e1ed171995e268d9be1486d2616475c995f0cdfea8b1"
NEWMAN = "newman@6.2.2"
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


@pytest.mark.full
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_tests_of_an_example_pass(name):
    assert " passed" in outcome_of_tests(ROOT / "examples" / name)


@pytest.mark.variants
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_uses_public_names_alone(name, var_dir):
    checked = run(ROOT / "examples" / name, *CHECK, PLUGINS=f"{name}.plugin", VAR_DIR=var_dir)
    assert (checked.returncode, checked.stdout) == (0, "Every name that is used is public\n"), checked.stderr


@pytest.mark.full
@pytest.mark.skipif("CONDUIT_COLLECTION" not in os.environ, reason="CONDUIT_COLLECTION names no file")
def test_conduit_passes_the_collection_of_realworld(project, var_dir, tmp_path):
    collection = Path(os.environ["CONDUIT_COLLECTION"])
    assert sha256(collection.read_bytes()).hexdigest() == COLLECTION_HASH, f"that is not the one of {COLLECTION_COMMIT}"
    start = project(ROOT / "examples" / "conduit")
    assert start("-m", "flask", "db", "upgrade", plugins="conduit.plugin").returncode == 0
    port, parts = free_port(), {"VAR_DIR": var_dir, "DATABASE_URL": start.url, "PYTHONPATH": start.path}
    with started(gunicorn(), port, tmp_path / "log", PLUGINS="conduit.plugin", **parts):
        for name in ("ada", "bob"):  # who comes to an empty service, and to what the first has left
            given = {"APIURL": f"http://127.0.0.1:{port}/api/conduit", "USERNAME": name, "EMAIL": f"{name}@example.com",
                     "PASSWORD": "a wise old heron"}  # fmt: skip
            variables = [part for item in given.items() for part in ("--global-var", "=".join(item))]
            done = subprocess.run(["npx", "--yes", NEWMAN, "run", str(collection), *variables], check=False, text=True,
                                  capture_output=True, timeout=300, cwd=tmp_path)  # fmt: skip
            assert done.returncode == 0, done.stdout[-5000:]


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
