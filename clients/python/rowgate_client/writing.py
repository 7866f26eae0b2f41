"""What sends the writes behind the generated types of ``rowgate_client.models``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC
from typing import Any, Generic, TypedDict, TypeVar
from urllib.parse import quote
from uuid import uuid4

import httpx

from rowgate_client.errors import RowgateError, VersionConflict
from rowgate_client.openapi import AuthenticatedClient, Client
from rowgate_client.sending import KEY, backoff
from rowgate_client.versions import Versioned, aimed, version_in, versioned

T = TypeVar("T")
# How often a change is tried on a record that others keep changing.
TRIES = 25
# How many records are read at once.
CHUNK = 100
BRIEF = {"id", "version"}
_transactions: ContextVar[list[str] | None] = ContextVar("transactions", default=None)


class Identified(TypedDict):
    """A record, whatever else it has."""

    id: str


# Which record: its id, or the record as it was read or written by this client. By a record the write is carried out
# only while the stored version is the one of the record, and raises VersionConflict otherwise; by an id always.
Target = str | Identified


class UpsertedMeta(TypedDict):
    """How many records were made, changed and left."""

    count: int
    created: int
    updated: int
    ignored: int


class Upserted(TypedDict, Generic[T]):
    """The records as they are now, in the order given."""

    data: list[T]
    meta: UpsertedMeta


@contextmanager
def transactions() -> Iterator[list[str]]:
    """Gives a list that the transactions of all writes in this context are added to, by which ``undo`` takes them
    back."""
    token = _transactions.set(made := [])
    try:
        yield made
    finally:
        _transactions.reset(token)


def write(
    client: AuthenticatedClient | Client, method: str, path: str, *, json: Any = None, key: str | None = None,
    version: int | None = None, params: Mapping[str, str] | None = None,
) -> httpx.Response:  # fmt: skip
    """Send a write, in the name of a caller with an idempotency key."""
    http = client.get_httpx_client()
    request = http.build_request(method, path, json=json, params=params)
    if "Authorization" in request.headers:
        request.headers[KEY] = key or str(uuid4())
    if version is not None:
        request.headers["If-Match"] = f'"{version}"'
    answer = good(http.send(request))
    made = _transactions.get()
    if made is not None and "Transaction-Id" in answer.headers:
        made.append(answer.headers["Transaction-Id"])
    return answer


def good(response: httpx.Response) -> httpx.Response:
    if not response.is_success:
        raise RowgateError.of(response)
    return response


class Writing:
    """The writes about the records at ``path``. Each is sent with an idempotency key and, when no answer comes, again:
    the service does the work once. What is about many records is done for all or for none."""

    def __init__(self, client: AuthenticatedClient | Client, path: str) -> None:
        self._client = client
        self._path = path

    def _page(self, query: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def _one(self, id: str, wanted: Mapping[str, Any]) -> Versioned:
        path, moment = self._item(id), wanted.get("as_of")
        named = {name: ",".join(wanted[name]) for name in ("fields", "expand") if wanted.get(name)}
        named |= {"asOf": moment.astimezone(UTC).isoformat()} if moment is not None else {}
        return _record(good(self._client.get_httpx_client().get(path, params=named)))

    def _create(self, record: Any, key: str | None) -> Any:
        return self._whole(_record(write(self._client, "POST", self._path, json=record, key=key)))

    def _create_many(self, records: Sequence[Any], key: str | None) -> Any:
        return self._written("POST", [*records], key)["data"] if records else []

    def _upsert(self, records: Sequence[Any], by: Mapping[str, str | None], key: str | None) -> Any:
        return self._written("POST", [*records], key, {name: each for name, each in by.items() if each is not None})

    def _update(self, target: Any, changes: Any, key: str | None) -> Any:
        id, version = aimed(target)
        return self._whole(_record(write(self._client, "PUT", self._item(id), json=changes, key=key, version=version)))

    def _update_many(self, changes: Sequence[tuple[Any, Any]], key: str | None) -> Any:
        body = []
        for target, given in changes:
            id, version = aimed(target)
            body.append({**given, "id": id, **({} if version is None else {"ifMatch": f'"{version}"'})})
        return self._written("PUT", body, key)["data"] if body else []

    def _delete(self, target: Any, key: str | None) -> None:
        id, version = aimed(target)
        write(self._client, "DELETE", self._item(id), key=key, version=version)

    def _delete_many(self, ids: Sequence[str], key: str | None) -> int:
        return len(self._sent("DELETE", {"ids": [*ids]}, key)["data"]) if ids else 0

    def _matching(self, operation: str, body: Mapping[str, Any], key: str | None) -> int:
        answer = write(self._client, "POST", f"{self._path}/_matching/_{operation}", json=body, key=key)
        count: int = answer.json()["meta"]["count"]
        return count

    def _modify(self, id: str, change: Callable[[Any], Any]) -> Any:
        for tries in range(1, TRIES + 1):
            current = self._one(id, {})
            changes = change(current)
            if changes is None:
                return current
            try:
                return self._update(current, changes, None)
            except VersionConflict:
                if tries == TRIES:
                    raise
            time.sleep(backoff(tries, 0.01, 0.5))
        raise AssertionError("unreachable")

    def _revert(self, target: Any, version: int, key: str | None) -> Any:
        id, known = aimed(target)
        path = f"{self._item(id)}/_revert"
        return self._whole(
            _record(write(self._client, "POST", path, json={"version": version}, key=key, version=known))
        )

    def _restore(self, id: str, key: str | None) -> Any:
        path = f"{self._path}/_deleted/{quote(id, safe='')}/_restore"
        return self._whole(_record(write(self._client, "POST", path, key=key)))

    def _item(self, id: str) -> str:
        return f"{self._path}/{quote(id, safe='')}"

    def _sent(self, method: str, body: Any, key: str | None, params: Mapping[str, str] | None = None) -> Any:
        return write(self._client, method, self._path, json=body, key=key, params=params).json()

    def _written(self, method: str, body: Any, key: str | None, params: Mapping[str, str] | None = None) -> Any:
        answer = self._sent(method, body, key, params)
        return {**answer, "data": self._all_whole([Versioned(each) for each in answer["data"]])}

    def _whole(self, record: Versioned) -> Versioned:
        return self._one(record["id"], {}) if record.keys() == BRIEF else record

    def _all_whole(self, records: list[Versioned]) -> list[Versioned]:
        """The records whole: the service keeps of large answers the ids and versions alone, and gives these to a
        retry."""
        found = {each["id"]: each for each in records}
        missing = [each["id"] for each in records if each.keys() == BRIEF]
        for start in range(0, len(missing), CHUNK):
            where = {"id": {"in": missing[start : start + CHUNK]}}
            page = self._page({"where": where, "take": CHUNK, "count": "none", "versions": True})
            found |= {each["id"]: each for each in page["data"]}
        if any(each.keys() == BRIEF for each in found.values()):
            raise RowgateError(404, "NOT_FOUND", "A record that was written is gone since")
        return [found[each["id"]] for each in records]


def _record(response: httpx.Response) -> Versioned:
    """The record in an answer, whose version is in the entity tag."""
    return versioned(response.json(), version_in(response))
