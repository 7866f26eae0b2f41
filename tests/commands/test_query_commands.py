"""flask query explain, flask db search-indexes, and what flask doctor says of text."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from app.commands import doctor
from app.testing.database import transaction


@pytest.fixture
def run(app):
    def invoke(*words, code=0):
        result = app.test_cli_runner().invoke(args=words)
        assert result.exit_code == code, result.output
        return result.output

    return invoke


@pytest.fixture
def email(cast):
    owner = cast.user()
    return cast.admin.get(f"/api/v1/auth/user/{owner.user_id}").json["email"]


@pytest.fixture
def deals_of_others(app, cast):
    """As many as make an index worth while."""
    other = cast.user()
    company = other.post("/api/v1/crm/company", {"name": "Port"}).json["id"]
    many = [{"name": f"Crane {number}", "amount": number, "companyId": company} for number in range(1000)]
    for _ in range(2):
        assert other.post("/api/v1/crm/deal?return=minimal", many).status_code == 201
    with app.app_context(), transaction() as session:
        session.execute(text("ANALYZE crm_deal"))


@pytest.mark.usefixtures("deals_of_others")
def test_a_query_is_explained_by_its_statement_its_plan_and_its_index(run, email):
    shown = run("query", "explain", "crm/deal?sort=-amount&stage=lead", "--user", email)
    assert shown.startswith("SELECT ")
    assert "caller_organization" in shown
    assert "uses: " in shown
    assert "lacks: " not in shown


def test_a_sort_that_no_index_serves_says_which_one_would(run, email):
    found = json.loads(run("query", "explain", "crm/deal?sort=-probability", "--user", email, "--json"))
    assert [each for each in found["lacking"] if 'sorted_by("organization_id", "probability")' in each]
    assert found["plan"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("crm/nope", "There is no model"),
        ("crm/deal?nope=1", "Unknown query parameter"),
        ("crm/deal?cursor=x", "cursor"),
        ("crm/deal?search=x&searchMode=hybrid", "searchMode"),
    ],
)
def test_a_query_that_cannot_be_is_one_line(run, query, message):
    output = run("query", "explain", query, code=1)
    assert output.startswith("Error: ")
    assert message in output


def test_trigram_indexes_need_their_extension_and_say_so(run):
    assert "pg_trgm" in run("db", "search-indexes", code=1)


def test_a_database_whose_lower_case_is_that_of_ascii_is_named(app, monkeypatch):
    with app.app_context():
        assert "more than ASCII" in doctor._check_text()

    def look():
        raise doctor.Advice("lower() knows ASCII alone")

    monkeypatch.setitem(doctor.CHECKS, "text", look)
    result = app.test_cli_runner().invoke(args=["doctor"])
    assert "warning" in result.output
