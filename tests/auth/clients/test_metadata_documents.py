"""Clients whose id is the address of a document that says what they are, and documents that are refused."""

from __future__ import annotations

import socket
from datetime import timedelta
from html import unescape

import pytest
from sqlalchemy import update

from app.auth.clients import connections, metadata_documents, registry
from app.auth.models.clients import AuthClient, AuthClientRequest
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now
from app.testing.database import transaction
from tests.account.visitors import Visitor
from tests.auth.clients.connecting import Client, connect, page_of, register

PATH = "/client.json"


def document(loopback, **changes):
    said = {
        "client_id": f"{loopback.url}{PATH}", "client_name": "Assistant", "client_uri": "https://example.com",
        "redirect_uris": ["http://localhost/callback"], "token_endpoint_auth_method": "none", "grant_types": ["x"],
    } | changes  # fmt: skip
    return {name: value for name, value in said.items() if value is not None}


@pytest.fixture
def client(app, loopback):
    loopback.answer(PATH, json=document(loopback))
    return Client(app, f"{loopback.url}{PATH}")


def test_a_client_that_is_known_by_its_document_is_connected(visitor, client):
    page = visitor.client.get(page_of(visitor, client)).text
    assert "Connect Assistant?" in page
    assert "127.0.0.1" in page
    assert connect(visitor, client)["scope"] == "read write"
    assert client.refresh().status_code == 200


def test_a_document_is_read_once_until_it_is_too_old(app, visitor, client, loopback):
    for _ in range(3):
        page_of(visitor, client)
    assert len(loopback.requests) == 1
    loopback.answer(PATH, json=document(loopback, client_name="Assistant 2"))
    with app.app_context(), transaction() as session:
        session.execute(update(AuthClient).where(AuthClient.client_id == client.client_id).values(fresh_until=now()))
    assert "Connect Assistant 2?" in visitor.client.get(page_of(visitor, client)).text
    assert len(loopback.requests) == 2


def test_a_client_that_is_connected_goes_on_while_its_document_is_away(app, visitor, client, loopback):
    connect(visitor, client)
    loopback.answer(PATH, status=503)
    with app.app_context(), transaction() as session:
        session.execute(update(AuthClient).values(fresh_until=now()))
    assert client.refresh().status_code == 200
    assert "Connect Assistant?" in visitor.client.get(page_of(visitor, client)).text


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "https://elsewhere.example/client.json"},
        {"client_id": None},
        {"client_name": None},
        {"client_name": " "},
        {"client_name": 7},
        {"redirect_uris": None},
        {"redirect_uris": []},
        {"redirect_uris": ["http://evil.example/callback"]},
        {"redirect_uris": ["cursor://callback"]},
        {"redirect_uris": ["https://x.example/#fragment"]},
        {"redirect_uris": [7]},
        {"redirect_uris": ["https://x.example/"] * 21},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"client_secret": "x"},
    ],
)
def test_a_document_that_does_not_fit_is_refused(app, visitor, loopback, changes):
    loopback.answer(PATH, json=document(loopback, **changes))
    response = visitor.client.get(Client(app, f"{loopback.url}{PATH}").address())
    assert response.status_code == 400
    assert "Location" not in response.headers


@pytest.mark.parametrize(
    "answer",
    [
        {"body": "<html>"}, {"body": "[]"}, {"body": "x" * 20_000}, {"status": 404, "body": "{}"},
        {"status": 302, "headers": {"Location": "/other.json"}}, {"body": "{}", "breaks": True},
    ],
)  # fmt: skip
def test_what_is_no_document_is_refused(app, visitor, loopback, answer):
    loopback.answer(PATH, **answer)
    assert visitor.client.get(Client(app, f"{loopback.url}{PATH}").address()).status_code == 400


@pytest.mark.parametrize(
    "client_id",
    [
        "http://example.com/client.json", "https://example.com", "https://example.com/", "https://x@example.com/c",
        "https://example.com/a/../c", "https://example.com/c#x", "ftp://example.com/c", "https://example.com/ c",
        f"https://example.com/{'c' * 600}", "https://[evil/x", "http://[::1/x", "https://[::1]a/x", "https://a:b/x",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_document_is_never_asked(app, client_id):
    with app.app_context():
        assert not metadata_documents.is_address(client_id)


@pytest.mark.parametrize("host", ["a..b", "a" * 70 + ".com", "nothing.invalid"])
def test_hosts_that_there_are_not_are_refused_in_one_sentence(app, visitor, host):
    response = visitor.client.get(Client(app, f"https://{host}/x").address())
    assert response.status_code == 400
    assert "metadata cannot be read" in unescape(response.text)


def test_a_browser_is_led_to_no_client_that_has_told_of_itself_before_its_person_has_decided(visitor, client):
    response = visitor.client.get(client.address(response_type="token"))
    assert response.status_code == 400
    assert "Location" not in response.headers


def test_names_are_shown_in_one_line_without_what_turns_text(app, visitor, loopback):
    loopback.answer(PATH, json=document(loopback, client_name="Good\u202e \r\n\x1b app\u2028"))
    text = visitor.client.get(page_of(visitor, Client(app, f"{loopback.url}{PATH}"))).text
    assert "Connect Good app?" in text


def test_clients_that_nobody_has_connected_are_forgotten(app, visitor, client):
    page_of(visitor, client)
    other = Client(app, register(app))
    with app.app_context(), transaction() as session:
        session.execute(update(AuthClientRequest).values(expires_at=now()))
        session.execute(update(AuthClient).values(updated_at=now() - timedelta(days=2)))
    with app.app_context():
        run_unit(SYSTEM, connections.forget_expired)
        assert registry.find(client.client_id) is None
        assert registry.find(other.client_id) is not None


def test_private_networks_are_never_asked(build_once):
    """In production, where nobody means their own machine."""
    app = build_once(environment="production", secret_key="x" * 40, base_url="https://api.example.com")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        port = listening.getsockname()[1]
        for host in ("127.0.0.1", "localhost", "[::1]", "2130706433", "localhost."):
            with app.test_request_context(), pytest.raises(metadata_documents.UnknownClient):
                metadata_documents.read(f"https://{host}:{port}{PATH}")
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_clients_register_themselves_where_the_service_lets_them(app, build_once, cast):
    given = {"client_name": "Old", "redirect_uris": ["http://localhost/callback"], "software_id": "x"}
    assert app.test_client().post("/oauth/register", json=given).status_code == 404
    open_to_them = build_once(client_registration=True)
    made = open_to_them.test_client().post("/oauth/register", json=given)
    assert made.status_code == 201
    assert made.json["token_endpoint_auth_method"] == "none"
    visitor = Visitor(open_to_them).sign_up()
    assert connect(visitor, Client(open_to_them, made.json["client_id"]))["scope"]
    for changes, error in (
        ({"redirect_uris": ["http://evil.example/"]}, "invalid_redirect_uri"),
        ({"redirect_uris": "x"}, "invalid_redirect_uri"),
        ({"token_endpoint_auth_method": "client_secret_basic"}, "invalid_client_metadata"),
    ):
        refused = open_to_them.test_client().post("/oauth/register", json=given | changes)
        assert (refused.status_code, refused.json["error"]) == (400, error)
