"""The wheel: installed into a fresh environment outside of the tree, it serves from an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import requests

from config import ROOT, VERSION
from tests.end_to_end.service import free_port, started
from tests.end_to_end.wheels import build_wheel, run

pytestmark = pytest.mark.full

UV = str(Path(sys.executable).parent / "uv")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def command(wheel, tmp_path_factory):
    """The command ``rowgate`` of a fresh environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("fresh")
    index = run(sys.executable, "-m", "pip", "config", "get", "global.index-url", cwd=folder).stdout.strip()
    settings = {"UV_DEFAULT_INDEX": os.environ.get("PIP_INDEX_URL") or index} if index else {}
    python = folder / "env" / "bin" / "python"
    steps = (
        ("venv", "--python", sys.executable, "env"),
        (
            "pip",
            "install",
            "--system-certs",
            "--python",
            str(python),
            "--require-hashes",
            "-r",
            str(ROOT / "requirements.lock"),
        ),
        ("pip", "install", "--python", str(python), "--offline", "--no-deps", str(wheel)),
        ("pip", "check", "--python", str(python)),
    )
    for step in steps:
        done = run(UV, *step, cwd=folder, **settings)
        assert done.returncode == 0, done.stderr
    return str(python.parent / "rowgate")


def test_the_wheel_holds_what_is_no_code_too(wheel):
    assert wheel.name.startswith(f"rowgate-{VERSION}-")
    held = set(zipfile.ZipFile(wheel).namelist())
    kinds = (".html", ".js", ".css", ".png", ".md", ".ini", ".mako", ".conf.py", ".po")
    listed = subprocess.run(
        ["git", "ls-files", "app", "migrations"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert {path for path in listed if path.endswith(kinds)} <= held
    assert {path for path in listed if path.endswith(".py") and "versions" in path} <= held
    assert not any(path.startswith(("tests/", "bench/", "docs/")) for path in held)


def test_pytest_finds_the_test_kit_in_the_wheel(wheel, tmp_path):
    shutil.unpack_archive(wheel, tmp_path / "installed", "zip")
    (tmp_path / "test_it.py").write_text(
        "def test_it(pytestconfig):\n    assert pytestconfig.pluginmanager.has_plugin('rowgate')\n"
    )
    options = ("-W", "error", "-p", "no:cacheprovider")
    done = run(sys.executable, "-m", "pytest", *options, cwd=tmp_path, PYTHONPATH=str(tmp_path / "installed"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_rowgate_serve_serves_from_an_empty_folder_by_the_env_file_there(command, tmp_path):
    port = free_port()
    (tmp_path / ".env").write_text(f"PORT={port}\nWORKERS=1\n")
    log = tmp_path / "log"
    with started([command, "serve", "--sample"], port, log, folder=tmp_path):
        address = f"http://127.0.0.1:{port}"
        assert requests.get(f"{address}/readyz", timeout=10).json()["status"] == "ok"
        key = next(line.split()[-1] for line in log.read_text().splitlines() if "API key" in line)
        listed = requests.get(f"{address}/api/v1/crm/contact", headers={"Authorization": f"Bearer {key}"}, timeout=10)
        assert listed.json()["meta"]["count"] > 0
        assert "<title>" in requests.get(f"{address}/console", timeout=10).text
        (script,) = re.findall('src="(/console/assets/[^"]+)"', requests.get(f"{address}/console", timeout=10).text)
        assert requests.get(f"{address}{script}", timeout=10).status_code == 200
    assert (tmp_path / "var").is_dir()


def test_folders_of_these_names_without_code_are_no_obstacle(command, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "site.toml").write_text("")
    assert run(command, "plugins", cwd=tmp_path).returncode == 0


def test_rowgate_is_the_command_line_of_the_service(command, tmp_path):
    shown = run(command, "--help", cwd=tmp_path)
    assert {"serve", "users", "keys", "db", "doctor", "plugins"} <= set(shown.stdout.split())


@pytest.mark.parametrize("foreign", ["app/__init__.py", "config.py", "schemas/__init__.py", "blueprints.py"])
def test_it_does_not_start_where_something_else_would_be_imported_in_its_place(command, tmp_path, foreign):
    path = tmp_path / foreign
    path.parent.mkdir(exist_ok=True)
    path.write_text("raise SystemExit('the wrong one')\n")
    refused = run(command, "serve", cwd=tmp_path)
    assert refused.returncode == 1
    assert "would be imported in place of the service's own" in refused.stderr
    assert "the wrong one" not in refused.stderr
    assert str(tmp_path) in refused.stderr
