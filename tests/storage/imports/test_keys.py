"""Imports under an idempotency key: once, in the request or by a job, whatever comes twice."""

from __future__ import annotations

import pytest

from app.testing.waiting import perform
from tests.engine.writes.keys import REPLAYED, is_replay_of, new_key
from tests.storage.imports.files import COMPANIES, WRITERS, all_of, in_form, send, table

ROWS = [{"name": "Harbour Works"}, {"name": "Quay"}]


def sent(actor, key, content=None, **options):
    return send(actor, COMPANIES, table(*ROWS) if content is None else content, idempotencyKey=key, **options)


def test_an_import_is_done_once(owner):
    key = new_key()
    first = sent(owner, key)
    assert is_replay_of(sent(owner, key), first)
    assert len(all_of(owner, COMPANIES)) == 2


def test_a_refused_import_may_be_tried_again(owner):
    key = new_key()
    assert sent(owner, key, b"name\n\x00").status_code == 400
    assert sent(owner, key).status_code == 200


@pytest.mark.parametrize(
    "change", [{"partial": True}, {"dryRun": True}, {"map": "x:name"}, {"content": b"name\nOther\n"}]
)
def test_another_import_under_its_key_is_refused(owner, change):
    key = new_key()
    assert sent(owner, key).status_code == 200
    answer = sent(owner, key, **change)
    assert answer.status_code == 422
    assert len(all_of(owner, COMPANIES)) == 2


def test_forms_are_told_apart_by_their_file(owner):
    key = new_key()
    first = in_form(owner, COMPANIES, table(*ROWS), idempotencyKey=key)
    assert is_replay_of(in_form(owner, COMPANIES, table(*ROWS), idempotencyKey=key), first)
    assert in_form(owner, COMPANIES, WRITERS["csv"](ROWS[0]), idempotencyKey=key).status_code == 422


def test_a_job_is_asked_for_once_and_the_second_copy_of_its_file_goes(app, owner, long, stored):
    before, key = stored(), new_key()
    first = sent(owner, key, table(*long))
    assert first.status_code == 202
    again = sent(owner, key, table(*long))
    assert (again.status_code, again.json, again.headers[REPLAYED]) == (202, first.json, "true")
    assert stored() == before + 1
    perform(app, "import_records")
    assert (len(all_of(owner, COMPANIES)), stored()) == (len(long), before)
    assert len(owner.get("/api/v1/_imports").json["data"]) == 1


def test_a_job_that_cannot_be_asked_for_leaves_no_file(unlucky, owner, proxy, long, stored):
    before = stored()
    proxy.reset_on(b"procrastinate_defer")
    assert send(unlucky, COMPANIES, table(*long)).status_code == 503
    assert stored() == before
    assert owner.get("/api/v1/_imports").json["data"] == []


def test_a_cancellation_is_repeated_under_its_key(owner, asked):
    url, key = asked(), new_key()
    first = owner.delete(url, query_string={"idempotencyKey": key})
    assert is_replay_of(owner.delete(url, query_string={"idempotencyKey": key}), first)
