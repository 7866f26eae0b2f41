"""What is wrong with a plugin is said at the start, in one sentence that names both sides."""

from __future__ import annotations

from itertools import count

import pytest

from app import plugins
from app.plugins import Plugin
from config import VERSION, SettingError

MODEL = '''
from typing import Any
from sqlalchemy.orm import Mapped
from app.engine.declare.fields import enum, string, reference, virtual, CALLER_USER, FILTERABLE
from app.engine.declare.indexes import unique
from app.engine.declare.kinds import Boolean
from app.engine.declare.rules import excludes
from app.engine.declare.policy import Policy
from app.engine.declare.scopes import Owner
from app.engine.declare.record import Record
from uuid import UUID


class Thing(Record):
    """A thing."""

    __tablename__ = "{table}"
    domain, segment = "{domain}", "{segment}"
    {policy}
    owner_id: Mapped[UUID] = reference("auth_user", "cascade", FILTERABLE, default=CALLER_USER)
    name: Mapped[str] = string(max=20)
'''
POLICY = 'policy = Policy(Owner("owner_id"))'
PLUGIN = """
from app.plugins import Plugin
{above}
plugin = Plugin("{name}", "Things.", {more})
"""
MODELS = "import {module}_models as models"
ROUTES = """
from flask import Blueprint
from app.auth.credentials.access import open_to_all


def build():
    blp = Blueprint("{name}", __name__)

    @blp.get("{path}")
    @open_to_all("a test")
    def handler():
        return "ok"

    return blp
"""
COMMAND = "import click\n\n\n@click.command('{name}')\ndef command():\n    pass\n"
JOB = "from app.jobs.registry import Job"
FAILURE = "from app.foundation.errors import Failure\n\n\nclass Mine(Failure):\n    code = '{code}'\n"
SETTING = "from config import Setting"
numbers = count(1)


@pytest.fixture
def started(run, tmp_path):
    """Starts with plugins made of: what stands above, what is brought, and modules beside it."""

    def start(*given, flask=("routes",)):
        names = []
        for name, above, more, modules in given:
            module = f"{name.replace('-', '_')}_{next(numbers)}"
            for suffix, text in modules.items():
                (tmp_path / f"{module}_{suffix}.py").write_text(text)
            text = PLUGIN.format(name=name, above=above, more=more)
            (tmp_path / f"{module}.py").write_text(text.replace("MODULE", module))
            names.append(module)
        path = f"{run.path}:{tmp_path}"
        return run("-m", "flask", *flask, plugins=",".join(names), pythonpath=path)

    return start


def with_model(name, *, table="things_thing", domain="things", segment="thing", policy=POLICY):
    model = MODEL.format(table=table, domain=domain, segment=segment, policy=policy)
    return name, "import MODULE_models as models", "models=(models,)", {"models": model}


def with_words(right, wrong):
    """A model with something misspelt."""
    name, above, more, modules = with_model("things")
    return name, above, more, {"models": modules["models"].replace(right, wrong)}


def with_routes(name, path, blueprint=""):
    more = 'blueprints=("MODULE_routes:build",)'
    return name, "", more, {"routes": ROUTES.format(name=blueprint or name, path=path)}


def with_command(name, command):
    return name, "", 'commands=("MODULE_commands:command",)', {"commands": COMMAND.format(name=command)}


def requiring(name, *requirements, version="1.0"):
    return name, "", f"version={version!r}, requires={list(requirements)!r}", {}


def with_job(name, job):
    return name, JOB, f'jobs={{"{job}": Job(print)}}', {}


BOTH = {
    "The plugin crm and the plugin things_": [with_model("things", table="crm_contact")],
    "The plugin crm and the plugin things both bring domains crm": [with_model("things", domain="crm")],
    "The plugin crm and the plugin things both bring paths /api/v1/crm/contact": [
        with_model("things", policy=f'{POLICY}\n    path = "/api/v1/crm/contact"')
    ],
    "The plugin things and the plugin others both bring domains things": [
        with_model("things"), with_model("others", table="others_thing")
    ],
    "The plugin things and the plugin others both bring classes Thing": [
        with_model("things"), with_model("others", table="others_thing", domain="others")
    ],
    "Rowgate and the plugin things both bring the path GET /healthz": [with_routes("things", "/healthz")],
    "Rowgate and the plugin things both bring the path GET /api/v1/crm/contact/": [
        with_routes("things", "/api/v1/crm/contact/<id>")
    ],
    "The plugin others and the plugin things both bring the path GET /a": [
        with_routes("things", "/a"), with_routes("others", "/a")
    ],
    "Rowgate and the plugin things both bring commands serve": [with_command("things", "serve")],
    "The plugin things and the plugin others both bring commands x": [
        with_command("things", "x"), with_command("others", "x")
    ],
    "The plugin things and the plugin others both bring jobs do_it": [
        with_job("things", "do_it"), with_job("others", "do_it")
    ],
    "Rowgate and the plugin things both bring jobs resume_stalled": [with_job("things", "resume_stalled")],
    "Rowgate and the plugin things both bring errors NOT_FOUND": [
        ("things", FAILURE.format(code="NOT_FOUND"), "errors=(Mine,)", {})
    ],
    "Rowgate and the plugin things both bring settings PORT": [
        ("things", SETTING, 'settings=(Setting("port", 1, "a port"),)', {})
    ],
}  # fmt: skip
ALONE = {
    "Two plugins are called crm": [("crm", "", "", {})],
    "Two plugins are called things": [("things", "", "", {}), ("things", "", "", {})],
    "Two plugins are called my_things": [("my-things", "", "", {}), ("my_things", "", "", {})],
    "The name of a plugin has lowercase letters, digits and hyphens, 40 at most: Things!": [("Things!", "", "", {})],
    "The plugin things brings the blueprint crm, whose name is taken": [with_routes("things", "/a", "crm")],
    "The model Thing of the plugin things has no policy": [with_model("things", policy="")],
    f"The plugin things requires rowgate>=99, and this is rowgate {VERSION}": [requiring("things", "rowgate>=99")],
    "THINGS_URL is missing: where things are": [
        ("things", SETTING, 'settings=(Setting("things_url", "", "where things are", required=True),)', {})
    ],
    "The model Thing of the plugin things has no segment": [
        with_model("things", policy=f"{POLICY}\n    del segment")
    ],
    "The plugin things requires others, which PLUGINS does not name": [requiring("things", "others")],
    "The plugin things requires others>=2, and this is others 1.0": [
        requiring("things", "others>=2"), requiring("others")
    ],
    "The plugins require each other in a circle: ": [requiring("things", "others"), requiring("others", "things")],
    "The plugin things requires what cannot be read": [requiring("things", "others >> 2")],
    "The reference owner_id of the model Thing names auth_usr, a table that is not there: did you mean auth_user?": [
        with_words("auth_user", "auth_usr")
    ],
    "The reference owner_id of the model Thing names platform_idempotency_key, a table without routes": [
        with_words("auth_user", "platform_idempotency_key")
    ],
    "The reference owner_id of the model Thing says 'cascad' of removals: it is one of cascade, set null": [
        with_words('"cascade"', '"cascad"')
    ],
    "The policy of the model Thing names ownr_id, a column that is not there: did you mean owner_id?": [
        with_model("things", policy='policy = Policy(Owner("ownr_id"))')
    ],
    "The policy of the model Thing names public, a column that is not there": [
        with_model("things", policy='policy = Policy(Owner("owner_id", public={"public": [True]}))')
    ],
    "An index or unique rule of the model Thing names nam, a column that is not there: did you mean name?": [
        with_model("things", policy=f'{POLICY}\n    keys = (unique("owner_id", "nam"),)')
    ],
    "The transitions of state of the model Thing name retrned, a value that is not there: did you mean returned?": [
        with_model("things", policy=f'{POLICY}\n    transitions = {{"state": {{"lent": ["retrned"]}}}}\n'
                   '    state: Mapped[str] = enum("lent", "returned")')
    ],
    "The field late of the model Thing has no SQL to be asked by": [
        with_model("things", policy=f"{POLICY}\n    late = virtual(Boolean(), FILTERABLE)")
    ],
    "excludes of things_thing: name is neither an id nor an integer": [
        with_model("things", policy=f'{POLICY}\n    keys = (excludes("name", during=("created_at", "updated_at")),)')
    ],
    **{
        f"The attribute {attribute} of the model Thing names nothing, a column that is not there": [
            with_model("things", policy=f"{POLICY}\n    {attribute} = {value}")
        ]
        for attribute, value in {
            "searchable": '("nothing",)', "label": '("nothing",)', "headline": '("nothing",)',
            "bookkeeping": '("nothing",)',
            "transitions": '{"nothing": {}}',
        }.items()
    },
}  # fmt: skip


@pytest.mark.variants
@pytest.mark.parametrize(("sentence", "given"), (BOTH | ALONE).items(), ids=[*BOTH, *ALONE])
def test_what_does_not_fit_is_said_in_one_sentence(started, sentence, given):
    refused = started(*given)
    assert refused.returncode == 1, refused.stdout
    assert [line for line in refused.stderr.splitlines() if line.startswith(f"rowgate: {sentence}")]
    assert "Traceback" not in refused.stderr


@pytest.mark.variants
@pytest.mark.parametrize(
    ("above", "modules", "told"),
    [
        (
            "import MODULE_hooks",
            {"hooks": "\n\n1 / 0\n"},
            ("ZeroDivisionError: division by zero", "_hooks.py, line 3)"),
        ),
        ("def (", {}, ("SyntaxError: ", ".py, line 3)")),
        ("import nowhere", {}, ("ModuleNotFoundError: No module named 'nowhere'", ".py, line 3)")),
    ],
)
def test_a_plugin_that_fails_to_be_imported_says_where(started, above, modules, told):
    refused = started(("things", above, "", modules))
    assert refused.returncode == 1
    (line,) = [line for line in refused.stderr.splitlines() if line.startswith("rowgate: The plugin things_")]
    assert all(part in line for part in (" cannot be imported: ", *told)), line


def test_plugins_are_loaded_after_those_that_they_require():
    found = {"a": Plugin("a", requires="b"), "b": Plugin("b", requires=["c>=1"]), "c": Plugin("c", version="1.2")}
    assert plugins._dependency_order(found) == ["c", "b", "a"]


def test_a_version_that_is_not_released_yet_is_a_version(monkeypatch):
    monkeypatch.setattr(plugins, "VERSION", "2.0.dev1")
    plugins._dependency_order({"a": Plugin("a", requires="rowgate>=1.9")})
    with pytest.raises(SettingError):
        plugins._dependency_order({"a": Plugin("a", requires="rowgate>=2.0")})
