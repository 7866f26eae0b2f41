"""What has changed: versions of records, deleted ones, the feed, and the way back."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing, closing
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Generic, Literal, NotRequired, TypedDict, TypeVar

from httpx_sse import ServerSentEvent

from rowgate_client.errors import RowgateError
from rowgate_client.events import Place, follow_events, follow_events_async
from rowgate_client.live import keep, keep_async
from rowgate_client.openapi import AuthenticatedClient, Client
from rowgate_client.writing import good, write

if TYPE_CHECKING:
    from rowgate_client.models import GrantedModel

F = TypeVar("F")
V = TypeVar("V")
T = TypeVar("T")
STREAM = "/api/v1/_changes/stream"
# Seconds between two looks at a job.
LOOKS = 1.0


class Actor(TypedDict):
    """Who made a change; the id is for those who share an organization with them."""

    type: Literal["user", "key", "job", "system"]
    id: str | None


class Version(TypedDict, Generic[F, V]):
    """A version of a record: the fields that it changed, before and after; all of them where it was made or deleted.
    ``before`` is nothing where the caller could not read that."""

    version: int
    operation: Literal["create", "update", "delete"]
    at: str
    actor: Actor
    requestId: str | None
    transaction: str
    changed: list[F]
    before: V | None
    after: V | None


class DeletedRecord(TypedDict, Generic[V]):
    """A record that is gone, as it was, and who has deleted it."""

    recordId: str
    version: int
    at: str
    actor: Actor
    requestId: str | None
    transaction: str
    record: V


class Change(TypedDict):
    """A change of a record, which is as the caller reads it now. A ``delete`` has the first four alone."""

    id: str
    model: str
    recordId: str
    operation: Literal["create", "update", "delete"]
    version: NotRequired[int]
    at: NotRequired[str]
    actor: NotRequired[Actor]
    requestId: NotRequired[str | None]
    transaction: NotRequired[str]
    changed: NotRequired[list[str]]
    record: NotRequired[dict[str, Any]]


class ChangesMeta(TypedDict):
    """Where the next page begins. ``resync`` names models to read anew; with ``reset`` everything is to be."""

    next: str
    more: bool
    resync: NotRequired[list[str]]
    reset: NotRequired[bool]


class ChangesPage(TypedDict):
    """Changes in their order. Keep ``next`` of ``meta``, once what is in ``data`` is dealt with."""

    data: list[Change]
    meta: ChangesMeta


class Resync(TypedDict):
    """Models to read anew: the caller's rights have changed, or nobody can tell whose records are gone."""

    operation: Literal["resync"]
    models: list[str]


class Reset(TypedDict):
    """Everything is to be read anew: the log does not reach back."""

    operation: Literal["reset"]


class Kept(TypedDict):
    """The fields of a record that could not be taken back."""

    model: str
    id: str
    fields: list[str]


class Undone(TypedDict):
    """How many records were deleted, changed and restored."""

    deleted: int
    changed: int
    restored: int
    kept: list[Kept]


class Log:
    """What is written down of changes. Each call raises RowgateError when the service refuses."""

    _client: AuthenticatedClient | Client

    def changes(
        self, models: Sequence[GrantedModel] | None = None, *, since: str | None = None, take: int | None = None,
        where: Mapping[str, Any] | None = None, fields: Sequence[str] = (),
    ) -> Iterator[ChangesPage]:  # fmt: skip
        """What has changed behind ``since``, page by page, until now; without it, one empty page, whose ``next`` is
        now. ``where`` and ``fields`` are about records of one model."""
        params = _asked(models, where, fields)
        params |= {"since": since} if since else {}
        params |= {"take": str(take)} if take else {}
        while True:
            page: ChangesPage = good(self._client.get_httpx_client().get("/api/v1/_changes", params=params)).json()
            yield page
            if not page["meta"]["more"]:
                return
            params["since"] = page["meta"]["next"]

    def follow(
        self, models: Sequence[GrantedModel] | None = None, *, place: Place | None = None,
        where: Mapping[str, Any] | None = None, fields: Sequence[str] = (),
    ) -> Generator[Change | Resync | Reset, None, None]:  # fmt: skip
        """What changes, as it happens, for ever: from now on, or behind ``place``. A stream that breaks is taken up
        again there; keep its ``last_event_id``, or the ``next`` of a page, to go on in another process."""
        events = follow_events(self._client, STREAM, _asked(models, where, fields), place or Place())
        with closing(events):
            for event in events:
                if (told := _told(event)) is not None:
                    yield told

    async def follow_async(
        self, models: Sequence[GrantedModel] | None = None, *, place: Place | None = None,
        where: Mapping[str, Any] | None = None, fields: Sequence[str] = (),
    ) -> AsyncGenerator[Change | Resync | Reset, None]:  # fmt: skip
        """The same on an event loop."""
        events = follow_events_async(self._client, STREAM, _asked(models, where, fields), place or Place())
        async with aclosing(events):
            async for event in events:
                if (told := _told(event)) is not None:
                    yield told

    def live(self, models: Sequence[GrantedModel] | None, ask: Callable[[], T]) -> Generator[T, None, None]:
        """What ``ask`` answers, and again whenever it answers something else, for ever: it is called whenever records
        of ``models`` have changed, such as ``lambda: rowgate.crm.deal.list(where={"stage": "won"})``."""
        return keep(follow_events(self._client, STREAM, _asked(models, None, ()), Place()), ask)

    def live_async(self, models: Sequence[GrantedModel] | None, ask: Callable[[], T]) -> AsyncGenerator[T, None]:
        """The same on an event loop; ``ask`` is called beside it."""
        return keep_async(follow_events_async(self._client, STREAM, _asked(models, None, ()), Place()), ask)

    def undo(self, transaction: str, *, idempotency_key: str | None = None) -> Undone:
        """Take back all that one request has written, or nothing. What takes long a job does, which is waited for."""
        body = {"transaction": transaction}
        answer = write(self._client, "POST", "/api/v1/_undo", json=body, key=idempotency_key)
        done: Undone = answer.json() if answer.status_code != HTTPStatus.ACCEPTED else self._ended(answer.json())
        return done

    def _ended(self, job: Any) -> Any:
        """What came of a job; raises RowgateError."""
        while job["endedAt"] is None:
            time.sleep(LOOKS)
            job = good(self._client.get_httpx_client().get(f"/api/v1/_jobs/{job['id']}")).json()
        if job["status"] == "succeeded":
            return job["result"]
        text = job["errorMessage"] or "The job was cancelled."
        raise RowgateError(HTTPStatus.CONFLICT, "CONFLICT", text, details=job["result"])


def _told(event: ServerSentEvent) -> Change | Resync | Reset | None:
    """What an event tells; None for one that has nothing but a place."""
    if event.event == "reset":
        return {"operation": "reset"}
    if event.event == "resync":
        return {"operation": "resync", "models": json.loads(event.data)["models"]}
    if event.event in ("create", "update", "delete"):
        change: Change = json.loads(event.data)
        return change
    return None


def _asked(
    models: Sequence[GrantedModel] | None, where: Mapping[str, Any] | None, fields: Sequence[str]
) -> dict[str, str]:
    """The parameters of what is followed."""
    if models is not None and not models:
        raise ValueError("Name models, or leave them out for all")
    asked = {"models": ",".join(models or ()), "fields": ",".join(fields), "where": where and json.dumps(where)}
    return {name: value for name, value in asked.items() if value}
