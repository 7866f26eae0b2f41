"""flask import: records of the lines of a file, in the name of the operator or of somebody."""

from __future__ import annotations

import pytest

from app.commands import import_
from tests.storage.imports.files import COMPANIES, WRITERS, all_of
from tests.writes import created


@pytest.fixture
def run(app):
    def invoke(*words, code=0, **options):
        result = app.test_cli_runner().invoke(args=["import", *words], **options)
        assert result.exit_code == code, result.output
        return result

    return invoke


@pytest.fixture
def save(tmp_path):
    def write(content, form="csv"):
        path = tmp_path / f"records.{form}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def address(cast, owner):
    return cast.admin.get(f"/api/v1/auth/user/{owner.user_id}").json["email"]


@pytest.mark.parametrize("form", WRITERS)
def test_an_operator_imports_into_any_organization(run, save, owner, form):
    row = {"name": "Harbour Works", "organizationId": str(owner.organization_id)}
    result = run(COMPANIES, save(WRITERS[form](row), form))
    assert result.stderr == "1 records: 1 created, 0 updated, 0 ignored, 0 failed\n"
    (made,) = all_of(owner, COMPANIES)
    assert (made["name"], made["createdById"]) == ("Harbour Works", None)


def test_in_the_name_of_somebody_it_is_what_they_may_do(run, save, cast, owner, address):
    run(COMPANIES, save("name\nHarbour Works\n"), "--user", address)
    (made,) = all_of(owner, COMPANIES)
    assert (made["organizationId"], made["createdById"]) == (str(owner.organization_id), str(owner.user_id))
    foreign = f"name,organizationId\nQuay,{cast.user().organization_id}\n"
    result = run(COMPANIES, save(foreign), "--user", address, code=1)
    assert "Line 2: organizationId: Refers to a record that does not exist." in result.stderr


def test_standard_input_is_a_file_too(run, owner, address):
    run(COMPANIES, "-", "--user", address, "--as", "ndjson", input='{"name": "Harbour Works"}\n')
    assert [each["name"] for each in all_of(owner, COMPANIES)] == ["Harbour Works"]


@pytest.mark.parametrize(("flag", "kept"), [([], []), (["--partial"], ["Harbour Works"]), (["--dry-run"], [])])
def test_lines_that_are_refused_are_told_and_are_a_failure(run, save, owner, address, flag, kept):
    content = "name,revenue\nHarbour Works,1\nQuay,much\n"
    result = run(COMPANIES, save(content), "--user", address, *flag, code=1)
    assert result.stderr.startswith("Line 3: revenue: ")
    assert result.stderr.endswith(", 1 failed\n")
    assert [each["name"] for each in all_of(owner, COMPANIES)] == kept


def test_of_many_faults_a_thousand_are_told(run, save, address):
    content = "name,revenue\n" + "Quay,much\n" * 1100
    stderr = run(COMPANIES, save(content), "--user", address, code=1).stderr.splitlines()
    assert len([line for line in stderr if line.startswith("Line ")]) == 1000
    assert stderr[-2:] == ["And 100 more", "1100 records: 0 created, 0 updated, 0 ignored, 1100 failed"]


def test_columns_are_called_otherwise_and_records_merged(run, save, owner, address):
    company = created(owner, COMPANIES, name="Harbour Works")["id"]
    row = {"firstName": "Grace", "lastName": "Hopper", "email": "grace@example.com", "companyId": company}
    created(owner, "crm/contact", **row)
    content = f"Mail,firstName,lastName,companyId,title\ngrace@example.com,Grace,Hopper,{company},Admiral\n"
    options = ("--map", "Mail:email", "--on-conflict", "email", "--user", address)
    assert "0 created, 1 updated" in run("crm/contact", save(content), *options).stderr
    assert "0 updated, 1 ignored" in run("crm/contact", save(content), *options, "--resolution", "ignore").stderr
    assert [each["title"] for each in all_of(owner, "crm/contact")] == ["Admiral"]


def test_a_bar_is_for_who_looks_on(run, save, address, monkeypatch):
    file = save("name\nHarbour Works\n")
    assert "crm/company" not in run(COMPANIES, file, "--user", address).stderr
    monkeypatch.setattr(import_, "is_interactive", lambda: True)
    assert run(COMPANIES, file, "--user", address).stderr.startswith("crm/company")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["crm/nope"], "There is no model"), ([COMPANIES, "--user", "nobody@nowhere.example"], ""),
        ([COMPANIES, "--on-conflict", "name"], "no unique rule"), ([COMPANIES, "--map", "Mail"], "Mail:email"),
        ([COMPANIES], "Line 3: A quote"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(run, save, words, message):
    model, *options = words
    result = run(model, save('name\nQuay\n"open\n'), *options, code=1)
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
