"""What is too large for a request is taken back by a job, which its user follows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import delete

from app.auth.models.organizations import AuthMember
from app.engine.changes import undoing
from app.jobs import running
from app.testing.database import transaction
from app.testing.waiting import work
from tests.engine.changes.test_undoing import COMPANY, UNDO, undone

JOBS = "/api/v1/_jobs"
ROWS = [{"name": f"Number {number}", "industry": "shipping"} for number in range(8)]


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """A request takes back five changes, and a write three records at a time."""
    monkeypatch.setattr(undoing, "MAX_AT_ONCE", 5)
    monkeypatch.setattr(undoing, "MAX_RECORDS", 3)


@pytest.fixture
def ended(app):
    """The job that an undo was answered with, once it has ended."""

    def follow(actor, answer):
        assert answer.status_code == 202, answer.json
        assert (answer.json["status"], answer.headers["Location"]) == ("waiting", f"{JOBS}/{answer.json['id']}")
        work(app)
        return actor.get(answer.headers["Location"]).json

    return follow


def names(actor):
    return sorted(each["name"] for each in actor.get(f"{COMPANY}?take=100").json["data"])


def test_a_job_takes_it_back_and_says_what_was_done(owner, ended):
    made = owner.post(COMPANY, ROWS)
    answer = undone(owner, made)
    assert len(names(owner)) == 8
    job = ended(owner, answer)
    assert (job["status"], job["progress"]) == ("succeeded", 1)
    assert job["result"] == {"deleted": 8, "changed": 0, "restored": 0, "kept": []}
    assert names(owner) == []


def test_what_it_wrote_is_undone_by_its_id(owner, ended):
    made = owner.post(COMPANY, ROWS)
    job = ended(owner, undone(owner, made))
    again = ended(owner, owner.post(UNDO, {"transaction": job["id"]}))
    assert again["result"] == {"deleted": 0, "changed": 0, "restored": 8, "kept": []}
    assert names(owner) == [row["name"] for row in ROWS]
    assert ended(owner, owner.post(UNDO, {"transaction": again["id"]}))["result"]["deleted"] == 8


def test_many_records_have_their_old_values_again(owner, ended):
    ids = [each["id"] for each in owner.post(COMPANY, ROWS).json["data"]]
    changed = owner.patch(COMPANY, [{"id": each, "industry": "food"} for each in ids])
    assert ended(owner, undone(owner, changed))["result"]["changed"] == 8
    assert {each["industry"] for each in owner.get(COMPANY).json["data"]} == {"shipping"}


def test_it_is_not_undone_while_it_runs(owner, ended):
    made = owner.post(COMPANY, ROWS)
    waiting = undone(owner, made)
    refused = owner.post(UNDO, {"transaction": waiting.json["id"]})
    assert (refused.status_code, refused.json["error"]) == (409, "The job is still running.")
    assert ended(owner, waiting)["status"] == "succeeded"


def test_what_stands_in_the_way_of_all_is_told_by_the_job(owner, ended):
    made = owner.post(COMPANY, ROWS)
    second = made.json["data"][1]["id"]
    owner.put(f"{COMPANY}/{second}", {"industry": "steel"})
    job = ended(owner, undone(owner, made))
    assert (job["status"], job["errorMessage"]) == ("failed", "1 records are not as the transaction left them")
    assert job["result"] == {"records": [{"model": "crm/company", "id": second, "reason": "has changed since"}]}
    assert len(names(owner)) == 8


def test_whoever_has_left_by_then_takes_nothing_back(app, cast, owner, ended):
    colleague = cast.colleague(owner)
    answer = undone(owner, owner.post(COMPANY, ROWS))
    with app.app_context(), transaction() as session:
        session.execute(delete(AuthMember).where(AuthMember.user_id == owner.user_id))
    assert ended(owner, answer)["status"] == "failed"
    assert len(names(colleague)) == 8


def test_a_stranger_learns_and_changes_nothing(cast, owner, ended):
    made, stranger = owner.post(COMPANY, ROWS), cast.user()
    job = ended(stranger, undone(stranger, made))
    assert (job["status"], job["errorMessage"], job["result"]) == ("failed", "Resource not found", None)
    assert len(names(owner)) == 8


def test_a_user_has_one_at_a_time(owner, ended):
    first, second = owner.post(COMPANY, ROWS), owner.post(COMPANY, ROWS)
    waiting = undone(owner, first)
    refused = undone(owner, second)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert ended(owner, waiting)["status"] == "succeeded"
    assert ended(owner, undone(owner, second))["status"] == "succeeded"


def test_a_key_is_refused(cast, owner):
    made = owner.post(COMPANY, ROWS)
    refused = undone(cast.key(owner, "write"), made)
    assert refused.json["error"] == "More than 5 changes belong to it: undo them with a session"
    assert refused.status_code == 409


def test_one_that_is_cancelled_while_it_runs_has_done_nothing(owner, ended, monkeypatch):
    monkeypatch.setattr(running, "REPORT_EVERY", 0)
    told = []

    def cancelled(self, model, changes, faults=None):
        if not told:
            with ThreadPoolExecutor(1) as pool:
                told.append(pool.submit(owner.post, f"{JOBS}/{answer.json['id']}/_cancel").result().json["status"])
        return plain(self, model, changes, faults)

    plain = undoing.Unit.delete_many
    monkeypatch.setattr(undoing.Unit, "delete_many", cancelled)
    answer = undone(owner, owner.post(COMPANY, ROWS))
    assert ended(owner, answer)["status"] == "cancelled"
    assert (told, len(names(owner))) == (["cancelled"], 8)


def test_three_that_went_at_once_come_back_in_as_many_statements_as_one(owner, counting):
    ids = [each["id"] for each in owner.post(COMPANY, ROWS).json["data"]]
    counts = []
    for some in (ids[:1], ids[1:4]):
        gone = owner.delete(COMPANY, json={"ids": some})
        with counting() as asked:
            assert undone(owner, gone).json["restored"] == len(some)
        counts.append(len(asked))
    assert counts[0] == counts[1]
    assert len(names(owner)) == 8


def test_a_transaction_beyond_all_bounds_is_refused(owner, ended, monkeypatch):
    monkeypatch.setattr(undoing, "MAX_UNDONE", 7)
    made = owner.post(COMPANY, ROWS)
    job = ended(owner, undone(owner, made))
    assert (job["status"], job["errorMessage"]) == ("failed", "More than 7 changes belong to it")
