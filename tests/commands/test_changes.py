"""flask changes: the log for those who run the service."""

from __future__ import annotations

import json
import uuid

import pytest

from app.crm.models import CrmCompany


@pytest.fixture
def run(app):
    """Runs a command, and returns its exit status and what it says."""

    def invoke(*arguments):
        done = app.test_cli_runner().invoke(args=["changes", *map(str, arguments)])
        return done.exit_code, done.output

    return invoke


@pytest.fixture
def company(owner, workshop):
    """A company that was renamed, all of which has a position; and the transaction that renamed it."""
    made = workshop.make(CrmCompany, name="Harbour Works")
    renamed = owner.put(f"/api/v1/crm/company/{made['id']}", {"name": "Harbour Foods"})
    owner.get("/api/v1/_changes")
    return made["id"], renamed.headers["Transaction-Id"]


def test_the_latest_changes_are_shown_in_their_order(run, company):
    status, said = run("tail", "--model", "crm/company", "--take", 2, "--json")
    found = json.loads(said)
    assert (status, [(each["recordId"], each["operation"], each["changed"]) for each in found]) == (
        0, [(company[0], "create", []), (company[0], "update", ["name"])]
    )  # fmt: skip
    assert company[0] in run("tail", "--take", 5)[1]


def test_changes_are_written_out_behind_a_position(run, company):
    last = json.loads(run("tail", "--take", 1, "--json")[1])[0]["position"]
    lines = run("export", "--since", last - 1)[1].splitlines()
    assert [json.loads(each)["position"] for each in lines] == [last]
    assert json.loads(lines[0])["image"]["name"] == "Harbour Foods"


def test_a_transaction_is_taken_back(run, owner, company):
    status, said = run("undo", company[1], "--json")
    assert (status, json.loads(said)["changed"]) == (0, 1)
    assert owner.get(f"/api/v1/crm/company/{company[0]}").json["name"] == "Harbour Works"
    assert run("undo", uuid.uuid4()) == (1, "Error: The log has nothing of this transaction.\n")


def test_what_the_log_has_of_a_record_that_is_gone_is_removed(run, owner, company):
    assert run("purge", "crm/company", company[0]) == (1, "Error: The record is there: delete it first\n")
    owner.delete(f"/api/v1/crm/company/{company[0]}")
    assert run("purge", "crm/company", company[0]) == (0, "3 images removed.\n")
    assert owner.get("/api/v1/crm/company/_deleted").json["data"] == []
    assert run("purge", "crm/none", company[0])[0] == 1
