"""Microsoft, played on loopback: sign-in and keys, the Bot Connector, Graph; faithful to the protocol facts."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric import rsa
from joserfc import jwt
from joserfc.jwk import RSAKey

APP_ID = "3f0d1c1e-0000-4000-8000-0000000000aa"
TENANT = "7c1f0000-0000-4000-8000-000000000001"
BOT_ISSUER = "https://api.botframework.com"
METADATA = "/v1/.well-known/openidconfiguration"


def made_key(kid: str) -> RSAKey:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return RSAKey.import_key(private, {"kid": kid})


A, B, C, BARE = (made_key(kid) for kid in ("bf-1", "bf-2", "bf-3", "bf-bare"))


def public(key: RSAKey, **more: Any) -> dict[str, Any]:
    return {**key.as_dict(private=False), "use": "sig", **more}


@dataclass
class Microsoft:
    """What is asked of it, and what it is to answer."""

    url: str = ""
    keys: list[dict[str, Any]] = field(default_factory=list)
    entra_keys: list[dict[str, Any]] = field(default_factory=list)
    reads: int = 0
    down: bool = False
    sent: list[dict[str, Any]] = field(default_factory=list)
    answers: list[tuple[int, Any, dict[str, str]]] = field(default_factory=list)
    tokens: int = 0
    refuse_token: bool = False
    subscriptions: dict[str, dict[str, Any]] = field(default_factory=dict)
    graph_calls: list[tuple[str, str]] = field(default_factory=list)
    graph_answers: list[int] = field(default_factory=list)

    def reset(self) -> None:
        """Be as at first."""
        self.__init__(url=self.url)  # type: ignore[misc]
        self.keys = [public(A, endorsements=["msteams"]), public(B, endorsements=["msteams"]), public(BARE)]
        self.entra_keys = [public(A)]

    def bot_token(self, key: RSAKey = A, header: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token as the Bot Framework makes it, for an activity from here."""
        now = int(time.time())
        usual = {"iss": BOT_ISSUER, "aud": APP_ID, "serviceurl": self.url + "/", "nbf": now - 10, "exp": now + 3600}
        merged = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        head = {"alg": "RS256", "kid": key.kid, "typ": "JWT", "x5t": key.kid} | (header or {})
        return jwt.encode({k: v for k, v in head.items() if v is not None}, merged, key)

    def activity(self, **values: Any) -> dict[str, Any]:
        """A message in a channel."""
        number = f"{time.time_ns()}"
        return {
            "type": "message", "id": number, "timestamp": "2026-01-01T00:00:00.1234567Z", "channelId": "msteams",
            "serviceUrl": self.url + "/", "from": {"id": "29:u1", "name": "Ada", "aadObjectId": "ada-oid"},
            "recipient": {"id": f"28:{APP_ID}", "name": "Canvas Bot"},
            "conversation": {"id": f"19:c1@thread.tacv2;messageid={number}", "conversationType": "channel",
                             "isGroup": True, "tenantId": TENANT},
            "text": "<at>Canvas Bot</at> status",
            "entities": [{"type": "mention", "text": "<at>Canvas Bot</at>",
                          "mentioned": {"id": f"28:{APP_ID}", "name": "Canvas Bot"}}],
            "channelData": {"tenant": {"id": TENANT}, "team": {"id": "19:t1@thread.tacv2"},
                            "channel": {"id": "19:c1@thread.tacv2"}},
            **values,
        }  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Microsoft

    def log_message(self, *args: Any) -> None:
        pass

    def _answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _graph(self) -> None:
        """Subscriptions at Graph: at most one for a resource and its changes."""
        state, body = self.state, self.rfile.read(int(self.headers.get("Content-Length") or 0))
        state.graph_calls.append((self.command, self.headers["Authorization"]))
        if state.graph_answers and (status := state.graph_answers.pop(0)) >= 400:
            self._answer(status, {"error": {"code": "Refused", "message": "No such resource"}})
            return
        identifier = self.path.rpartition("subscriptions")[2].strip("/")
        if self.command == "GET":
            self._answer(200, {"value": list(state.subscriptions.values())})
        elif self.command == "POST":
            asked = json.loads(body)
            about = (asked["resource"], asked["changeType"])
            if any((each["resource"], each["changeType"]) == about for each in state.subscriptions.values()):
                self._answer(409, {"error": {"code": "Conflict"}})
            else:
                made = {**asked, "id": str(uuid4())}
                state.subscriptions[made["id"]] = made
                self._answer(201, {name: value for name, value in made.items() if name != "clientState"})
        elif identifier not in state.subscriptions:
            self._answer(404, {"error": {"code": "ResourceNotFound"}})
        elif self.command == "PATCH":
            state.subscriptions[identifier] |= json.loads(body)
            self._answer(200, state.subscriptions[identifier])
        else:
            del state.subscriptions[identifier]
            self.send_response(204)
            self.end_headers()

    do_PATCH = do_DELETE = _graph  # noqa: N815

    def do_GET(self) -> None:
        state = self.state
        if self.path.startswith("/v1.0/subscriptions"):
            self._graph()
            return
        state.reads += 1
        if state.down:
            self._answer(503, {})
        elif self.path == METADATA:
            self._answer(200, {"issuer": BOT_ISSUER, "jwks_uri": f"{state.url}/v1/.well-known/keys"})
        elif self.path == "/v1/.well-known/keys":
            self._answer(200, {"keys": state.keys})
        elif "/discovery/" in self.path:
            self._answer(200, {"keys": state.entra_keys})
        else:
            self._answer(404, {})

    def do_POST(self) -> None:
        if self.path.startswith("/v1.0/subscriptions"):
            self._graph()
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        state = self.state
        if self.path.endswith("/oauth2/v2.0/token"):
            state.tokens += 1
            if state.refuse_token:
                self._answer(401, {"error": "invalid_client", "error_description": "AADSTS7000215 ..."})
            else:
                self._answer(200, {"token_type": "Bearer", "expires_in": 3600, "access_token": f"t{state.tokens}"})
            return
        state.sent.append({"path": self.path, "token": self.headers["Authorization"], "body": json.loads(body)})
        usual = (201, {"id": "19:c1@thread.tacv2;messageid=17", "activityId": "17"}, {})
        status, answer, headers = state.answers.pop(0) if state.answers else usual
        self._answer(status, answer, headers)


@contextmanager
def microsoft() -> Iterator[Microsoft]:
    state = Microsoft()
    state.reset()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"state": state}))
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
