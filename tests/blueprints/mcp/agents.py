"""An agent that speaks the protocol: its calls in the revision of now, or in the earlier one."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from werkzeug.test import TestResponse

from app.testing.cast import Actor

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
META = {
    f"{PREFIX}protocolVersion": VERSION, f"{PREFIX}clientInfo": {"name": "tests", "version": "1"},
    f"{PREFIX}clientCapabilities": {},
}  # fmt: skip
numbers = count(1)


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": {"_meta": META, **params}}


def headers_of(sent: dict[str, Any]) -> dict[str, str]:
    """The headers that belong to a message."""
    params = sent["params"]
    named = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(sent["method"])
    told = {"Mcp-Name": params[named]} if named else {}
    return {"MCP-Protocol-Version": VERSION, "Mcp-Method": sent["method"], **told}


def ask(actor: Actor, method: str, **params: Any) -> TestResponse:
    """Send a request of the revision of now."""
    sent = message(method, **params)
    return actor.post("/mcp", sent, headers=headers_of(sent))


def result(actor: Actor, method: str, **params: Any) -> dict[str, Any]:
    """The result of a request that has to be answered."""
    response = ask(actor, method, **params)
    assert response.status_code == 200, response.json
    return response.json["result"]


def call(actor: Actor, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result of a call, whatever has become of it."""
    return result(actor, "tools/call", name=tool, arguments=arguments)


def told(actor: Actor, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool tells, which has to work; its text says the same as its structure."""
    found = call(actor, tool, **arguments)
    assert not found["isError"], found["content"]
    assert json.loads(found["content"][1]["text"]) == found["structuredContent"]
    return found["structuredContent"]


def refused(actor: Actor, tool: str, **arguments: Any) -> str:
    """The sentences of a call that has to be refused."""
    found = call(actor, tool, **arguments)
    assert found["isError"], found
    return found["content"][0]["text"]
