"""Jobs of a plugin, done by workers that are killed in the middle, and by command."""

from __future__ import annotations

import json
import signal

import pytest

ORGANIZATION = """
from app.auth.accounts import users
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from sqlalchemy import select
from app.auth.models.organizations import AuthMember
from app.engine.read.database import reading
from wsgi import app
with app.app_context():
    user = run_unit(SYSTEM, users.register, email="payer@example.com", password="correct horse")
    with reading() as session:
        print(session.scalar(select(AuthMember.organization_id).where(AuthMember.user_id == user.id)))
"""
COMPANIES = """
from sqlalchemy import text
from app.extensions import db
from wsgi import app
with app.app_context(), db.engine.connect() as connection:
    print(connection.scalar(text("SELECT count(*) FROM crm_company WHERE name = 'Payer'")))
"""


@pytest.fixture(scope="module")
def flask(run):
    """Runs a command of the service with the plugin."""

    def command(*arguments, **more):
        return run("-m", "flask", *arguments, plugins="payments", **more)

    return command


@pytest.mark.full
def test_no_step_is_done_twice_though_the_worker_is_killed(run, flask, tmp_path):
    notes = tmp_path / "notes"
    organization = run("-c", ORGANIZATION, plugins="payments").stdout.strip()
    asked = flask("jobs", "run", "pay", organization)
    assert asked.returncode == 0, asked.stderr
    killed = flask("jobs", "work", "--until-empty", notes=str(notes))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    (left,) = [each for each in json.loads(flask("jobs", "list", "--json").stdout) if each["task"] == "pay"]
    assert flask("jobs", "retry", str(left["id"])).returncode == 0
    done = flask("jobs", "work", "--until-empty", notes=str(notes))
    assert done.returncode == 0, done.stderr
    charged, *others, thanked = notes.read_text().split()
    assert (charged, others, thanked.startswith("thanked-1-")) == ("charged", ["begun", "begun"], True)
    assert run("-c", COMPANIES, plugins="payments").stdout.strip() == "1"


@pytest.mark.full
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pay"], "pay is about a record: give its id"),
        (["pay", "nonsense"], "pay is about a record: give its id"),
        (["nothing"], "No job is called nothing"),
        (["expire_jobs", "00000000-0000-0000-0000-000000000000"], "is a job of the clock, and is given nothing"),
        (["expire_jobs", "--arguments", "[1]"], "--arguments takes a JSON object"),
    ],
)
def test_a_job_that_cannot_be_done_is_refused_in_a_sentence(flask, arguments, said):
    refused = flask("jobs", "run", *arguments)
    assert (refused.returncode, said in refused.stderr) == (1, True), refused.stderr


@pytest.mark.full
def test_a_job_of_the_clock_waits_once(flask):
    assert flask("jobs", "run", "expire_jobs").returncode == 0
    assert "expire_jobs waits already" in flask("jobs", "run", "expire_jobs").stderr


@pytest.mark.full
def test_the_plan_of_the_clock_says_when(flask):
    plan = {each["name"]: each for each in json.loads(flask("jobs", "plan", "--json").stdout)}
    assert plan["expire_jobs"]["cron"] == "20 4 * * *"
    assert plan["expire_jobs"]["nextRun"].endswith("T04:20:00.000Z")
