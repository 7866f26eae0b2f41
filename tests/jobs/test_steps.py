"""Steps of jobs: done once, however often the job is begun again."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import text

from app.crm.models import CrmCompany
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Unavailable
from app.jobs import queue, registry, running
from app.jobs.registry import Job
from app.testing.database import transaction

TASK = "probe"


@pytest.fixture
def run(app, monkeypatch):
    """Does a job of ``work`` as often as it is worth a new try."""

    def until_done(work):
        monkeypatch.setitem(registry.JOBS, TASK, Job(work))
        with app.app_context():
            run_unit(SYSTEM, lambda unit: queue.defer(unit, TASK, uuid4()))
        for _ in range(registry.TRIES):
            registry.work(app, concurrency=1, until_empty=True)
            with app.app_context(), transaction() as session:
                session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'"))

    return until_done


def test_a_step_is_done_once_and_its_outcome_is_kept(run):
    keys, outcomes = [], []

    def charge(key):
        keys.append(key)
        return {"receipt": len(keys)}

    def order(row_id):
        outcomes.append(running.step("charge", charge))
        if len(outcomes) < 3:
            raise Unavailable

    run(order)
    assert (len(keys), outcomes) == (1, [{"receipt": 1}] * 3)


def test_a_step_that_failed_is_done_again_with_the_same_key(run):
    keys = []

    def charge(key):
        keys.append(key)
        if len(keys) < 3:
            raise Unavailable

    run(lambda row_id: running.step("charge", charge))
    assert (len(keys), len(set(keys))) == (3, 1)


def test_whoever_comes_second_to_a_step_gets_what_the_first_has_kept(app, run):
    outcomes = []

    def charge(key):
        with app.app_context(), transaction() as session:  # as another worker does at the same moment
            session.execute(
                text(
                    "INSERT INTO platform_job_step (id, created_at, updated_at, queued_id, name, result) "
                    "SELECT gen_random_uuid(), now(), now(), id, 'charge', '\"theirs\"' FROM procrastinate_jobs "
                    "WHERE task_name = 'probe'"
                )
            )
        return "mine"

    run(lambda row_id: outcomes.append(running.step("charge", charge)))
    assert outcomes == ["theirs"]


def test_steps_of_two_jobs_are_two(run):
    keys = []
    for _ in range(2):
        run(lambda row_id: running.step("charge", keys.append))
    assert len(set(keys)) == 2


def test_what_a_unit_writes_is_committed_with_its_step_or_not_at_all(app, owner, run):
    tries = []

    def add(unit, name):
        tries.append(name)
        made = unit.create(CrmCompany, {"name": name, "organization_id": owner.organization_id})
        if len(tries) == 1:
            raise Unavailable
        return str(made["id"])

    def ship(row_id):
        found = running.unit_step("ship", SYSTEM, add, "Pier")
        assert running.unit_step("ship", SYSTEM, add, "Pier") == found

    run(ship)
    assert len(tries) == 2
    assert len(owner.get("/api/v1/crm/company").json["data"]) == 1


def test_only_a_job_has_steps(app):
    with app.app_context(), pytest.raises(RuntimeError, match="Only a job"):
        running.step("charge", lambda key: None)
