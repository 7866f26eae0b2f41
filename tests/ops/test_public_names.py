"""The names that plugins may use: they are there, they say what they are for, and anything else is found."""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from dataclasses import fields
from importlib import import_module

import pytest

from app.foundation.deprecation import Renamed, renamed
from app.ops import public_names
from app.ops.public_names import public
from config import ROOT
from rowgate import Policy

OURS = ("app.", "blueprints.", "schemas.", "config")
NAMES = [(module, name) for module, names in public().items() for name in names]


def test_every_public_name_is_there_and_says_what_it_is_for():
    named = {(module, name): getattr(import_module(module), name) for module, name in NAMES}
    ours = {each: found for each, found in named.items() if getattr(found, "__module__", "").startswith(OURS)}
    spoken = {each: found for each, found in ours.items() if inspect.isclass(found) or inspect.isfunction(found)}
    assert [each for each, found in spoken.items() if not inspect.getdoc(found)] == []


@pytest.fixture
def problems(tmp_path):
    """What is found in the code of a plugin."""

    def find(code):
        file = tmp_path / "hooks.py"
        file.write_text(code)
        return [f"{use.line}: {use.name} {use.problem}" for use in public_names._of_file(file)]

    return find


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from rowgate import on_create\nfrom rowgate.models import CrmDeal\nimport flask\n", []),
        ("from rowgate.testing import Cast\nfrom rowgate.testing.every_model import *\n", []),
        ("from rowgate import index, sorted_by, unique, MONEY\nfrom rowgate.kinds import Integer\n", []),
        ("from rowgate import Nothing\n", ["1: rowgate.Nothing is gone"]),
        ("from rowgate.models import CrmNothing\n", ["1: rowgate.models.CrmNothing is gone"]),
        ("from rowgate.http import credentials_required, Any\n", ["1: rowgate.http.Any is gone"]),
        (
            "from app.crm.models import CrmDeal\n",
            ["1: app.crm.models.CrmDeal is called rowgate.models.CrmDeal since 0.4, and goes with 0.5"],
        ),
        (
            "from app.jobs import queue\n\nqueue.defer(1)\n",
            ["3: app.jobs.queue.defer is called rowgate.defer since 0.4, and goes with 0.5"],
        ),
        ("from app.engine.write.hooks import run\n", ["1: app.engine.write.hooks.run is private"]),
        ("\nfrom app.engine.hooks import on_change\n", ["2: app.engine.hooks.on_change is gone"]),
        ("from app.effects import Effect\n", ["1: app.effects.Effect is gone"]),
        ("import app.engine.hooks\n", ["1: app.engine.hooks is imported whole: import the names that you use"]),
        ("from app.jobs import queue\n\nqueue.QUEUES\n", ["3: app.jobs.queue.QUEUES is private"]),
        ("from app.jobs import worker\n", ["1: app.jobs.worker is private"]),
        ("from .models import Task\n", []),
    ],
)
def test_what_is_gone_or_private_is_named_with_its_line(problems, code, found):
    assert problems(code) == found


def test_what_the_examples_use_is_public(problems):
    for folder in (ROOT / "tests" / "plugins" / "gadgets", ROOT / "app" / "ops" / "project" / "package"):
        for file in (*folder.rglob("*.py"), *folder.rglob("*.py.tmpl")):
            assert problems(re.sub(r"\{\{(\w+)\}\}", r"\1", file.read_text())) == [], file


# Where the words of a declaration come from.
DECLARE = "app.engine.declare"
VOCABULARY = (
    *(f"{DECLARE}.{each}" for each in ("fields", "indexes", "kinds", "policy", "scopes")),
    "app.engine.write.hooks",
)


def words_of(code):
    """What a piece of code calls, and the constants that it names."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.Name) and node.id.isupper():
            yield node.id


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_what_the_pages_tell_people_to_declare_with_is_public(problems, page):
    declared = {
        name
        for module in VOCABULARY
        for name, found in vars(import_module(module)).items()
        if getattr(found, "__module__", "") == module and (callable(found) or name.isupper())
    }
    private = declared - {name for names in public().values() for name in names}
    for code in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        assert private & set(words_of(code)) == set()
        assert problems("\n".join(re.findall(r"^from rowgate\S* import [^(\n]+$", code, re.MULTILINE))) == []


def test_every_argument_of_a_policy_is_explained():
    explained = (ROOT / "docs" / "authorization.md").read_text().partition("Argument of `Policy`")[2]
    assert [each.name for each in fields(Policy) if f"`{each.name}`" not in explained] == []


def test_a_name_that_has_changed_works_with_a_warning_and_is_found(problems, monkeypatch):
    module = import_module("app.engine.write.hooks")
    find = renamed(
        module.__name__, {"on_insert": Renamed("app.engine.write.hooks.on_create", since="0.4", until="0.5")}
    )
    monkeypatch.setattr(module, "__getattr__", find, raising=False)
    told = "app.engine.write.hooks.on_insert is called app.engine.write.hooks.on_create since 0.4, and goes with 0.5"
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert module.on_insert is module.on_create
        assert [str(each.message) for each in caught] == [told]
        assert problems("from app.engine.write.hooks import on_insert\n") == [f"1: {told}"]
        with pytest.raises(AttributeError):
            find("on_nothing")
    finally:
        public_names.RENAMED.pop("app.engine.write.hooks.on_insert")
