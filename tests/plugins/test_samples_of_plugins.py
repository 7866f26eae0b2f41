"""Sample data of a plugin: dumped from what somebody has, and loaded for somebody else."""

from __future__ import annotations

import json

import pytest

from config import ROOT

EXAMPLE = ROOT / "examples" / "helpdesk"
PEOPLE = ("ada@example.com", "bob@example.com")
KEPT = {"ticket": ("subject", "description", "priority", "state"), "comment": ("text", "internal")}
MAKE = f"""
from app.auth.accounts import users
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from wsgi import app
with app.app_context():
    for address in {PEOPLE}:
        run_unit(SYSTEM, users.register, email=address, password="correct horse")
"""
READ = """
import json, sys
from app.auth.accounts import users
from app.engine.read.database import reading
from app.engine.read.encoding import dumps
from rowgate import find_each
from helpdesk.models import HelpdeskComment, HelpdeskTicket
from wsgi import app
with app.app_context():
    with reading() as session:
        user = users.by_email(session, sys.argv[1])
    principal = users.require_user_principal(user.id)
    models = (HelpdeskTicket, HelpdeskComment)
    found = {each.segment: list(find_each(each, principal, sort=["createdAt"])) for each in models}
    print(dumps(found).decode())
"""


@pytest.fixture(scope="module")
def flask(project):
    """Runs a command, or a program, of a service with the helpdesk and two people."""
    start = project(EXAMPLE)
    assert start("-m", "flask", "db", "upgrade", plugins="helpdesk.plugin").returncode == 0
    assert start("-c", MAKE, plugins="helpdesk.plugin").returncode == 0

    def command(*arguments):
        return start("-m", "flask", "plugins", *arguments, plugins="helpdesk.plugin")

    command.read = lambda address: json.loads(start("-c", READ, address, plugins="helpdesk.plugin").stdout)
    return command


def told(records, *names):
    return [{name: each.get(name) for name in names} for each in records]


@pytest.mark.full
def test_what_was_loaded_is_dumped_and_loaded_again_with_its_references(flask, tmp_path):
    made = flask("load", "helpdesk", "--user", PEOPLE[0])
    assert made.stdout == "3 helpdesk/ticket, 2 helpdesk/comment are made\n", made.stderr
    dumped = flask("dump", "helpdesk", str(tmp_path), "--user", PEOPLE[0])
    assert dumped.stdout == f"3 helpdesk/ticket, 2 helpdesk/comment are in {tmp_path}\n", dumped.stderr
    again = flask("load", "helpdesk", str(tmp_path), "--user", PEOPLE[1])
    assert again.returncode == 0, again.stderr
    first, second = (flask.read(address) for address in PEOPLE)
    for segment, names in (
        ("ticket", ("subject", "description", "priority", "state")),
        ("comment", ("text", "internal")),
    ):
        assert told(second[segment], *names) == told(first[segment], *names)
    assert {each["ticketId"] for each in second["comment"]} == {second["ticket"][0]["id"]}
    assert not {each["id"] for each in first["ticket"]} & {each["id"] for each in second["ticket"]}


@pytest.mark.full
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "ticket.ndjson, line 1"),
        ('{"id": "1"}', "ticket.ndjson, line 1"),
        ('{"subject": "Without an id"}', "ticket.ndjson, line 1"),
        ('{"id": "1", "subject": "x", "state": "burning"}', "ticket.ndjson, line 1"),
    ],
)
def test_a_line_that_cannot_be_made_is_named_and_nothing_is_made(flask, tmp_path, line, said):
    before = flask.read(PEOPLE[1])["ticket"]
    (tmp_path / "ticket.ndjson").write_text(line + "\n")
    refused = flask("load", "helpdesk", str(tmp_path), "--user", PEOPLE[1])
    assert (refused.returncode, said in refused.stderr) == (1, True), refused.stderr
    assert "Traceback" not in refused.stderr
    assert flask.read(PEOPLE[1])["ticket"] == before


@pytest.mark.full
def test_lists_of_a_plugin_say_what_they_cost(flask):
    checked = flask("check", "--costs", PEOPLE[0])
    assert "helpdesk/ticket" in checked.stdout
    assert "ix_helpdesk" in checked.stdout
