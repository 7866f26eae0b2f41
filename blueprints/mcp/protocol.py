"""Messages of the Model Context Protocol over streamable HTTP, and what is wrong with them.

A request of revision 2026-07-28 tells version and client in its ``_meta``, and in headers that agree with it. One of
2025-11-25 comes after ``initialize``, which makes no session here, so that both are answered by themselves.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from flask import Request

MODERN, LEGACY = "2026-07-28", ("2025-11-25", "2025-06-18")
SUPPORTED = (MODERN, *LEGACY)
PREFIX = "io.modelcontextprotocol/"
VERSION, CAPABILITIES = f"{PREFIX}protocolVersion", f"{PREFIX}clientCapabilities"
SERVER, SUBSCRIPTION = f"{PREFIX}serverInfo", f"{PREFIX}subscriptionId"
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"
# The member of the parameters that a request names its target by, which its headers repeat.
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
MAX_ID_LENGTH, MAX_METHOD_LENGTH = 200, 100

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
# What clients of earlier revisions know a missing resource by.
LEGACY_RESOURCE_NOT_FOUND = -32002


class ProtocolError(Exception):
    """A request that is answered by an error of JSON-RPC, with the status of HTTP that goes with it."""

    def __init__(
        self, code: int, text: str, *, status: int = HTTPStatus.BAD_REQUEST, data: Any = None, id: Any = None
    ) -> None:
        super().__init__(text)
        self.code, self.text, self.status, self.data, self.id = code, text, status, data, id

    def body(self) -> dict[str, Any]:
        """The error as it goes out; without an id where none could be read."""
        error: dict[str, Any] = {"code": self.code, "message": self.text}
        if self.data is not None:
            error["data"] = self.data
        return {"jsonrpc": "2.0"} | ({} if self.id is None else {"id": self.id}) | {"error": error}


@dataclass(frozen=True)
class Message:
    """A request, or without an ``id`` a notification."""

    method: str
    params: Mapping[str, Any]
    id: str | int | None
    version: str

    @property
    def is_modern(self) -> bool:
        return self.version == MODERN

    def text(self, name: str) -> str:
        """A parameter that is text; raises ProtocolError."""
        value = self.params.get(name)
        if not isinstance(value, str):
            raise self.invalid(f"{name} must be a string")
        return value

    def invalid(self, text: str) -> ProtocolError:
        """The error of parameters that do not fit. To earlier revisions, errors of requests are no errors of HTTP."""
        return ProtocolError(
            INVALID_PARAMS, text, status=HTTPStatus.BAD_REQUEST if self.is_modern else HTTPStatus.OK, id=self.id
        )


def read(body: Any, request: Request) -> Message:
    """The message in a body, checked against the headers of its request; raises ProtocolError."""
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "The body must be one message of JSON-RPC 2.0")
    identifier, method, params = body.get("id"), body.get("method"), body.get("params", {})
    if "id" in body and not _is_id(identifier):
        raise ProtocolError(
            INVALID_REQUEST, f"id must be an integer, or a string of at most {MAX_ID_LENGTH} characters"
        )
    if not isinstance(method, str) or not 0 < len(method) <= MAX_METHOD_LENGTH or not isinstance(params, dict):
        raise ProtocolError(INVALID_REQUEST, "method must be a string, and params an object", id=identifier)
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise ProtocolError(INVALID_PARAMS, "_meta must be an object", id=identifier)
    message = Message(method, params, identifier, _version(method, meta, request, identifier))
    if message.is_modern and identifier is not None:
        _check_meta(message, meta)
    _check_headers(message, request)
    return message


def _is_id(value: Any) -> bool:
    is_short = isinstance(value, str) and len(value) <= MAX_ID_LENGTH
    return is_short or (isinstance(value, int) and not isinstance(value, bool))


def _version(method: str, meta: Mapping[str, Any], request: Request, identifier: Any) -> str:
    """The revision that a request is of; raises ProtocolError for one that is not spoken here."""
    header, told = request.headers.get(VERSION_HEADER), meta.get(VERSION)
    if method == "initialize" and told is None:
        return header if header in LEGACY else LEGACY[0]
    if told is not None and header is not None and told != header:
        raise ProtocolError(
            HEADER_MISMATCH, f"Header mismatch: {VERSION_HEADER} names another version than _meta", id=identifier
        )
    named = told if told is not None else header
    if named is None:
        return LEGACY[0]
    if named not in SUPPORTED or (told is not None and told != MODERN):
        data = {"supported": list(SUPPORTED), "requested": str(named)[:MAX_METHOD_LENGTH]}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data=data, id=identifier)
    return str(named)


def _check_meta(message: Message, meta: Mapping[str, Any]) -> None:
    for name, kinds in ((VERSION, str), (CAPABILITIES, dict)):
        if not isinstance(meta.get(name), kinds):
            raise ProtocolError(INVALID_PARAMS, f"_meta needs {name}", id=message.id)


def _check_headers(message: Message, request: Request) -> None:
    """Refuse headers that say another thing than the body, also of revisions that know none: others may have judged
    the request by them."""
    expected = {VERSION_HEADER: message.version, METHOD_HEADER: message.method}
    if message.method in NAMED_BY:
        expected[NAME_HEADER] = message.text(NAMED_BY[message.method])
    is_needed = message.is_modern and message.id is not None
    for header, value in expected.items():
        sent = request.headers.get(header)
        if sent is None and not is_needed:
            continue
        if sent is None:
            raise ProtocolError(HEADER_MISMATCH, f"Header mismatch: {header} is missing", id=message.id)
        if (_decoded(sent) if header == NAME_HEADER else sent) != value:
            raise ProtocolError(HEADER_MISMATCH, f"Header mismatch: {header} and the body differ", id=message.id)


def _decoded(value: str) -> str | None:
    """A value of a header, which is encoded where it is not plain ASCII; None for one that cannot be read."""
    start, end = "=?base64?", "?="
    if not (value.startswith(start) and value.endswith(end)):
        return value
    try:
        return b64decode(value[len(start) : -len(end)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
