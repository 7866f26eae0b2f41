"""Plugins that do what they must not: the service goes on, and nothing of it is kept."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from app.crm.models import CrmContact
from app.testing.database import transaction

pytestmark = pytest.mark.full

PLUGIN = """
import time

from app.crm.models import CrmCompany
from app.engine.write.hooks import on_create
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.jobs.registry import Job
from app.plugins import Plugin


@on_create(CrmCompany)
def misbehave(company, write):
    if company.name == "raises":
        raise KeyError("mine")
    if company.name == "hangs":
        write.unit.lock("a place")
        time.sleep(1.5)
    if company.name == "nests":
        run_unit(SYSTEM, Unit.create, CrmCompany, {"name": "Nested", "organization_id": company.organization_id})
    if company.name == "asks":
        from app.jobs import queue
        queue.defer(write.unit, "do_mine", company.id)


plugin = Plugin("bad", "Does what it must not.", jobs={"do_mine": Job(lambda row_id: None)})
"""
SCRIPT = """
import json

from app.auth.credentials import sessions
from app.auth.accounts import users
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from wsgi import app

with app.app_context():
    user = run_unit(SYSTEM, users.register, email="a@example.com", password="correct horse")
    token = run_unit(SYSTEM, sessions.open_session, user).token


def call(method, **options):
    headers = {"Authorization": f"Bearer {token}"}
    return app.test_client().open("/api/v1/crm/company", method=method, headers=headers, **options)


answers = {}
for name in ("raises", "hangs", "nests", "asks", "behaves"):
    answer = call("POST", json={"name": name})
    answers[name] = (answer.status_code, answer.json.get("error"))
answers["kept"] = sorted(each["name"] for each in call("GET").json["data"])
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def script(project, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    (folder / "bad.py").write_text(PLUGIN)
    run = project(folder)
    assert run("-m", "flask", "db", "upgrade").returncode == 0
    return run


@pytest.fixture(scope="module")
def answers(script):
    done = script("-c", SCRIPT, plugins="bad", database_idle_timeout="0.5")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def test_a_hook_that_raises_is_a_500_with_its_traceback_in_the_log(answers):
    found, log = answers
    assert found["raises"] == [500, "Unknown error"]
    assert "KeyError: 'mine'" in log


def test_a_hook_that_hangs_loses_its_transaction_and_is_a_503(answers):
    assert answers[0]["hangs"][0] == 503


def test_a_hook_that_writes_outside_of_its_unit_is_refused(answers):
    found, log = answers
    assert found["nests"] == [500, "Unknown error"]
    assert "Units of work do not nest: a function that writes takes the unit" in log


def test_nothing_of_it_is_kept_and_others_go_on(answers):
    assert answers[0]["behaves"] == [201, None]
    assert answers[0]["kept"] == ["asks", "behaves"]


def test_a_job_of_a_plugin_that_is_gone_is_kept_and_named_and_not_tried_again(answers, script):
    for _ in range(2):
        worked = script("-m", "flask", "jobs", "work", "--until-empty")
        assert worked.returncode == 0, worked.stderr
    listed = script("-m", "flask", "jobs", "list", "--status", "failed", "--json")
    (job,) = json.loads(listed.stdout)
    assert (job["task"], job["attempts"]) == ("do_mine", 1)


def test_a_table_that_nobody_loads_says_so_when_it_keeps_our_rows(app, owner, workshop):
    contact = workshop.make(CrmContact)
    with app.app_context(), transaction() as session:
        session.execute(text("CREATE TABLE left_behind (contact_id uuid REFERENCES crm_contact (id))"))
        session.execute(text("INSERT INTO left_behind VALUES (:id)"), {"id": contact["id"]})
    try:
        refused = owner.delete(f"/api/v1/crm/contact/{contact['id']}")
        told = "Still referred to by the table left_behind of a plugin that is not loaded"
        assert (refused.status_code, refused.json["error"]) == (400, told)
    finally:
        with app.app_context(), transaction() as session:
            session.execute(text("DROP TABLE left_behind"))
