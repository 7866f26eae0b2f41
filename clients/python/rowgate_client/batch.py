"""Several requests in one, together or each by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from rowgate_client.openapi import AuthenticatedClient, Client
from rowgate_client.writing import write


class BatchRequest(TypedDict):
    """A request of a batch: the create, change, delete, read, list or sum of a single model."""

    ref: NotRequired[str]
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    body: NotRequired[Mapping[str, Any]]
    ifMatch: NotRequired[str]


class BatchReply(TypedDict):
    """The answer to a request of a batch, with its status."""

    ref: str | None
    status: int
    etag: str | None
    body: Any


def reference(ref: str, field: str = "id") -> str:
    """A field of the answer to an earlier request of the batch, by the name that it was given as ``ref``."""
    return f"{{{ref}.{field}}}"


class Batching:
    """What is about several models."""

    def __init__(self, client: AuthenticatedClient | Client) -> None:
        self._client = client

    def batch(
        self, requests: Sequence[BatchRequest], *, atomic: bool = True, idempotency_key: str | None = None
    ) -> list[BatchReply]:
        """Carry out requests in order, all or none unless ``atomic`` is false; gives their answers, one for one."""
        body = {"requests": [*requests], "atomic": atomic}
        answer = write(self._client, "POST", "/api/v1/_batch", json=body, key=idempotency_key)
        found: list[BatchReply] = answer.json()["data"]
        return found
