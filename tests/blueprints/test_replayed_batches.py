"""A kept answer to a batch is given to a credential that might send each of its requests today."""

from __future__ import annotations

import pytest

BATCH = "/api/v1/_batch"
KEYED = {"Idempotency-Key": "batch-1"}


def only(method, path, **request):
    return {"requests": [{"method": method, "path": path, **request}]}


COMPANY = only("POST", "/api/v1/crm/company", body={"name": "Once"})


@pytest.fixture
def owner(cast):
    return cast.user()


def replayed(response):
    return response.headers.get("Idempotency-Replayed")


def test_a_key_that_may_write_gets_the_answer_again(owner, cast):
    first = owner.post(BATCH, COMPANY, headers=KEYED)
    again = cast.key(owner, "read", "write").post(BATCH, COMPANY, headers=KEYED)
    assert (again.status_code, replayed(again), again.data) == (200, "true", first.data)


def test_a_key_that_only_reads_does_not_get_what_was_written(owner, cast):
    assert owner.post(BATCH, COMPANY, headers=KEYED).status_code == 200
    refused = cast.key(owner, "read").post(BATCH, COMPANY, headers=KEYED)
    assert (refused.status_code, refused.json["code"]) == (403, "INSUFFICIENT_SCOPE")


@pytest.mark.parametrize("atomic", [True, False])
def test_a_key_does_not_get_what_a_session_has_read(owner, cast, atomic):
    sessions = only("GET", "/api/v1/auth/session") | {"atomic": atomic}
    assert owner.post(BATCH, sessions, headers=KEYED).status_code == 200
    refused = cast.key(owner, "read", "write").post(BATCH, sessions, headers=KEYED)
    assert (refused.status_code, refused.json["code"]) == (403, "FORBIDDEN")


def test_a_request_that_was_refused_then_asks_for_no_right_now(owner, cast):
    reader = cast.key(owner, "read")
    apart = COMPANY | {"atomic": False}
    first = reader.post(BATCH, apart, headers=KEYED)
    again = reader.post(BATCH, apart, headers=KEYED)
    assert first.json["data"][0]["status"] == 403
    assert (again.status_code, replayed(again), again.data) == (200, "true", first.data)
