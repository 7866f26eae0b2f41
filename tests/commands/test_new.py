"""rowgate new: a project of its own, and what it is not called."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from app.commands import new
from config import ROOT
from tests.end_to_end.service import environment


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda name: CliRunner().invoke(new.command, [name])


def test_every_file_of_a_project_is_one_that_can_be_read(run, tmp_path):
    assert run("my-shop").exit_code == 0
    folder = tmp_path / "my-shop"
    modules = list(folder.rglob("*.py"))
    assert {"models.py", "0001_projects_and_tasks.py", "test_tasks.py"} <= {each.name for each in modules}
    for each in modules:
        ast.parse(each.read_text())
    assert tomllib.loads((folder / "pyproject.toml").read_text())["project"]["name"] == "my-shop"
    written = [each for each in folder.rglob("*") if each.is_file() and ".git" not in each.parts]
    assert not [each for each in written if "{{" in each.read_text()]
    assert (folder / "my_shop" / "plugin.py").exists()
    assert (folder / ".gitignore").exists()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Shop", "A name has lowercase letters"), ("../Shop", "A name has"), ("s" * 31, "30 at most"),
        ("", "A name has"),
        ("class", "is the name of something else"), ("json", "is the name of something else"),
        ("flask", "is the name of something else"), ("schemas", "is the name of something else"),
        ("rowgate", "is the name of something else"), ("crm", "Rowgate has a domain called crm"),
    ],
)  # fmt: skip
def test_a_name_that_would_be_in_the_way_is_refused(run, tmp_path, name, told):
    refused = run(name)
    assert (refused.exit_code, told in refused.output) == (1, True), refused.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", ["file", "folder", "link", "broken link"])
def test_what_is_there_is_left_alone(run, tmp_path, there):
    path = tmp_path / "shop"
    if there == "file":
        path.write_text("mine")
    elif there == "folder":
        path.mkdir()
        (path / "mine").write_text("mine")
    else:
        target = tmp_path / "elsewhere"
        if there == "link":
            target.mkdir()
        path.symlink_to(target)
    refused = run("shop")
    assert (refused.exit_code, "There is a shop already" in refused.output) == (1, True)
    assert sum(1 for _ in tmp_path.rglob("*")) <= 2


def sourced(tmp_path):
    return (tmp_path / "shop" / "local.mk").read_text().splitlines()[-1]


def test_a_project_comes_from_the_checkout_that_made_it_and_git_leaves_that_out(run, tmp_path):
    assert run("shop").exit_code == 0
    assert sourced(tmp_path) == f"ROWGATE_SOURCE ?= {ROOT}"
    tracked = subprocess.run(["git", "ls-files"], cwd=tmp_path / "shop", capture_output=True, text=True, check=True)
    assert "Makefile" in tracked.stdout
    assert "local.mk" not in tracked.stdout


def test_a_project_may_be_made_beside(run, tmp_path):
    (tmp_path / "here").mkdir()
    os.chdir(tmp_path / "here")
    made = run("../shop")
    assert made.exit_code == 0
    assert made.output.endswith("cd ../shop; make serve\n")
    assert (tmp_path / "shop" / "shop" / "models.py").exists()


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """The command where it is installed, with what pip has noted of the source."""

    def note(noted):
        monkeypatch.setattr(new, "ROOT", tmp_path / "site-packages")
        monkeypatch.setattr(new, "distribution", lambda name: SimpleNamespace(read_text=lambda file: noted))

    return note


def test_a_project_comes_from_the_wheel_that_was_installed(run, tmp_path, installed):
    wheel = tmp_path / "my wheels" / "rowgate-1.whl"
    wheel.parent.mkdir()
    wheel.touch()
    installed(json.dumps({"url": wheel.as_uri(), "archive_info": {}}))
    assert run("shop").exit_code == 0
    assert sourced(tmp_path) == f"ROWGATE_SOURCE ?= {wheel}"


@pytest.mark.parametrize(
    "noted", [None, '{"url": "file:///gone/rowgate-1.whl"}', '{"url": "https://example.com/r.whl"}']
)
def test_a_project_comes_from_the_index_where_no_file_is_noted(run, tmp_path, installed, noted):
    installed(noted)
    assert run("shop").exit_code == 0
    assert not (tmp_path / "shop" / "local.mk").exists()


@pytest.mark.full
def test_a_checkout_has_the_command(tmp_path):
    """Made by make in an environment of packages, as for ``make serve``."""
    folders = ("rowgate", "app", "blueprints", "schemas", "migrations")
    for name in (*folders, "config.py", "wsgi.py", "Makefile", "requirements.lock"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "setup.cfg").symlink_to(ROOT / "setup.cfg")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "run").touch()
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    options = {"cwd": tmp_path, "env": environment(), "capture_output": True, "text": True, "check": False}
    made = subprocess.run(["make", ".venv/bin/rowgate"], **options)
    assert made.returncode == 0, made.stderr
    asked = subprocess.run([".venv/bin/rowgate", "new", "--help"], **options)
    assert "Make a project in FOLDER" in asked.stdout, asked.stderr
