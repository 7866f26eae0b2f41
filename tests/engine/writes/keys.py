"""Requests that are sent under an idempotency key, and what is kept of their answers."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import text

from app.testing.database import transaction

REPLAYED, TRUNCATED = "Idempotency-Replayed", "Idempotency-Truncated"
CONTACTS = "/api/v1/crm/contact"


def new_key():
    return f"key-{uuid4()}"


def keyed(actor, method, path, key, body=None, **options):
    """Send a request under ``key`` in the header."""
    headers = options.pop("headers", {}) | {"Idempotency-Key": key}
    return actor.send(method, path, headers=headers, **({} if body is None else {"json": body}), **options)


def is_replay_of(answer, first):
    """Whether ``answer`` is ``first`` again."""
    same = [answer.status_code, answer.data, answer.headers.get("ETag")] == [
        first.status_code, first.data, first.headers.get("ETag"),
    ]  # fmt: skip
    assert REPLAYED not in first.headers
    return same and answer.headers.get(REPLAYED) == "true" and answer.content_type == first.content_type


def is_new(answer):
    return answer.status_code < 300 and REPLAYED not in answer.headers


def kept(actor):
    """The rows under the keys of a user."""
    query = text("SELECT * FROM platform_idempotency_key WHERE principal = :owner ORDER BY created_at")
    with actor.app.app_context(), transaction() as session:
        return [dict(row) for row in session.execute(query, {"owner": f"user:{actor.user_id}"}).mappings()]


def count(actor, path=CONTACTS):
    """How many records a user sees."""
    answer = actor.get(path).json
    return answer["total"] if "total" in answer else answer["meta"]["count"]
