"""Domains are plugins, and the picture in the documentation is the order in which rooms import each other."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter

import pytest

from app import plugins
from app.jobs.registry import JOBS, PERIODIC
from app.product import PRODUCT
from config import ROOT

LOADED = plugins.load()


def test_every_domain_is_a_plugin_and_every_plugin_is_loaded():
    found = {path.parent.name for path in (ROOT / "app").glob("*/plugin.py")}
    assert found - {"testing"} == set(PRODUCT), "that one is for pytest"
    assert [plugin.name.replace("-", "_") for plugin in LOADED] == list(PRODUCT)


def test_plugins_say_what_they_are_in_a_sentence():
    assert all(re.fullmatch(r"[A-Z].+\.", plugin.summary) for plugin in LOADED)


def test_plugins_do_not_share_tables_or_jobs():
    tables = Counter(table.__tablename__ for plugin in LOADED for table in plugin.tables())
    jobs = Counter(name for plugin in LOADED for name in (*plugin.jobs, *(each.name for each in plugin.periodic)))
    assert tables.most_common(1)[0][1] == jobs.most_common(1)[0][1] == 1


def test_what_plugins_bring_is_what_the_worker_does():
    assert {name for plugin in LOADED for name in plugin.jobs} == JOBS.keys()
    assert [each for plugin in LOADED for each in plugin.periodic] == PERIODIC


def test_the_picture_in_the_documentation_is_what_lint_checks():
    page = (ROOT / "docs" / "architecture.md").read_text()
    picture = re.search(r"```\n(rowgate\n.*?)```", page, re.DOTALL)[1].splitlines()
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rooms, http = (contract["layers"] for contract in contracts[:2])
    inside = [" | ".join(f"app.{name}" for name in layer.split(" | ")) for layer in rooms]
    assert [layer for layer in picture if layer not in ("rowgate", "blueprints", "schemas")] == inside
    assert http == picture[: len(http)]


OURS = ("app", "blueprints", "schemas", "config", "tests", "bench")
ALLOWED = {
    "config.py": set(),
    "wsgi.py": {"app", "app.factory", "app.runtime", "config"},
    "app/plugins.py": {
        "app",
        "app.engine",
        "app.extension_points",
        "app.foundation",
        "app.jobs",
        "app.product",
        "app.schema",
        "config",
    },
    "app/extensions.py": set(),
}


@pytest.mark.parametrize(("path", "allowed"), ALLOWED.items(), ids=list(ALLOWED))
def test_modules_at_the_top_import_only_what_they_put_together(path, allowed):
    imported = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        imported |= {
            name for name in names if name.split(".")[0] in ("app", "blueprints", "schemas", "config", "tests")
        }
    rooms = {".".join(name.split(".")[:2]) for name in imported}
    assert rooms == allowed


def test_the_tests_of_a_room_lie_under_its_name():
    rooms = {path.name for path in (ROOT / "app").iterdir() if (path / "__init__.py").exists()}
    across = {"account", "attacks", "bench", "blueprints", "end_to_end", "faults", "migrations", "mutations", "node"}
    across |= {"plugins", "publishing", "schemas", "studio"}
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert folders - across <= rooms
    assert rooms <= folders
