"""rowgate new: a project of its own, and what it is not called."""

from __future__ import annotations

import ast
import tomllib

import pytest
from click.testing import CliRunner

from app.commands.new import command


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda name: CliRunner().invoke(command, [name])


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
        ("Shop", "A name has lowercase letters"), ("../shop", "A name has"), ("s" * 31, "30 at most"),
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
