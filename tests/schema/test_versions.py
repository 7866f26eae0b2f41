"""How the schema stands to the code: what is ready to serve, and what is not."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.testing.database import transaction


@pytest.fixture
def stamped(app):
    """Writes another revision into the database, and what it requires, for the time of a test."""

    def stamp(revision, comment="NULL"):
        with app.app_context(), transaction() as session:
            session.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
            session.execute(text(f"COMMENT ON TABLE alembic_version IS {comment}"))

    with app.app_context(), transaction() as session:
        stored = session.scalar(text("SELECT version_num FROM alembic_version"))
    yield stamp
    stamp(stored)


@pytest.mark.parametrize(
    ("revision", "comment", "status", "told"),
    [
        ("0002", "NULL", 503, ("unavailable", "pending")),
        ("9999", "NULL", 200, ("degraded", "newer")),
        ("9999", "'requires 0002'", 200, ("degraded", "newer")),
        ("9999", "'requires 9000'", 503, ("unavailable", "too new")),
    ],
)
def test_a_service_serves_with_a_newer_schema_unless_a_migration_says_that_it_cannot(
    cast, stamped, revision, comment, status, told
):
    stamped(revision, comment)
    answer = cast.nobody.get("/readyz")
    assert (answer.status_code, (answer.json["status"], answer.json["migrations"])) == (status, told)
    assert ("Retry-After" in answer.headers) == (status == 503)
