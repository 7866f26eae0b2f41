"""The flask commands: what they do, and their answers for people and for scripts."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from app.auth.keys import key_usage
from app.jobs import queue, registry
from app.testing.cast import Actor
from app.testing.database import unit_of_work
from tests.auth.sign_in.visitors import PASSWORD, sign_up, visit

PATH = "/api/v1/crm/contact"


@pytest.fixture
def run(app):
    runner = app.test_cli_runner()

    def invoke(*words, code=0):
        result = runner.invoke(args=words)
        assert result.exit_code == code, result.output
        return json.loads(result.output) if "--json" in words and code == 0 else result.output

    return invoke


@pytest.fixture
def email(run, request):
    address = f"{abs(hash(request.node.name))}@commands.example"
    run("users", "create", "--email", address, "--password", "correct horse")
    return address


def test_a_user_is_made_once_with_a_home(run, app):
    made = run("users", "create", "--email", "Once@commands.example", "--password", "correct horse", "--json")
    assert (made["email"], made["name"], made["role"]) == ("once@commands.example", "once", "user")
    again = run("users", "create", "--email", "once@commands.example", "--password", "correct horse", code=1)
    assert again == "Error: A record with this email already exists\n"


def test_a_password_that_is_not_given_is_asked_for_and_not_shown(app):
    asked = ["users", "create", "--email", "asked@commands.example"]
    made = app.test_cli_runner().invoke(args=asked, input="correct horse\ncorrect horse\n")
    assert made.exit_code == 0, made.output
    assert "correct horse" not in made.output


@pytest.mark.parametrize(("email", "password"), [("nobody", "correct horse"), ("a@commands.example", "short")])
def test_a_bad_address_or_password_is_one_line(run, email, password):
    output = run("users", "create", "--email", email, "--password", password, code=1)
    assert output.startswith("Error: ")
    assert output.count("\n") == 1


def test_a_session_and_keys_from_the_command_line_work_over_http(run, app, email):
    session = run("sessions", "create", "--user", email, "--json")
    key = run("keys", "create", "--user", email, "--scope", "read", "--scope", "write", "--name", "Mine", "--json")
    anonymous = run("keys", "create", "--anonymous", "--json")
    for token in (session["token"], key["key"], anonymous["key"]):
        assert Actor(app, token).get(PATH).status_code == 200
    assert key["key"].startswith("rg_key_")
    assert anonymous["key"].startswith("rg_anon_")
    assert session["token"].startswith("rg_sess_")


def test_keys_are_listed_shown_rotated_and_revoked(run, app, email):
    key = run("keys", "create", "--user", email, "--expires-in-days", "5", "--json")
    listed = run("keys", "list", "--user", email, "--json")
    assert [each["id"] for each in listed] == [key["id"]]
    assert "key" not in listed[0]
    fresh = run("keys", "rotate", key["id"], "--json")
    assert fresh["expiresAt"] <= key["expiresAt"]
    assert Actor(app, key["key"]).get(PATH).status_code == 401
    assert Actor(app, fresh["key"]).get(PATH).status_code == 200
    assert run("keys", "revoke", fresh["id"], "--json")["status"] == "revoked"
    assert run("keys", "show", fresh["id"], "--json")["status"] == "revoked"
    assert Actor(app, fresh["key"]).get(PATH).status_code == 401
    assert run("keys", "rotate", fresh["id"], code=1) == "Error: Only a live key can be rotated\n"


def test_grace_keeps_the_old_key_for_a_while(run, app, email):
    key = run("keys", "create", "--user", email, "--json")
    run("keys", "rotate", key["id"], "--grace-seconds", "60")
    assert Actor(app, key["key"]).get(PATH).status_code == 200


def test_only_admins_get_keys_with_the_scope_admin(run, email):
    run("keys", "create", "--user", email, "--scope", "admin", code=1)
    run("users", "promote", email)
    assert run("keys", "create", "--user", email, "--scope", "admin", "--json")["scopes"] == ["admin"]


def test_a_ban_from_the_command_line_ends_every_credential(run, app, email):
    session = run("sessions", "create", "--user", email, "--json")
    assert run("users", "ban", email, "--json")["banned"] is True
    assert Actor(app, session["token"]).get(PATH).status_code == 401


def test_flags_are_listed_and_switched(run):
    assert "auth-anonymous-api-key" in run("flags", "list")
    assert run("flags", "set", "auth-anonymous-api-key", "on", "--json")["enabled"] is True
    assert run("flags", "set", "auth-anonymous-api-key", "off", "--json")["enabled"] is False
    assert run("flags", "set", "nosuch", "on", code=1) == "Error: No flag is called nosuch\n"


def test_resources_prints_the_registry(run):
    assert run("resources").endswith("10 domains, 55 models and company, 106 explicit generic routes\n")
    assert run("resources", "--json")["totals"]["explicitRoutes"] == 106


def test_without_a_database_a_command_says_so_in_one_line(build):
    lonely = build(database_url="postgresql://nobody@127.0.0.1:1/none")
    result = lonely.test_cli_runner().invoke(args=["users", "list"])
    assert result.exit_code == 1
    assert result.output.startswith("Error: The database cannot be used")
    assert result.output.count("\n") == 1


def test_the_use_of_a_key_is_drawn(run, app, email):
    key = run("keys", "create", "--user", email, "--name", "Drawn", "--json")
    for method in ("get", "get", "post"):
        getattr(Actor(app, key["key"]), method)(PATH)
    key_usage.flush(app)
    drawn = run("keys", "usage", key["id"], "--days", "2").splitlines()
    assert drawn[0] == f"Drawn ({key['start']}...): 3 requests in 2 days"
    assert len(drawn) == 3
    assert drawn[-1].endswith("3 " + "█" * 33 + "░" * 17)
    points = run("keys", "usage", key["id"], "--days", "1", "--by", "hour", "--json")
    assert (len(points), sum(point["requests"] for point in points)) == (24, 3)


@pytest.fixture
def job(run, app):
    """Defers a job that nobody knows how to do, and finds it again."""

    def defer(mark):
        with app.app_context(), unit_of_work() as unit:
            queue.defer(unit, "nobody_knows_this", mark)
        return find(mark)

    def find(mark):
        listed = run("jobs", "list", "--json")
        return next(each for each in listed if each["arguments"].get("row_id") == str(mark))

    return defer, find


def test_jobs_are_listed_and_cancelled(run, job):
    (defer, find), cancelled = job, uuid4()
    waiting = defer(cancelled)
    assert waiting["status"] == "todo"
    assert "nobody_knows_this" in run("jobs", "list", "--status", "todo")
    assert run("jobs", "cancel", str(waiting["id"])) == f"Job {waiting['id']} is cancelled\n"
    assert find(cancelled)["status"] == "cancelled"
    assert run("jobs", "cancel", str(waiting["id"]), code=1) == f"Error: Job {waiting['id']} does not wait\n"


def test_a_failed_job_is_done_again(run, app, job):
    (defer, find), failed = job, uuid4()
    identifier = str(defer(failed)["id"])
    registry.work(app, concurrency=1, until_empty=True)
    assert find(failed)["status"] == "failed"
    assert run("jobs", "retry", identifier) == f"Job {identifier} waits\n"
    assert (find(failed)["status"], find(failed)["attempts"]) == ("todo", 0)
    run("jobs", "cancel", identifier)
    assert run("jobs", "retry", "999999999", code=1).startswith("Error: Job 999999999")


PASSWORDS = {"before": "correct horse", "after": "another stable word"}


def signs_in(app, email, password):
    body = {"email": email, "password": password}
    return visit(app).post("/api/auth/signin", json=body).status_code == 200


def test_a_ban_is_taken_back(run, app, email):
    run("users", "ban", email, "--reason", "spam")
    assert not signs_in(app, email, PASSWORDS["before"])
    assert run("users", "unban", email, "--json")["banned"] is False
    assert signs_in(app, email, PASSWORDS["before"])


def test_an_admin_is_demoted_and_signed_out(run, app, email):
    run("users", "promote", email)
    session = run("sessions", "create", "--user", email, "--json")
    assert run("users", "demote", email, "--json")["role"] == "user"
    assert Actor(app, session["token"]).get(PATH).status_code == 401


def test_a_new_password_replaces_the_old_one_and_ends_sessions(run, app, email):
    session = run("sessions", "create", "--user", email, "--json")
    run("users", "set-password", email, "--password", PASSWORDS["after"])
    assert [signs_in(app, email, each) for each in PASSWORDS.values()] == [False, True]
    assert Actor(app, session["token"]).get(PATH).status_code == 401
    run("users", "set-password", email, "--password", "short", code=1)


def test_an_address_is_taken_as_proved(run, app):
    made = sign_up(visit(app)).json["user"]
    assert made["emailVerified"] is False
    run("users", "verify", made["email"])
    body = {"email": made["email"], "password": PASSWORD}
    assert visit(app).post("/api/auth/signin", json=body).json["user"]["emailVerified"] is True


def test_a_user_is_deleted_after_a_question(app, run, email):
    runner = app.test_cli_runner()
    assert runner.invoke(args=["users", "delete", email], input="n\n").exit_code == 1
    assert signs_in(app, email, PASSWORDS["before"])
    assert run("users", "delete", email, "--yes") == f"{email} is deleted.\n"
    assert not signs_in(app, email, PASSWORDS["before"])


def test_the_description_is_printed_whole(run, app):
    printed = json.loads(run("openapi", "print"))
    assert printed == app.test_client().get("/api/v1/openapi.json").json


def test_the_shortest_password_is_a_setting(build):
    strict = build(password_min_length=20)
    refused = sign_up(visit(strict), password="nineteen characters")
    assert refused.json["details"]["fields"] == {"password": ["Must have 20 characters at least."]}
    assert sign_up(visit(strict), password="twenty characters ok").status_code == 200


def test_a_key_is_given_a_limit_of_its_own(run, app, email):
    key = run("keys", "create", "--user", email, "--json")
    assert key["limit"] == "100 in 60 s"
    assert run("keys", "limit", key["id"], "2 per hour", "--json")["limit"] == "2 in 3600 s"
    assert [Actor(app, key["key"]).get(PATH).status_code for _ in range(3)] == [200, 200, 429]
    assert run("keys", "limit", key["id"], "off", "--json")["limit"] == "off"
    assert Actor(app, key["key"]).get(PATH).status_code == 200
    for wrong in ("many", "0 per minute", "1 per year"):
        run("keys", "limit", key["id"], wrong, code=2)


def test_the_limit_of_new_keys_is_a_setting(build, email):
    strict = build(key_limit="3 per hour").test_cli_runner()
    made = strict.invoke(args=["keys", "create", "--user", email, "--json"])
    assert json.loads(made.output)["limit"] == "3 in 3600 s"
