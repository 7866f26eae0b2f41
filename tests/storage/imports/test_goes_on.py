"""Imports that are broken off under an idempotency key: sent again they go on, and no line is written twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from sqlalchemy import text

from app.engine.transfer import importing
from app.engine.write.leases import LEASE, Lease, LeaseLost
from app.foundation.clock import now
from app.storage import imports
from app.testing.database import transaction
from tests.engine.writes.keys import REPLAYED, is_new, is_replay_of, kept, new_key
from tests.storage.imports.files import COMPANIES, send, table, values

ROWS = [{"name": f"Firm {number}"} for number in range(8)]
NAMES = [row["name"] for row in ROWS]


class Died(BaseException):
    """The process is gone."""


@pytest.fixture(autouse=True)
def three_at_a_time(monkeypatch):
    monkeypatch.setattr(importing, "BATCH_SIZE", 3)


def sent(actor, key, **options):
    return send(actor, COMPANIES, table(*ROWS), idempotencyKey=key, **options)


@pytest.fixture
def dying(monkeypatch):
    """Has the process die at a batch, before its transaction begins."""

    def die_at(number):
        calls, plain = count(), imports.run_unit

        def run(*arguments, **options):
            if next(calls) == number:
                raise Died
            return plain(*arguments, **options)

        patch = pytest.MonkeyPatch()
        patch.setattr(imports, "run_unit", run)
        patch.setattr(Lease, "release", lambda lease: None)
        return patch

    return die_at


def let_leases_end(app):
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE platform_idempotency_key SET leased_until = now() WHERE status = 'running'"))


@pytest.mark.variants
@pytest.mark.parametrize("at", range(3))
def test_an_import_whose_worker_died_goes_on_behind_what_was_written(app, owner, dying, at):
    key = new_key()
    patch = dying(at)
    with pytest.raises(Died):
        sent(owner, key, partial=True)
    patch.undo()
    assert len(values(owner, COMPANIES, "name")) == 3 * at
    held = sent(owner, key, partial=True)
    assert (held.status_code, held.headers["Retry-After"]) == (409, "1")
    let_leases_end(app)
    answer = sent(owner, key, partial=True)
    assert is_new(answer)
    assert (answer.json["meta"]["rows"], answer.json["meta"]["created"]) == (8, 8)
    assert values(owner, COMPANIES, "name") == NAMES
    assert is_replay_of(sent(owner, key, partial=True), answer)


def test_a_lease_lasts_from_the_last_batch_on(owner, monkeypatch, clock):
    seen, plain = [], importing.Import.write

    def write(self, unit, batch):
        clock.move(seconds=80)
        seen.append((kept(owner)[0]["leased_until"], now()))
        return plain(self, unit, batch)

    monkeypatch.setattr(importing.Import, "write", write)
    answer = sent(owner, new_key(), partial=True)
    assert is_new(answer)
    assert len(seen) == 3
    assert all(until > moment for until, moment in seen[1:]), "the lease of 90 seconds was renewed after 80 and 160"
    assert LEASE.total_seconds() < 3 * 80


def test_who_was_taken_for_dead_stops_and_the_other_brings_it_to_its_end(app, owner, monkeypatch):
    key, answers, plain, calls = new_key(), [], importing.Import.write, count()

    def write(self, unit, batch):
        if next(calls) == 2:  # the first request pauses for longer than its lease, and meanwhile comes the second
            let_leases_end(app)
            with ThreadPoolExecutor(1) as other:
                answers.append(other.submit(sent, owner, key, partial=True).result())
        return plain(self, unit, batch)

    monkeypatch.setattr(importing.Import, "write", write)
    overtaken = sent(owner, key, partial=True)
    assert (overtaken.status_code, overtaken.json["error"]) == (409, LeaseLost.text)
    assert [answer.json["meta"]["created"] for answer in answers] == [8]
    assert values(owner, COMPANIES, "name") == NAMES


@pytest.mark.variants
@pytest.mark.parametrize("partial", [False, True], ids=["whole", "stepwise"])
@pytest.mark.parametrize("of", [b"platform_idempotency_key", b"crm_company", b"completed"])
def test_an_answer_to_a_commit_that_is_lost_makes_no_line_twice(owner, unlucky, proxy, partial, of):
    """Of the transaction that takes the key, of a batch, and of the one that keeps the answer."""
    key = new_key()
    proxy.swallow_commits(after=of)
    assert sent(unlucky, key, partial=partial).status_code == 503
    assert proxy.swallowed == 1
    answer = sent(owner, key, partial=partial)
    assert (answer.status_code, answer.json["meta"]["created"]) == (200, 8)
    assert values(owner, COMPANIES, "name") == NAMES


def test_an_import_that_comes_to_nothing_is_told_again(owner):
    key = new_key()
    content = table(*ROWS) + b'"too","many"\r\n'
    rows = table({"name": "Firm", "revenue": "none"})
    first = send(owner, COMPANIES, rows, idempotencyKey=key)
    assert first.json["meta"]["failed"] == 1
    assert is_replay_of(send(owner, COMPANIES, rows, idempotencyKey=key), first)
    assert send(owner, COMPANIES, content, idempotencyKey=new_key()).status_code == 400
    assert values(owner, COMPANIES, "name") == []


def test_a_key_without_a_lease_is_that_of_the_transaction(owner):
    first = sent(owner, new_key())
    assert is_new(first)
    assert [(row["status"], row["leased_until"], row["progress"]) for row in kept(owner)] == [("completed", None, None)]
    assert REPLAYED not in first.headers


def test_who_was_taken_for_dead_leaves_the_lease_of_the_other(app, owner, monkeypatch):
    key, plain, calls, held = new_key(), importing.Import.write, count(), []

    def begin_again():
        with pytest.raises(Died):
            sent(owner, key, partial=True)

    def write(self, unit, batch):
        match next(calls):
            case 2:  # the first request pauses for longer than its lease, and meanwhile comes the second
                let_leases_end(app)
                with ThreadPoolExecutor(1) as other, monkeypatch.context() as patched:
                    patched.setattr(Lease, "release", lambda lease: None)
                    other.submit(begin_again).result()
                held.append(lease_of(app, key))
            case 3:  # the second one has hold of the key
                raise Died
        return plain(self, unit, batch)

    monkeypatch.setattr(importing.Import, "write", write)
    assert sent(owner, key, partial=True).status_code == 409
    assert held[0] is not None
    assert held == [lease_of(app, key)]


def test_what_is_done_in_part_is_not_begun_anew_by_a_job(app, owner, dying, monkeypatch):
    key = new_key()
    patch = dying(2)
    with pytest.raises(Died):
        sent(owner, key, partial=True)
    patch.undo()
    let_leases_end(app)
    monkeypatch.setattr("blueprints.records.imports.MAX_ROWS_AT_ONCE", 1)  # as a file that takes too long to read
    assert sent(owner, key, partial=True).status_code == 409
    monkeypatch.undo()
    monkeypatch.setattr(importing, "BATCH_SIZE", 3)
    assert sent(owner, key, partial=True).json["meta"]["created"] == 8
    assert values(owner, COMPANIES, "name") == NAMES


def lease_of(app, key):
    with app.app_context(), transaction() as session:
        found = "SELECT leased_until FROM platform_idempotency_key WHERE key = :key"
        return session.scalar(text(found), {"key": key})
