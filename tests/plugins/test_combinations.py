"""Rules that combine, in a plugin of somebody else: the suites that every model passes, and what each rule says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from config import ROOT
from tests.end_to_end.service import environment

MIGRATION = '''"""Make the tables of press."""

from alembic import op
from press.plugin import plugin

revision, down_revision, branch_labels, depends_on = "0001", None, None, None


def upgrade():
    tables = [model.__table__ for model in plugin.tables()]
    tables[0].metadata.create_all(op.get_bind(), tables)
    for table in tables:
        op.execute(f"SELECT rowgate_keep_version('{table.name}')")
'''
RULES = ("tests/plugins/press_rules.py", "tests/plugins/press_forms.py", "tests/auth/sharing/test_shares.py")
MECHANISMS = (
    "tests/engine/test_every_model.py",
    "tests/engine/queries/test_oracles.py",
    "tests/engine/test_statements.py",
    "tests/engine/writes/test_single_twins.py",
    "tests/engine/transfers/test_export.py",
)


@pytest.fixture(scope="module")
def press(tmp_path_factory):
    """A folder with the plugin and its first migration."""
    folder = tmp_path_factory.mktemp("press")
    shutil.copytree(ROOT / "tests" / "plugins" / "press", folder / "press")
    (folder / "press" / "migrations").mkdir()
    (folder / "press" / "migrations" / "0001_press.py").write_text(MIGRATION)
    return folder


def outcomes(press, suites):
    """What came of every test of the models of press, by suite."""
    report = press / "report.xml"
    command = [
        sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-o", "rowgate_plugins=press.plugin",
        "-k", "press", f"--junitxml={report}", *suites,
    ]  # fmt: skip
    env = environment(PYTHONPATH=str(press))
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=500, check=False)
    assert report.exists(), done.stderr + done.stdout
    found = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        outcome = next((each.tag for each in case if each.tag in ("failure", "error", "skipped")), "passed")
        found.setdefault(case.get("classname").rpartition(".")[2], {})[case.get("name")] = outcome
    return found | {"output": done.stdout}


@pytest.fixture(scope="module")
def rules(press):
    return outcomes(press, RULES)


@pytest.fixture(scope="module")
def mechanisms(press):
    return outcomes(press, MECHANISMS)


# The size of a page has no index, which is what the check of plugins says of it.
WITHOUT_INDEX = {
    f"test_every_default_list_walks_an_index[Reader.{each}-press/page]" for each in ("MEMBER", "ANONYMOUS")
}


def names_of(paths):
    return [path.rpartition("/")[2].removesuffix(".py") for path in paths]


@pytest.mark.full
@pytest.mark.parametrize("suite", names_of(RULES))
def test_rules_that_combine_say_who_may_do_what(rules, suite):
    assert rules.get(suite), rules["output"]
    assert set(rules[suite].values()) <= {"passed", "skipped"}, rules["output"]


@pytest.mark.full
@pytest.mark.parametrize("suite", names_of(MECHANISMS))
def test_models_whose_rules_combine_pass_what_every_model_passes(mechanisms, suite):
    assert mechanisms.get(suite), mechanisms["output"]
    failed = {name for name, outcome in mechanisms[suite].items() if outcome not in ("passed", "skipped")}
    assert failed == (WITHOUT_INDEX if suite == "test_statements" else set()), mechanisms["output"]


def test_a_rule_whose_lists_no_index_serves_is_named(press):
    command = [sys.executable, "-m", "flask", "--app", f"{ROOT}/wsgi.py", "plugins", "check"]
    env = environment(PYTHONPATH=f"{ROOT}:{press}", PLUGINS="press.plugin")
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stdout == "press/page: no index serves the rows of its policy, so each list reads all rows\n"
