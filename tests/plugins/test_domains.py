"""A service of some domains of the product: the others are neither loaded nor served, and their tables stay."""

from __future__ import annotations

import json

import pytest

from app.product import PRODUCT

PROGRAM = """
import json, sys
from app.factory import create_app
app = create_app()
described = app.test_client().get("/api/v1/openapi.json").json
named = {path.split("/")[3] for path in described["paths"] if path.startswith("/api/v1/") and path[8] not in "_{"}
loaded = {name.split(".")[1].replace("_", "-") for name in sys.modules if name.startswith("app.")}
with app.app_context():
    from app.engine.declare import relations
    from app.engine.declare.catalogue import every_model
    reached = {way.target.domain for model in every_model() for way in relations.of(model).values()}
order = [name.split(".")[1] for name in sys.modules if name.startswith("app.") and name.endswith(".plugin")]
print(json.dumps([sorted(named), sorted(loaded), sorted(reached), sorted(described["components"]["schemas"]), order]))
"""
# What each is served with, besides what every service has.
ALWAYS = {"auth", "notification", "platform", "storage"}
AI = {"ai", "ai-rag", "analytics", "crm"}
NEEDED = {
    "auth": set(), "crm": {"crm"}, "analytics": {"analytics", "crm"}, "ai": AI, "ai-rag": AI,
    "ai-agent": {*AI, "ai-agent"}, "ai-research": {*AI, "ai-agent", "ai-research"}, "teams": {*AI, "ai-agent"},
}  # fmt: skip
EVERY = {*AI, "ai-agent", "ai-research", "teams"}


@pytest.mark.parametrize(
    "domain", [pytest.param(each, marks=() if each == "crm" else pytest.mark.full) for each in NEEDED]
)
def test_a_domain_is_served_with_those_that_it_needs_and_no_other(run, domain):
    done = run("-c", PROGRAM, domains=domain)
    assert done.returncode == 0, done.stderr
    served, loaded, reached, schemas, order = json.loads(done.stdout.splitlines()[-1])
    wanted = {*ALWAYS, *NEEDED[domain]}
    assert {each for each in served if each in {*ALWAYS, *EVERY}} == wanted
    assert (EVERY & {*loaded}) - {domain} == NEEDED[domain] - {domain}
    assert set(reached) <= wanted
    assert order == [each for each in PRODUCT if each in order], "hooks run in the order in which they are loaded"
    assert any(name.startswith("Chat") for name in schemas) == ("ai" in wanted)


@pytest.mark.full
def test_a_database_goes_from_some_domains_to_all_and_back(project):
    run, small = project(), {"domains": "crm"}
    for command, more in (("upgrade", small), ("check", small), ("check", {}), ("upgrade", {}), ("check", small)):
        done = run("-m", "flask", "db", command, **more)
        assert done.returncode == 0, (command, more, done.stderr)
    changes = run("-m", "flask", "doctor", "--json")
    assert {each["state"] for each in json.loads(changes.stdout)} <= {"ok", "off", "note"}, changes.stdout


def test_a_domain_that_is_none_is_named(run):
    refused = run("-m", "flask", "routes", domains="crm,shop")
    assert refused.returncode != 0
    assert "DOMAINS names shop, which is none of mail, ai, ai-agent" in refused.stderr


def test_sample_data_is_about_all_domains(run):
    refused = run("-m", "flask", "serve", "--sample", domains="crm")
    assert "The sample data is about all domains: leave DOMAINS out" in refused.stderr
