"""Chains of providers over HTTP, and questions put to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from flask import Flask
from werkzeug.test import EnvironBuilder, TestResponse

from app.testing.cast import Actor, Cast
from tests.ai.upstream import Upstream

CHAT = "/api/chat"
QUESTION = "How high may the crane be?"
numbers = count(1)


@dataclass
class Chains:
    """Makes chains for the organization of ``owner`` whose providers are the models of the loopback server."""

    cast: Cast
    owner: Actor
    upstream: Upstream

    def provider(self, model: str, **values: Any) -> str:
        body = {
            "slug": f"loopback-{next(numbers)}", "name": "Loopback", "kind": "openai_compatible",
            "baseUrl": self.upstream.url, "apiKey": "sk-test-12345678", "defaultModel": model, **values,
        }  # fmt: skip
        return made(self.cast.admin.post("/api/v1/ai", body))

    def of(self, *models: str, place: dict[str, Any] | None = None, **values: Any) -> str:
        """The default chain of the owner's organization: ``models`` in this order."""
        return self.over(*(self.provider(model) for model in models), place=place, **values)

    def over(self, *providers: str, place: dict[str, Any] | None = None, **values: Any) -> str:
        chain = made(
            self.owner.post("/api/v1/ai/chain", {"name": f"Chain {next(numbers)}", "isDefault": True, **values})
        )
        for provider in providers:
            body = {"chainId": chain, "providerId": provider, **(place or {})}
            made(self.owner.post("/api/v1/ai/chain-provider", body))
        return chain

    def attempts(self) -> list[dict[str, Any]]:
        """The attempts of the owner's newest stream, in order."""
        rows = self.owner.get(f"/api/v1/ai/attempt?streamId={self.stream()['id']}").json["data"]
        return sorted(rows, key=lambda row: row["attemptNumber"])

    def stream(self) -> dict[str, Any]:
        """The owner's newest stream."""
        return self.owner.get("/api/v1/ai/stream?take=1").json["data"][0]

    def said(self) -> list[tuple[str, str, str]]:
        """Role, content and status of all that was said in the chat of the newest stream, in order."""
        rows = self.owner.get(f"/api/v1/ai/message?chatId={self.stream()['chatId']}").json["data"]
        return [(row["role"], row["content"], row["status"]) for row in sorted(rows, key=lambda row: row["sequence"])]


def made(response: TestResponse) -> str:
    assert response.status_code == 201, response.json
    return response.json["id"]


def ask(actor: Actor, text: str = QUESTION, accept: str = "*/*", **body: Any) -> TestResponse:
    question = {"messages": [{"role": "user", "content": text}], **body}
    return actor.post(CHAT, question, headers={"Accept": accept}, buffered=True)


def begin(app: Flask, actor: Actor, accept: str = "*/*", **body: Any) -> Sent:
    """The body of an answer that is under way, as a server reads it."""
    question = {"messages": [{"role": "user", "content": QUESTION}], **body}
    headers = {"Authorization": f"Bearer {actor.token}", "Accept": accept}
    environ = EnvironBuilder(method="POST", path=CHAT, json=question, headers=headers).get_environ()
    return Sent(app, environ)


class Sent:
    """What an application sends."""

    def __init__(self, app: Flask, environ: dict[str, Any]) -> None:
        self._answer = app.wsgi_app(environ, lambda status, headers, exc_info=None: None)
        self._pieces = iter(self._answer)

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def __next__(self) -> bytes:
        return next(self._pieces)

    def close(self) -> None:
        self._answer.close()
