"""Without a mail server: the mailbox of development, and production, where nothing is kept that could be read."""

from __future__ import annotations

import pytest

from app.mail import outbox
from app.testing.waiting import work
from tests.auth.sign_in.visitors import address, sign_up, visit
from tests.mail.letters import link, rows

PRODUCTION = {"environment": "production", "secret_key": "a secret of production, long enough", "mail_url": ""}


@pytest.fixture
def shown(app):
    """The row of a mail that no server was there for."""
    email = address()
    sign_up(visit(app), email=email)
    return rows(app, email)[0]


@pytest.fixture
def paths(shown):
    return ["/mailbox", f"/mailbox/{shown['id']}", f"/mailbox/{shown['id']}/html"]


def test_in_development_a_message_waits_for_nobody(shown):
    assert (shown["status"], shown["attempts"]) == ("shown", 0)


def test_the_mailbox_shows_messages_with_their_links(app, shown, paths):
    client = app.test_client()
    listed, plain, html = (client.get(path) for path in paths)
    assert [each.status_code for each in (listed, plain, html)] == [200] * 3
    assert paths[1] in listed.text
    assert shown["to"] in listed.text
    wanted = link(app, shown["to"], "verify-address")
    assert wanted in plain.text
    assert wanted in html.text
    assert {each.headers["Cache-Control"] for each in (listed, plain, html)} == {"no-store"}
    assert {each.headers["Referrer-Policy"] for each in (listed, plain, html)} == {"no-referrer"}


@pytest.mark.parametrize(
    ("headers", "peer"),
    [
        ({"X-Forwarded-For": "127.0.0.1"}, "127.0.0.1"),
        ({"Forwarded": "for=127.0.0.1"}, "127.0.0.1"),
        ({"Host": "rowgate.example"}, "127.0.0.1"),
        ({"Host": "evil.example:3001"}, "127.0.0.1"),
        ({"Host": "localhost.evil.example"}, "127.0.0.1"),
        ({}, "192.168.1.7"),
        ({}, "203.0.113.7"),
    ],
)
def test_the_mailbox_is_there_for_callers_on_this_machine_only(app, paths, headers, peer):
    client = app.test_client()
    answers = [client.get(path, headers=headers, environ_base={"REMOTE_ADDR": peer}) for path in paths]
    assert [answer.status_code for answer in answers] == [404] * 3
    assert not any("token=" in answer.text for answer in answers)


@pytest.mark.parametrize("host", ["localhost:3001", "127.0.0.1:3001", "[::1]:3001"])
def test_the_mailbox_goes_by_the_names_of_this_machine(app, paths, host):
    assert app.test_client().get(paths[0], headers={"Host": host}).status_code == 200


def test_in_production_there_is_no_mailbox(build, paths):
    production = build(**PRODUCTION).test_client()
    assert [production.get(path).status_code for path in paths] == [404] * 3


def test_production_without_a_server_notes_the_message_as_failed_and_keeps_no_bodies(build):
    production = build(**PRODUCTION)
    email = address()
    assert sign_up(visit(production), email=email).status_code == 200
    (row,) = rows(production, email)
    assert (row["status"], row["error_message"]) == ("failed", outbox.NO_SERVER)
    assert (row["text"], row["html"], row["unsubscribe_url"]) == (None, None, None)


def test_a_message_that_was_sent_is_shown_by_nobody(app, mailing, server):
    email = address()
    sign_up(visit(mailing), email=email)
    work(mailing)
    assert app.test_client().get(f"/mailbox/{rows(app, email)[0]['id']}").status_code == 404
