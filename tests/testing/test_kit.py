"""The test kit in a project of somebody else: with a plugin, its first migration, and modules of tests alone."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from app.testing.plugin import plugin_names
from config import ROOT
from tests.end_to_end.service import environment

pytestmark = pytest.mark.full

# A project that was made from this checkout has left here what names the kit to pytest a second time.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

MIGRATION = '''"""Make the tables of a plugin."""

from alembic import op
from {plugin}.plugin import plugin

revision, down_revision, branch_labels, depends_on = "0001", None, None, None


def upgrade():
    for model in plugin.tables():
        model.__table__.create(op.get_bind())
        op.execute(f"SELECT rowgate_keep_version('{{model.__tablename__}}')")
'''
EVERY = """
from app.testing.every_model import *
from gadgets.models import Gadget, GadgetPart

MODELS = [Gadget, GadgetPart]
EXCEPT = {("test_an_id_that_is_no_uuid_is_not_found", GadgetPart): "for a reason"}
"""
RIGHTS = """
from app.testing.permissions import *
from gadgets.models import Gadget, GadgetPart

MODELS = [Gadget, GadgetPart]
"""
# Here members delete what the dictionary leaves to managers, as with a policy that forgets it.
WRONG = f"""{RIGHTS}
from app.engine.declare.dictionary import dictionary

PUBLISHED = dictionary()
gadget = next(each for domain in PUBLISHED["domains"] for each in domain["models"] if each["class"] == "Gadget")
gadget["operations"] = gadget["operations"] | {{"delete": "managers"}}
"""
TEXT = (ROOT / "docs" / "testing.md").read_text()
PAGE = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SETTINGS = re.search(r"```ini\n(.*?)```", TEXT, re.DOTALL)[1] + "filterwarnings = error\naddopts = --strict-markers\n"
CORNERS = """
from app.testing.every_model import *
from app.testing.permissions import *
from app.testing.workshop import examples
from corners.models import CornersLine, CornersPlace, CornersPost, CornersProfile, CornersRoad

MODELS = [CornersLine, CornersPlace, CornersPost, CornersProfile, CornersRoad]
examples(CornersPlace, {"seenAt": "2026-01-01T00:00:00Z", "mail": "Ada@Example.com", "home": "https://example.com/ä"})
"""
UNRELATED = """
import sys


def test_it():
    assert not {"app.factory", "app.plugins", "config", "flask"} & set(sys.modules)
"""
FIXTURES = """
from datetime import UTC, datetime

import pytest
from app.testing.workshop import examples
from gadgets.models import Gadget, GadgetPart

GADGETS = Gadget.collection_path()
CHRISTMAS = datetime(2027, 12, 24, tzinfo=UTC)


def test_jobs(owner, workshop, do_jobs):
    made = workshop.make(Gadget)
    assert made["state"] == "new"
    do_jobs()
    assert owner.get(f"{GADGETS}/{made['id']}").json["state"] == "tested"


def test_clock(owner, clock):
    clock.set(CHRISTMAS)
    made = owner.post(GADGETS, {"name": "Lever"})
    assert made.status_code == 401, "the session has ended by then"


def test_cast(cast, owner):
    made = owner.post(GADGETS, {"name": "Lever"}).json
    assert cast.colleague(owner).get(f"{GADGETS}/{made['id']}").status_code == 200
    assert cast.user().get(f"{GADGETS}/{made['id']}").status_code == 404


def test_settings(build, cast, owner):
    few = build(gadgets_max_parts=1)
    gadget = owner.post(GADGETS, {"name": "Lever"}).json
    part = {"gadgetId": gadget["id"], "name": "Arm"}
    headers = {"Authorization": f"Bearer {owner.token}"}
    answers = [few.test_client().post(GadgetPart.collection_path(), json=part, headers=headers) for _ in range(2)]
    assert [each.status_code for each in answers] == [201, 409]


def test_empty(empty):
    from app.schema import histories

    with empty.app_context():
        assert [histories.stored(each) for each in histories.every_history()] == [[], []]
        histories.upgrade()
        assert histories.stored(histories.of_plugin("gadgets")) == ["0001"]


@pytest.mark.parametrize("said", ["Crank", lambda: "Called"])
def test_examples(workshop, said, monkeypatch):
    from app.testing import workshop as module

    monkeypatch.setattr(module, "EXAMPLES", {})
    examples(Gadget, {"name": said})
    assert workshop.make(Gadget)["name"] == (said if isinstance(said, str) else "Called")
    assert workshop.plant(Gadget)["id"]
"""


def run(folder, *arguments, **settings):
    options = ("-p", "app.testing.plugin", "-p", "no:cacheprovider")
    return program(folder, "-m", "pytest", *options, *arguments, **settings)


def program(folder, *arguments, **settings):
    env = environment(PYTHONPATH=f"{ROOT}:{folder}", **ALONE, **settings)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=200, check=False)


def project_of(folder, plugin):
    """Make a project with a plugin of ours and its first migration."""
    shutil.copytree(ROOT / "tests" / "plugins" / plugin, folder / plugin)
    (folder / plugin / "migrations").mkdir()
    (folder / plugin / "migrations" / f"0001_{plugin}.py").write_text(MIGRATION.format(plugin=plugin))
    (folder / "pytest.ini").write_text(SETTINGS.replace("gadgets", plugin))


def report_of(folder, modules):
    """What came of every test of the project, by its module."""
    for name, text in modules.items():
        (folder / f"test_{name}.py").write_text(text)
    done = run(folder, "-q", "--junitxml=report.xml")
    assert (folder / "report.xml").exists(), done.stderr + done.stdout
    found = {name: {} for name in modules}
    for case in ElementTree.parse(folder / "report.xml").getroot().iter("testcase"):
        outcome = next((each.tag for each in case if each.tag in ("failure", "error", "skipped")), "passed")
        found[case.get("classname").removeprefix("test_")][case.get("name")] = outcome
    return found | {"output": done.stdout}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What came of the tests of gadgets."""
    folder = tmp_path_factory.mktemp("project")
    project_of(folder, "gadgets")
    dictionary = program(
        folder, "-m", "flask", "--app", f"{ROOT}/wsgi.py", "resources", "--json", PLUGINS="gadgets.plugin"
    )
    assert dictionary.returncode == 0, dictionary.stderr
    (folder / "dictionary.json").write_text(dictionary.stdout)
    modules = {f"page_{place}": text for place, text in enumerate(PAGE)}
    modules |= {"fixtures": FIXTURES, "every": EVERY, "rights": RIGHTS, "wrong": WRONG}
    found = report_of(folder, modules)
    assert found["fixtures"], found["output"]
    return found


def test_the_fixtures_serve_the_tests_of_a_plugin(outcomes):
    assert set(outcomes["fixtures"].values()) == {"passed"}, outcomes["output"]
    assert len(outcomes["fixtures"]) == 7


def test_the_examples_of_the_page_run_as_they_stand(outcomes):
    modules = [outcomes[f"page_{place}"] for place in range(len(PAGE))]
    assert [len(made) for made in modules] == [3, 1, 22, 1, 12]
    assert [name for made in modules for name, outcome in made.items() if outcome != "passed"] == [
        "test_every_plain_field_can_be_changed_alone[gadgets/part]"
    ], outcomes["output"]


def test_each_of_its_models_gets_what_every_model_gets(outcomes):
    made = outcomes["every"]
    for model in ("gadgets/gadget", "gadgets/part"):
        assert made[f"test_a_record_made_from_the_required_fields_reads_back_equal[{model}]"] == "passed"
        assert sum(model in name for name in made) == 11
    assert set(made.values()) == {"passed", "skipped"}, outcomes["output"]


def test_a_test_that_is_not_for_a_model_is_left_out_for_that_one(outcomes):
    assert [name for name, outcome in outcomes["every"].items() if outcome == "skipped"] == [
        "test_an_id_that_is_no_uuid_is_not_found[gadgets/part]"
    ]


def test_each_of_its_models_gets_the_permission_matrix(outcomes):
    assert set(outcomes["rights"].values()) == {"passed"}, outcomes["output"]
    assert len(outcomes["rights"]) == 2 * (5 + 1)


def test_a_policy_that_lets_somebody_do_more_than_the_dictionary_says_is_found(outcomes):
    failed = [name for name, outcome in outcomes["wrong"].items() if outcome != "passed"]
    assert failed == ["test_permission_matrix[gadgets/gadget-delete]"]
    assert "('member', 'delete'" in outcomes["output"]


def test_models_of_rarer_shapes_need_nothing_said(tmp_path):
    """One for each user, two references to one model, rows that are public by default, values that are kept in another
    form."""
    project_of(tmp_path, "corners")
    found = report_of(tmp_path, {"corners": CORNERS, "again": CORNERS})
    assert set(found["corners"].values()) | set(found["again"].values()) == {"passed"}, found["output"]
    assert len(found["corners"]) == 5 * (11 + 5 + 1)


def test_a_plugin_that_is_not_there_is_said_in_one_sentence(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\nrowgate_plugins = nosuch.plugin\n")
    done = run(tmp_path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "rowgate: PLUGINS names nosuch.plugin, which is neither an entry point nor a module" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_plugins_of_the_environment_are_those_of_the_tests_unless_they_name_some(pytestconfig, monkeypatch):
    monkeypatch.setenv("PLUGINS", "gadgets.plugin, widgets")
    assert plugin_names(pytestconfig) == ["gadgets.plugin", "widgets"]
    assert plugin_names(SimpleNamespace(getini={"rowgate_plugins": ["tasks"]}.get)) == ["tasks"]


def test_a_project_that_has_nothing_of_rowgate_loads_nothing_of_it(tmp_path):
    (tmp_path / "test_other.py").write_text(UNRELATED)
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout


def test_the_service_loads_nothing_of_the_kit():
    program = "import sys, app.factory; print([n for n in sys.modules if n.startswith(('app.testing', '_pytest'))])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
