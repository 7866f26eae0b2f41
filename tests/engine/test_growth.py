"""The planner knows of many new rows soon after they are there."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.engine.write import growth
from app.testing.database import transaction
from app.testing.waiting import await_true

COMPANIES = "/api/v1/crm/company"
KNOWN = """
SELECT c.reltuples, s.last_analyze, (SELECT count(*) FROM crm_company) FROM pg_class c
JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE c.relname = 'crm_company'
"""


@pytest.fixture
def known(app, monkeypatch):
    """How many rows the planner takes the table to have, when it was last told to look, and how many there are. Other
    tests may have left so many that those of a test are not a tenth of them."""
    monkeypatch.setattr(growth, "PART", 0.0)
    monkeypatch.delitem(app.extensions, "growth", raising=False)

    def known():
        with app.app_context(), transaction() as session:
            return session.execute(text(KNOWN)).one()

    return known


def names(number):
    return [f"Harbour {each}" for each in range(number)]


def test_after_large_arrays_the_statistics_know_the_rows(owner, known):
    before = known()
    for _ in range(2):
        assert owner.post(COMPANIES, [{"name": name} for name in names(1000)]).status_code == 201

    def has_looked():
        estimated, told_at, rows = known()
        return told_at != before.last_analyze and estimated >= 0.9 * rows

    await_true(has_looked)


def test_after_a_bulk_import_the_statistics_know_the_rows(owner, known):
    before = known()
    lines = "\n".join(["name", *names(3000)])
    answer = owner.send("POST", f"{COMPANIES}/_import?as=csv", data=lines, content_type="text/csv")
    assert answer.status_code == 200, answer.text

    def has_looked():
        estimated, told_at, rows = known()
        return told_at != before.last_analyze and estimated >= 0.9 * rows

    await_true(has_looked)
