"""Agents of other people on a running service: the official clients in both revisions, and OAuth by one of them."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import threading
from contextlib import suppress
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata

from app import extension_points
from config import ROOT
from tests.auth.clients.connecting import register
from tests.end_to_end.packages import BIN
from tests.end_to_end.service import environment
from tests.writes import created

pytestmark = pytest.mark.full
MODULES = ROOT / ".venv" / "node" / "node_modules"
CALLBACK = "http://localhost:4711/callback"


@pytest.fixture
def company(owner):
    return created(owner, "crm/company", name="Harbour Works")


def node(*command, timeout=90):
    """Run a program of Node, and give what it has said, and its status."""
    given = environment(NODE_MODULES=str(MODULES))
    run = subprocess.run([BIN / "node", *map(str, command)], env=given, capture_output=True, text=True, timeout=timeout)
    return run.stdout, run.returncode, run.stderr


@pytest.mark.parametrize(
    ("package", "mode", "version"),
    [("client", "auto", "2026-07-28"), ("client", "legacy", "2025-11-25"), ("sdk", "legacy", "2025-11-25")],
)
def test_the_clients_of_node(shared_service, owner, company, package, mode, version):
    address = f"http://localhost:{shared_service.port}/mcp"
    said, status, wrong = node("tests/node/agent.mjs", package, mode, address, owner.token, company["id"])
    assert status == 0, wrong
    told = json.loads(said)
    assert (told["version"], told["server"]) == (version, "Rowgate")
    assert tuple(told["tools"]) == extension_points.OWN_TOOLS
    assert (told["resource"], told["record"], told["refused"]) == ("Harbour Works", "Harbour Works", True)
    assert told["prompts"]
    assert told.get("heard", True)


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_the_client_of_python(shared_service, owner, company, mode, version):
    async def talk():
        address = f"http://localhost:{shared_service.port}/mcp"
        async with (
            create_mcp_http_client(headers={"Authorization": f"Bearer {owner.token}"}) as http,
            Client(streamable_http_client(address, http_client=http), mode=mode) as client,
        ):
            assert client.protocol_version == version
            assert tuple(each.name for each in (await client.list_tools()).tools) == extension_points.OWN_TOOLS
            found = await client.call_tool("get_record", {"model": "crm/company", "id": company["id"]})
            assert found.structured_content["record"]["name"] == "Harbour Works"
            read = await client.read_resource(f"rowgate://crm/company/{company['id']}")
            assert json.loads(read.contents[0].text)["id"] == company["id"]
            assert (await client.get_prompt("ask-crm", {"question": "Who?"})).messages
            if mode == "auto":
                async with client.listen(resource_subscriptions=[f"rowgate://crm/company/{company['id']}"]) as heard:
                    changed = {"model": "crm/company", "id": company["id"], "values": {"name": "Harbour Works 2"}}
                    await client.call_tool("update_record", changed)
                    assert (await anext(aiter(heard))).uri.endswith(company["id"])

    asyncio.run(asyncio.wait_for(talk(), 60))


def test_the_command_line_of_the_inspector(shared_service, owner, company):
    inspector = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    address = f"http://localhost:{shared_service.port}/mcp"
    server = ("--cli", address, "--transport", "http", "--header", f"Authorization: Bearer {owner.token}")
    said, status, wrong = node(inspector, *server, "--method", "tools/list", "--format", "json", "--strict")
    assert status == 0, wrong
    assert len(json.loads(said)["result"]["tools"]) == 11
    asked = ("--method", "tools/call", "--tool-name", "get_record", "--tool-arg", "model=crm/company")
    said, status, wrong = node(inspector, *server, *asked, "--tool-arg", f"id={company['id']}", "--format", "json")
    assert status == 0, wrong
    assert json.loads(said)["result"]["structuredContent"]["record"]["name"] == "Harbour Works"
    refused = node(inspector, "--cli", address, "--transport", "http", "--method", "tools/list", "--stored-auth-only")
    assert refused[1] == 3  # a credential is needed


class Kept:
    """What a client keeps: its registration, and its tokens."""

    def __init__(self, client_id):
        self.tokens = None
        self.client = OAuthClientInformationFull(
            client_id=client_id, redirect_uris=[CALLBACK], token_endpoint_auth_method="none"
        )

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Browser:
    """A person in a browser, who signs up on the way to the consent."""

    def __init__(self, url):
        self.url, self.session, self.back = url, requests.Session(), ""
        self.session.headers["Sec-Fetch-Site"] = "same-origin"
        given = {"email": f"agent{id(self)}@example.com", "password": "correct horse battery", "name": "Ada"}
        assert self.session.post(f"{url}/api/auth/signup", json=given).status_code == 200

    async def go(self, address):
        page = self.session.get(address)
        assert page.url.startswith(f"{self.url}/account/connect/"), page.text
        form = dict(re.findall(r'name="(csrf|organization)" value="([^"]+)"', page.text))
        sent = self.session.post(f"{page.url}/allow", data={**form, "may": "write", "reach": "all"})
        self.back = unescape(re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', sent.text)[1])

    async def come_back(self):
        told = {name: values[0] for name, values in parse_qs(urlsplit(self.back).query).items()}
        return AuthorizationCodeResult(code=told["code"], state=told.get("state"), iss=told.get("iss"))

    def connected(self):
        return self.session.get(f"{self.url}/api/auth/clients").json()["data"]


def test_oauth_by_a_client_that_nobody_here_wrote(app, shared_service):
    url = f"http://localhost:{shared_service.port}"
    browser, kept = Browser(url), Kept(register(app, "Assistant"))
    metadata = OAuthClientMetadata(redirect_uris=[CALLBACK], token_endpoint_auth_method="none", client_name="Assistant")

    async def talk():
        provider = OAuthClientProvider(f"{url}/mcp", metadata, kept, browser.go, browser.come_back)
        async with (
            create_mcp_http_client(auth=provider) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http), mode="auto") as client,
        ):
            made = await client.call_tool("create_record", {"model": "crm/company", "values": {"name": "Quay"}})
            return made.structured_content["record"]["name"]

    assert asyncio.run(asyncio.wait_for(talk(), 60)) == "Quay"
    (connection,) = browser.connected()
    assert (connection["name"], connection["scopes"]) == ("Assistant", ["read", "write"])
    headers = {"Authorization": f"Bearer {kept.tokens.access_token}"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert requests.post(f"{url}/mcp", json=ping, headers=headers).status_code == 200
    given = {"token": kept.tokens.refresh_token, "client_id": kept.client.client_id}
    assert requests.post(f"{url}/oauth/revoke", data=given).status_code == 200
    assert requests.post(f"{url}/mcp", json=ping, headers=headers).status_code == 401
    assert browser.connected() == []


def test_a_metadata_document_that_comes_drop_by_drop_is_given_up(shared_service):
    """Its server sends a line of headers now and then, and would for ever."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()

        def drip():
            with listening.accept()[0] as connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                with suppress(OSError):
                    while not ended.wait(0.5):
                        connection.sendall(b"X-More: x\r\n")

        dripping = threading.Thread(target=drip)
        dripping.start()
        asked = {"client_id": f"http://127.0.0.1:{listening.getsockname()[1]}/client.json", "redirect_uri": CALLBACK}
        try:
            response = requests.get(
                f"http://localhost:{shared_service.port}/account/authorize", params=asked, timeout=60
            )
        finally:
            ended.set()
            dripping.join()
    assert response.status_code == 400
    assert "metadata cannot be read" in response.text
