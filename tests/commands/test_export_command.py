"""flask export: all records of a model, or those that somebody sees, as a file."""

from __future__ import annotations

import csv
import json

import pytest

from app.commands import export


@pytest.fixture
def run(app):
    def invoke(*words, code=0):
        result = app.test_cli_runner().invoke(args=["export", *words])
        assert result.exit_code == code, result.output
        return result

    return invoke


@pytest.fixture
def company(owner):
    return owner.post("/api/v1/crm/company", {"name": "=Harbour", "industry": f"of {owner.user_id}"}).json


def test_an_operator_exports_whatever_there_is(run, company, tmp_path):
    file = tmp_path / "companies.csv"
    where = json.dumps({"id": company["id"]})
    result = run("crm/company", "--output", str(file), "--where", where, "--fields", "name,industry")
    assert result.stderr == "1 records\n"
    with file.open(newline="") as rows:
        assert list(csv.DictReader(rows)) == [
            {"id": company["id"], "name": "'=Harbour", "industry": company["industry"]}
        ]
    assert list(tmp_path.iterdir()) == [file]


def test_with_the_eyes_of_somebody_it_is_what_they_see(run, company, cast, owner):
    address = cast.admin.get(f"/api/v1/auth/user/{owner.user_id}").json["email"]
    shown = run("crm/company", "--as", "ndjson", "--user", address).stdout
    assert [json.loads(line) for line in shown.splitlines()] == [company]


def test_a_bar_is_for_who_looks_on(run, company, monkeypatch):
    asked = ("crm/company", "--where", json.dumps({"id": company["id"]}))
    assert run(*asked).stderr == "1 records\n"
    monkeypatch.setattr(export, "is_interactive", lambda: True)
    assert run(*asked).stderr == "crm/company\n1 records\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["crm/nope"], "There is no model"),
        (["crm/company", "--fields", "nope"], "Unknown field nope"),
        (["crm/company", "--where", "{"], "Must be a JSON object"),
        (["crm/company", "--user", "nobody@nowhere.example"], ""),
    ],
)
def test_what_cannot_be_is_one_line_and_leaves_no_file(run, words, message, tmp_path):
    result = run(*words, "--output", str(tmp_path / "out"), code=1)
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []
