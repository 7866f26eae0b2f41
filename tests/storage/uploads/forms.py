"""Files sent as a browser's form sends them."""

from __future__ import annotations

from typing import Any

import requests

from app.testing.cast import Actor

UPLOAD = "/api/upload"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"


def send(actor: Actor, content: bytes, name: str = "notes.txt", kind: str = "text/plain", field: str = "file") -> Any:
    form = requests.Request("POST", "http://x", files={field: (name, content, kind)}).prepare()
    return actor.send("POST", UPLOAD, data=form.body, content_type=form.headers["Content-Type"])


def sent(actor: Actor, content: bytes, name: str = "notes.txt", kind: str = "text/plain") -> str:
    """Upload a file that has to be taken, and return its path."""
    response = send(actor, content, name, kind)
    assert response.status_code == 200, response.json
    location: str = response.headers["Location"]
    return location


def content_of(actor: Actor, path: str, **headers: str) -> Any:
    """The answer with the bytes, wherever they are."""
    response = actor.get(f"{path}/content", headers=headers, buffered=True)
    if response.status_code == 302:
        return requests.get(response.headers["Location"], headers=headers, timeout=10)
    return response


def bytes_of(response: Any) -> bytes:
    found: bytes = response.content if isinstance(response, requests.Response) else response.data
    return found
