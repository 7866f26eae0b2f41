"""flask clients: registering clients, and ending what people have connected."""

from __future__ import annotations

import json

import pytest

from tests.account.visitors import Visitor
from tests.auth.clients.connecting import Client, connect


@pytest.fixture
def run(app):
    runner = app.test_cli_runner()

    def invoke(*words, code=0):
        result = runner.invoke(args=["clients", *words])
        assert result.exit_code == code, result.output
        return json.loads(result.output) if "--json" in words else result.output

    return invoke


def test_a_client_is_registered_listed_once_it_is_connected_and_revoked(app, run):
    made = run("register", "Assistant", "--redirect", "http://localhost/callback", "--json")
    client = Client(app, made["clientId"])
    connect(Visitor(app).sign_up(), client)
    row = next(each for each in run("list", "--json") if each["clientId"] == client.client_id)
    assert (row["name"], row["scopes"]) == ("Assistant", ["read", "write"])
    assert client.call("list_models").status_code == 200
    assert run("revoke", row["id"]) == f"{row['id']} is disconnected\n"
    assert client.call("list_models").status_code == 401
    assert "Error" in run("revoke", row["id"], code=1)


def test_an_address_that_browsers_are_not_sent_to_is_refused(run):
    assert "HTTPS, or HTTP on this machine" in run("register", "x", "--redirect", "http://example.com/", code=1)
