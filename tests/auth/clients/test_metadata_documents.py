"""Clients whose id is the address of a document that says what they are, and documents that are refused."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from app.auth.clients import metadata_documents
from app.auth.models.clients import AuthClient
from app.foundation.clock import now
from app.testing.database import transaction
from tests.account.visitors import Visitor
from tests.auth.clients.connecting import Client, connect, page_of

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
    assert visitor.client.get(client.address()).status_code == 400


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
        f"https://example.com/{'c' * 600}",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_document_is_never_asked(app, client_id):
    with app.app_context():
        assert not metadata_documents.is_address(client_id)


def test_private_networks_are_never_asked(build_once, loopback):
    """In production, where nobody means their own machine."""
    app = build_once(environment="production", secret_key="x" * 40, base_url="https://api.example.com")
    loopback.answer(PATH, json=document(loopback))
    for host in ("127.0.0.1", "localhost", "10.0.0.1", "[::1]", "169.254.169.254"):
        with app.app_context(), pytest.raises(metadata_documents.UnknownClient):
            metadata_documents.read(f"https://{host}:{loopback.url.rpartition(':')[2]}{PATH}")
    assert loopback.requests == []


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
