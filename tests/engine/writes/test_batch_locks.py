"""Locks and versions within the transaction of a batch."""

from __future__ import annotations

from threading import Thread
from uuid import uuid4

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
