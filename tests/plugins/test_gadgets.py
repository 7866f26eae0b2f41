"""A domain of somebody else beside those of the product: loaded by PLUGINS, with all that a plugin can bring."""

from __future__ import annotations

import json

import pytest

from config import ROOT
from tests.plugins.conftest import HERE


@pytest.fixture(scope="module")
def found(run):
    """What came of using the gadgets."""
    done = run(str(HERE / "use_gadgets.py"), plugins="gadgets.plugin", gadgets_max_parts="3")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_its_models_have_routes_under_the_policy_that_they_declare(found):
    assert found["gadget"]["name"] == "Lever"
    assert found["stranger"] == 404


def test_its_hooks_follow_writes_and_its_setting_is_read_from_the_environment(found):
    assert found["parts"] == [201, 201, 201, 409]
    assert found["gadget"]["partCount"] == 3


def test_its_failures_have_codes_that_the_description_knows(found):
    assert found["refusal"]["code"] == "GADGETS_TOO_MANY_PARTS"
    assert found["codes"] == ["GADGETS_TOO_MANY_PARTS"]


def test_its_jobs_are_done_and_its_notifications_arrive(found):
    assert found["gadget"]["state"] == "tested"
    assert found["notifications"] == [["GADGET_TESTED", "Lever works"]]
    assert found["preferences"] is True


def test_its_reports_are_computed(found):
    assert found["report"] == 201
    assert found["rows"] in ([{"state": "tested", "gadgets": 1}], [{"state": "new", "gadgets": 1}])


def test_its_routes_by_hand_declare_who_may_call_them(found):
    assert found["count"] == {"gadgets": 1}
    assert found["unnamed"] == 401


def test_its_paths_are_in_the_description(found):
    assert found["paths"] == [
        "/api/v1/gadgets-count", "/api/v1/gadgets/gadget", "/api/v1/gadgets/gadget/_aggregate",
        "/api/v1/gadgets/gadget/_deleted", "/api/v1/gadgets/gadget/_deleted/{id}/_restore",
        "/api/v1/gadgets/gadget/_export", "/api/v1/gadgets/gadget/_import",
        "/api/v1/gadgets/gadget/_matching/_delete", "/api/v1/gadgets/gadget/_matching/_update",
        "/api/v1/gadgets/gadget/_query", "/api/v1/gadgets/gadget/{id}", "/api/v1/gadgets/gadget/{id}/_history",
        "/api/v1/gadgets/gadget/{id}/_revert", "/api/v1/gadgets/part", "/api/v1/gadgets/part/_aggregate",
        "/api/v1/gadgets/part/_deleted", "/api/v1/gadgets/part/_deleted/{id}/_restore",
        "/api/v1/gadgets/part/_export", "/api/v1/gadgets/part/_import", "/api/v1/gadgets/part/_matching/_delete",
        "/api/v1/gadgets/part/_matching/_update", "/api/v1/gadgets/part/_query", "/api/v1/gadgets/part/{id}",
        "/api/v1/gadgets/part/{id}/_history", "/api/v1/gadgets/part/{id}/_revert",
    ]  # fmt: skip


def test_its_command_is_there_and_the_list_of_plugins_says_what_it_brings(found):
    assert found["command"] == "1 gadgets\n"
    (listed,) = found["plugins"]
    assert (listed["name"], listed["version"]) == ("gadgets", "1.2.0")
    assert listed["brings"] == {
        "models": ["gadgets_gadget", "gadgets_part"], "hooks": ["gadgets.hooks"],
        "blueprints": ["gadgets.routes:build"], "commands": ["gadgets.commands:command"], "jobs": ["test_gadget"],
        "notifications": ["GADGET_TESTED"], "errors": ["GADGETS_TOO_MANY_PARTS"], "reports": ["gadgets"],
        "settings": ["GADGETS_MAX_PARTS"],
    }  # fmt: skip


def test_an_entry_point_is_looked_for_before_a_module(run, tmp_path):
    """A distribution that is installed: its metadata names the plugin."""
    installed = tmp_path / "gizmos-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: gizmos\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[rowgate.plugins]\ngizmos = gadgets.plugin:plugin\n")
    (tmp_path / "gizmos.py").write_text("raise SystemExit('the module')\n")
    path = f"{ROOT}:{HERE}:{tmp_path}"
    listed = run("-m", "flask", "plugins", "--json", plugins="gizmos", pythonpath=path)
    assert "gadgets" in {each["name"] for each in json.loads(listed.stdout)}, listed.stderr


def test_an_error_in_the_code_of_a_plugin_is_shown_as_it_is(run, tmp_path):
    (tmp_path / "broken.py").write_text("import there_is_no_such_thing\n")
    refused = run("-m", "flask", "plugins", plugins="broken", pythonpath=f"{ROOT}:{tmp_path}")
    assert "No module named 'there_is_no_such_thing'" in refused.stderr + refused.stdout


def test_its_settings_are_listed_with_ours(run):
    listed = json.loads(run("-m", "flask", "settings", "--json", plugins="gadgets.plugin").stdout)
    (setting,) = [each for each in listed if each["variable"] == "GADGETS_MAX_PARTS"]
    assert setting == {"variable": "GADGETS_MAX_PARTS", "default": 2, "purpose": "most parts of a gadget"}
    assert "DATABASE_URL" in {each["variable"] for each in listed}


def test_a_plugin_that_is_not_named_is_not_loaded(run):
    listed = run("-m", "flask", "plugins", "--json")
    assert "gadgets" not in {each["name"] for each in json.loads(listed.stdout)}


@pytest.mark.variants
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"plugins": "gizmos"}, "PLUGINS names gizmos, which is neither an entry point nor a module"),
        ({"plugins": "gadgets"}, "PLUGINS names gadgets, a module without a plugin"),
        ({"plugins": "twin_gadgets"}, "Two plugins are called crm"),
        ({"plugins": "gadgets.nowhere"}, "PLUGINS names gadgets.nowhere, which is neither an entry point nor a module"),
        ({"plugins": "gadgets.plugin", "gadgets_max_parts": "many"}, "GADGETS_MAX_PARTS must be a whole number"),
        ({"plugins": "gadgets.plugin", "gadgets_max_parts": "0"}, "GADGETS_MAX_PARTS must be between 1 and 1000"),
    ],
)
def test_a_plugin_or_a_setting_of_one_that_does_not_fit_is_named_at_the_start(run, given, message):
    refused = run("-m", "flask", "routes", **given)
    assert refused.returncode == 1
    assert f"rowgate: {message}" in refused.stderr
