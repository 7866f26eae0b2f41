"""Locks and versions within the transaction of a batch."""

from __future__ import annotations

from threading import Thread
from uuid import uuid4

import psycopg
import pytest

from app.engine.read import pages
from app.engine.write import conflicts as uniqueness
from app.engine.write import locks
from app.runtime.embedded import database_url
from tests.writes import created


def test_a_condition_in_a_batch_is_compared_with_what_came_before_it(owner):
    company = created(owner, "crm/company", name="Quay")
    path = f"/api/v1/crm/company/{company['id']}"
    changes = [
        {"method": "PATCH", "path": path, "body": {"industry": f"{version}"}, "ifMatch": f"{version}"}
        for version in (1, 2, 3)
    ]
    answer = owner.post("/api/v1/_batch", {"requests": changes})
    assert answer.status_code == 200, answer.json
    assert [each["etag"].partition("-")[0] for each in answer.json["data"]] == ['"2', '"3', '"4']


def test_batches_that_change_the_same_records_the_other_way_round_do_not_wait_for_each_other(owner):
    pair = [created(owner, "crm/company", name=name)["id"] for name in ("Quay", "Dock")]
    statuses = []

    def change(ids):
        requests = [
            {"method": "PATCH", "path": f"/api/v1/crm/company/{each}", "body": {"industry": uuid4().hex}}
            for each in ids
        ]
        statuses.extend(owner.post("/api/v1/_batch", {"requests": requests}).status_code for _ in range(5))

    threads = [Thread(target=change, args=(ids,)) for ids in (pair, pair[::-1]) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 20


@pytest.fixture
def is_free(var_dir):
    """Tells whether somebody else could lock a row at this moment."""

    def is_free(table, identifier):
        with psycopg.connect(database_url(var_dir)) as other:
            wanted = f"SELECT id FROM {table} WHERE id = %s FOR UPDATE SKIP LOCKED"
            return other.execute(wanted, [identifier]).fetchone() is not None

    return is_free


@pytest.fixture
def public(cast, owner):
    """A company that everybody may read, of somebody else."""
    return cast.user(), created(owner, "crm/company", name="Open Works", visibility="public")["id"]


@pytest.mark.parametrize("kind", ["one", "array", "batch", "removal"])
def test_whoever_may_only_read_a_record_keeps_nobody_waiting_who_changes_it(is_free, owner, public, monkeypatch, kind):
    """While a refused write is judged, its transaction holds no lock that the owner's change would wait for."""
    stranger, company = public
    path, change = f"/api/v1/crm/company/{company}", {"industry": "cranes"}
    own = created(stranger, "crm/company", name="Quay")["id"]
    ask = {
        "one": lambda: stranger.patch(path, change),
        "array": lambda: stranger.patch("/api/v1/crm/company", [{"id": each, **change} for each in (own, company)]),
        "removal": lambda: stranger.delete(path),
        "batch": lambda: stranger.post("/api/v1/_batch", {"requests": [
            {"method": "PATCH", "path": f"/api/v1/crm/company/{each}", "body": change} for each in (own, company)
        ]}),
    }[kind]  # fmt: skip
    free, plain = [], locks.check_writable

    def check_writable(*arguments):
        free.append(is_free("crm_company", company))
        return plain(*arguments)

    monkeypatch.setattr(locks, "check_writable", check_writable)
    assert ask().status_code in (403, 404)
    assert free
    assert all(free)
    monkeypatch.undo()
    assert owner.patch(path, change).status_code == 200


def test_reads_of_a_batch_that_come_before_its_writes_hold_nothing(owner, is_free, monkeypatch):
    company, free = created(owner, "crm/company", name="Quay")["id"], []
    plain = pages.list_page

    def list_page(*arguments):
        free.append(is_free("crm_company", company))
        return plain(*arguments)

    monkeypatch.setattr(pages, "list_page", list_page)
    path = f"/api/v1/crm/company/{company}"
    requests = [{"method": "GET", "path": "/api/v1/crm/deal"}] * 2
    requests += [{"method": "PATCH", "path": path, "body": {"industry": each}} for each in ("a", "b")]
    assert owner.post("/api/v1/_batch", {"requests": requests}).status_code == 200
    assert free == [True, True]


def test_an_upsert_keeps_nobody_waiting_whose_record_is_in_its_way(cast, owner, is_free, monkeypatch):
    organization = created(owner, "auth/organization", name="Works", slug=f"works-{uuid4().hex}")
    free, plain = [], uniqueness.locked

    def locked(*arguments, **options):
        found = plain(*arguments, **options)
        free.append(is_free("auth_organization", organization["id"]))
        return found

    monkeypatch.setattr(uniqueness, "locked", locked)
    body = {"name": "Works", "slug": organization["slug"]}
    for actor, status in ((cast.user(), 409), (owner, 200)):
        answer = actor.post("/api/v1/auth/organization", body, query_string={"onConflict": "slug"})
        assert answer.status_code == status, answer.json
    assert free == [True, False]
