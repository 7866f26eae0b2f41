"""Jobs that a user follows: by their record, until they have ended, at their moment or before."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now
from app.foundation.errors import Forbidden, Unavailable
from app.jobs import queue, registry, running
from app.jobs.registry import Job
from app.testing.database import transaction

JOBS = "/api/v1/_jobs"
TASK = "probe"


@pytest.fixture
def ask(app, owner, monkeypatch):
    """Has work done about a record that the owner follows, and returns the id of the job."""

    def begin(work, *, give_up=None, **options):
        monkeypatch.setitem(registry.JOBS, TASK, Job(work, give_up))
        with app.app_context():
            row, given = uuid4(), {"user_id": owner.user_id, "followed": True, **options}
            return str(run_unit(SYSTEM, lambda unit: queue.defer(unit, TASK, row, **given)))

    return begin


@pytest.fixture
def scheduled(app):
    """Moves the moments of jobs into the past."""

    def run():
        with app.app_context(), transaction() as session:
            session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'"))

    return run


def work(app):
    registry.work(app, concurrency=1, until_empty=True)


def state(owner, job):
    return owner.get(f"{JOBS}/{job}").json


def test_a_job_is_followed_from_its_waiting_to_its_result(app, owner, ask):
    seen = []

    def count(row_id):
        running.report_progress(0.25, "1 of 4")
        seen.append(state(owner, job))
        return {"counted": 4}

    job = ask(count)
    assert state(owner, job)["status"] == "waiting"
    work(app)
    ended = state(owner, job)
    assert [(each["status"], each["progress"], each["message"]) for each in (*seen, ended)] == [
        ("running", 0.25, "1 of 4"),
        ("succeeded", 1, "1 of 4"),
    ]
    assert (ended["result"], ended["errorMessage"], ended["endedAt"] is not None) == ({"counted": 4}, None, True)


@pytest.mark.parametrize(
    ("error", "said"), [(ValueError("secret"), "The service failed"), (Forbidden("Not yours"), "Not yours")]
)
def test_a_job_that_fails_says_what_people_may_know(app, owner, ask, error, said):
    given_up = []

    def fail(row_id):
        raise error

    job = ask(fail, give_up=given_up.append)
    work(app)
    assert (state(owner, job)["status"], state(owner, job)["errorMessage"]) == ("failed", said)
    assert len(given_up) == 1


def test_a_job_whose_part_is_away_waits_again(app, owner, ask, scheduled):
    outcomes = iter([Unavailable(), None])

    def try_(row_id):
        if (error := next(outcomes)) is not None:
            raise error

    job = ask(try_)
    work(app)
    assert state(owner, job)["status"] == "waiting"
    scheduled()
    work(app)
    assert state(owner, job)["status"] == "succeeded"


def test_a_job_that_waits_is_cancelled_and_never_begun(app, owner, ask):
    begun, given_up = [], []
    job = ask(begun.append, give_up=given_up.append)
    cancelled = owner.post(f"{JOBS}/{job}/_cancel")
    assert (cancelled.status_code, cancelled.json["status"]) == (200, "cancelled")
    work(app)
    assert (begun, [str(each) for each in given_up]) == ([], [cancelled.json["recordId"]])
    assert owner.post(f"{JOBS}/{job}/_cancel").status_code == 409


def test_a_job_that_runs_stops_at_its_next_report(app, owner, ask, monkeypatch):
    monkeypatch.setattr(running, "REPORT_EVERY", 0)
    reached = []

    def march(row_id):
        for number in range(4):
            reached.append(number)
            if number == 2:
                owner.post(f"{JOBS}/{job}/_cancel")
            running.report_progress(number / 4)

    given_up = []
    job = ask(march, give_up=given_up.append)
    work(app)
    assert (state(owner, job)["status"], reached, len(given_up)) == ("cancelled", [0, 1, 2], 1)


def test_a_job_is_done_at_its_moment_and_holds_up_nobody(app, owner, ask, scheduled):
    done = []
    later = ask(lambda row_id: done.append("later"), at=now() + timedelta(hours=1))
    ask(lambda row_id: done.append("now"))
    work(app)
    assert (done, state(owner, later)["status"]) == (["now"], "waiting")
    scheduled()
    work(app)
    # Both are the same task here, whose work was replaced.
    assert (len(done), state(owner, later)["status"]) == (2, "succeeded")


def test_a_job_is_cancelled_before_its_moment(app, owner, ask, scheduled):
    done = []
    job = ask(done.append, at=now() + timedelta(hours=1))
    owner.post(f"{JOBS}/{job}/_cancel")
    scheduled()
    work(app)
    assert done == []


def test_a_job_for_later_is_put_into_the_queue_once(app, owner, ask, scheduled):
    done = []
    ask(done.append, at=now() + timedelta(hours=1))
    later = text("SELECT id, args FROM procrastinate_jobs WHERE task_name = 'begin_later'")
    with app.app_context():
        with transaction() as session:
            waited, kept = session.execute(later).one()
        for _ in range(2):  # as when its worker dies before the queue hears that it is done
            run_unit(SYSTEM, queue.begin, waited, **kept)
        with transaction() as session:
            put = session.scalar(text("SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'probe'"))
    assert put == 1


def test_a_job_that_is_cancelled_as_it_is_fetched_is_given_up(app, owner, ask):
    begun, given_up = [], []
    job = ask(begun.append, give_up=given_up.append)
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE platform_job SET status = 'cancelled', ended_at = now()"))
    work(app)
    assert (begun, len(given_up), state(owner, job)["status"]) == ([], 1, "cancelled")


@pytest.mark.parametrize("said", ["x" * 1500, "a\x00b"])
def test_a_failure_that_says_too_much_is_a_failure_all_the_same(app, owner, ask, said):
    given_up = []

    def fail(row_id):
        running.report_progress(float("nan"), said)
        raise Forbidden(said)

    job = ask(fail, give_up=given_up.append)
    work(app)
    assert (state(owner, job)["status"], len(given_up)) == ("failed", 1)


def test_a_job_that_the_command_line_cancels_is_cancelled_for_its_user(app, owner, ask):
    given_up = []
    job = ask(lambda row_id: None, give_up=given_up.append)
    with app.app_context(), transaction() as session:
        number = session.scalar(text("SELECT queued_id FROM platform_job WHERE id = :id"), {"id": job})
    done = app.test_cli_runner().invoke(args=["jobs", "cancel", str(number)])
    assert (done.exit_code, state(owner, job)["status"], len(given_up)) == (0, "cancelled", 1), done.output


def test_jobs_for_later_count_among_those_that_wait(app, owner, ask, monkeypatch):
    monkeypatch.setattr(queue, "MAX_WAITING", 2)
    for _ in range(2):
        ask(lambda row_id: None, at=now() + timedelta(hours=1))
    assert owner.post("/api/v1/storage/document", {"title": "Plan", "content": "First."}).status_code == 429


def test_a_user_sees_their_own_jobs_alone(app, cast, owner, ask):
    first, second = (ask(lambda row_id: None) for _ in range(2))
    listed = owner.get(JOBS).json
    assert ([each["id"] for each in listed["data"]], listed["meta"]["count"]) == ([second, first], 2)
    assert owner.get(JOBS, query_string={"status": "failed"}).json["data"] == []
    assert owner.get(JOBS, query_string={"status": "nonsense"}).status_code == 400
    stranger = cast.user()
    assert stranger.get(JOBS).json["data"] == []
    assert stranger.get(f"{JOBS}/{first}").status_code == 404
    assert stranger.post(f"{JOBS}/{first}/_cancel").status_code == 404
    assert cast.key(owner, "read").post(f"{JOBS}/{first}/_cancel").status_code == 403
    assert state(owner, first)["status"] == "waiting"


def test_what_a_job_keeps_has_to_be_json(app, owner, ask):
    job = ask(lambda row_id: object())
    work(app)
    assert state(owner, job)["status"] == "failed"


def test_jobs_are_removed_a_month_after_their_end(app, owner, ask, clock):
    ended, waiting = ask(lambda row_id: None), ask(lambda row_id: None, at=now() + timedelta(days=100))
    work(app)
    clock.move(days=31)
    with app.app_context():
        run_unit(SYSTEM, running.expire)
    clock.move(days=-31)
    assert [each["id"] for each in owner.get(JOBS).json["data"]] == [waiting]
    assert UUID(ended)


def test_a_job_that_is_followed_is_a_users(app):
    with app.app_context(), pytest.raises(ValueError, match="is a user's"):
        run_unit(SYSTEM, lambda unit: queue.defer(unit, TASK, uuid4(), followed=True))
