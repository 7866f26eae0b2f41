"""Jobs of imports whose worker or database goes at any step: done again to the end, and never half or twice."""

from __future__ import annotations

from itertools import count

import pytest

from app.foundation.errors import Unavailable
from app.storage import import_jobs, imports
from app.storage.object_store.local import LocalStore
from app.testing.waiting import perform
from tests.storage.imports.files import COMPANIES, values

NOTICES = "/api/v1/notification/notification"
partly = pytest.mark.parametrize("partial", [False, True], ids=["whole", "partial"])


class Died(BaseException):
    """The process is gone."""


def dying(monkeypatch, owner, name, at, *, after):
    """Have the worker die at one of the calls of ``name``, before or after it."""
    plain, calls = getattr(*owner), count()

    def call(*arguments, **options):
        if next(calls) != at:
            return plain(*arguments, **options)
        if after:
            plain(*arguments, **options)
        died.append(at)
        raise Died

    died = []
    monkeypatch.setattr(*owner, call)
    return died


def work_until_done(app, url, owner):
    """Do the job as often as it is done again when its worker has died."""
    import_id = url.rpartition("/")[2]
    with app.app_context():
        import_jobs.run(import_id)
    return owner.get(url).json


# How often each step is taken, by a whole import and by a partial one, which is told of in the unit of each batch.
STEPS = {
    (import_jobs, "run_unit"): (4, 4), (imports, "run_unit"): (0, 4), (import_jobs, "_tell"): (4, 0),
    (LocalStore, "fetch"): (1, 1), (LocalStore, "remove"): (1, 1),
}  # fmt: skip


@pytest.mark.variants
@partly
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step[0].__name__.rpartition('.')[2]}-{step[1]}")
def test_a_worker_that_dies_at_any_step_leaves_what_the_next_one_brings_to_its_end(
    app, owner, asked, long, stored, monkeypatch, step, after, partial
):
    before, reached = stored(), 0
    for at in count():
        url = asked([row | {"name": f"{at} {row['name']}"} for row in long], partial=partial)
        with monkeypatch.context() as patch:
            died = dying(patch, step, step[1], at, after=after)
            try:
                perform(app, imports.IMPORT)
            except Died:
                assert died == [at]
        there = len(values(owner, COMPANIES, "name")) - at * len(long)
        assert there in ((0, 3, 6, 9, 10) if partial else (0, 10))
        found = work_until_done(app, url, owner)
        assert (found["status"], found["rows"], found["created"]) == ("completed", 10, 10)
        if not died:
            break
        reached += 1
    names = values(owner, COMPANIES, "name")
    assert sorted(names) == sorted(f"{run} {row['name']}" for run in range(at + 1) for row in long)
    assert stored() == before
    assert owner.get(NOTICES).json["meta"]["count"] == at + 1
    assert reached == STEPS[step][partial], reached


FAULTS = {
    "statement about the import": lambda proxy: proxy.reset_on(b"storage_import"),
    "statement about a record": lambda proxy: proxy.reset_on(b"crm_company"),
    "statement about the notification": lambda proxy: proxy.reset_on(b"notification_notification"),
    "commit that did not come": lambda proxy: proxy.drop_commits(),
    "commit without an answer": lambda proxy: proxy.swallow_commits(),
}


@pytest.mark.variants
@partly
@pytest.mark.parametrize("lost", FAULTS)
def test_a_database_that_goes_away_is_met_again(app, owner, asked, proxied, proxy, long, partial, lost, stored):
    """The connection is lost once, at the first such step."""
    before, url = stored(), asked(partial=partial)
    FAULTS[lost](proxy)
    with proxied.app_context(), pytest.raises(Unavailable):
        import_jobs.run(url.rpartition("/")[2])
    assert len(values(owner, COMPANIES, "name")) in ((0, 3, 6, 9, 10) if partial else (0, 10))
    found = work_until_done(app, url, owner)
    assert (found["status"], found["created"]) == ("completed", 10)
    assert values(owner, COMPANIES, "name") == sorted(row["name"] for row in long)
    assert (stored(), owner.get(NOTICES).json["meta"]["count"]) == (before, 1)


@partly
def test_a_store_that_is_away_is_asked_again(app, owner, asked, long, stored, monkeypatch, partial):
    before, url = stored(), asked(partial=partial)

    def away(*arguments):
        raise Unavailable("The store is away")

    with monkeypatch.context() as patch:
        patch.setattr(LocalStore, "fetch", away)
        with app.app_context(), pytest.raises(Unavailable):
            import_jobs.run(url.rpartition("/")[2])
    assert work_until_done(app, url, owner)["created"] == 10
    assert stored() == before


def test_a_worker_that_was_taken_for_dead_writes_nothing_twice(app, owner, asked, long, monkeypatch):
    """While it reads the file, another one begins at the same row, and dies behind the first batch."""
    url, plain = asked(partial=True), import_jobs._run_by_batch

    def run(*arguments):
        monkeypatch.setattr(import_jobs, "_run_by_batch", plain)
        with monkeypatch.context() as patch:
            dying(patch, (import_jobs, "_progress"), "_progress", 1, after=False)
            with pytest.raises(Died):
                import_jobs.run(url.rpartition("/")[2])
        return plain(*arguments)

    monkeypatch.setattr(import_jobs, "_run_by_batch", run)
    with app.app_context(), pytest.raises(Unavailable):
        import_jobs.run(url.rpartition("/")[2])
    assert len(values(owner, COMPANIES, "name")) == 3
    assert work_until_done(app, url, owner)["created"] == 10
    assert values(owner, COMPANIES, "name") == sorted(row["name"] for row in long)
