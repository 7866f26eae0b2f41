"""What stands behind the generated types of ``rowgate_client.models``: pages, and what asks for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

from rowgate_client.versions import versioned
from rowgate_client.writing import Writing, good

T = TypeVar("T")
Count = Literal["exact", "bounded", "none"]
SearchMode = Literal["hybrid", "keyword", "vector"]
Counted = Literal["exact", "atLeast", "none"]


class Meta(TypedDict):
    """Which part of a list a page is; ``next`` is there with a cursor, ``counted`` where ``count`` was given,
    ``versions`` where they were asked for, and ``degraded`` where a search ranks: whether by words alone."""

    count: int
    take: int
    skip: int
    next: NotRequired[str | None]
    counted: NotRequired[Counted]
    versions: NotRequired[dict[str, int]]
    degraded: NotRequired[bool]


class Page(TypedDict, Generic[T]):
    """A page of a list."""

    data: list[T]
    meta: Meta


class GuidePage(TypedDict, Generic[T]):
    """A page of the list of companies."""

    data: list[T]
    total: int
    page: int
    pageSize: int
    hasMore: bool
    next: NotRequired[str | None]
    counted: NotRequired[Counted]
    versions: NotRequired[dict[str, int]]
    degraded: NotRequired[bool]


class SumsMeta(TypedDict):
    """How many groups were asked for, and whether there are more."""

    take: int
    more: bool


class Sums(TypedDict, Generic[T]):
    """Groups with their measures."""

    data: list[T]
    meta: SumsMeta


# What is called otherwise on the wire.
SENT = {"time_zone": "timeZone"}


class Collection(Writing):
    """The records at ``path``. Each call raises RowgateError when the service refuses."""

    def _page(self, query: Mapping[str, Any]) -> Any:
        page = self._ask("/_query", query)
        # Companies have them beside the data.
        versions = page.get("meta", page).get("versions", {})
        page["data"] = [versioned(each, versions.get(each["id"])) for each in page["data"]]
        return page

    def _walk(self, query: Mapping[str, Any]) -> Iterator[Any]:
        cursor: str | None = ""
        while cursor is not None:
            page = self._page({**query, "cursor": cursor})
            yield from page["data"]
            cursor = page.get("meta", page).get("next")

    def _export(self, query: Mapping[str, Any]) -> Iterator[Any]:
        asked = {name: ",".join(each) for name in ("fields", "sort") if (each := query.get(name))}
        asked |= {"where": json.dumps(query["where"])} if query.get("where") is not None else {}
        for name in ("search", "time_zone"):
            asked |= {SENT.get(name, name): query[name]} if query.get(name) is not None else {}
        path, http = f"{self._path}/_export", self._client.get_httpx_client()
        with http.stream("GET", path, params={"as": "ndjson", **asked}) as response:
            yield from map(json.loads, _lines(good(response).iter_bytes()))

    def _logged(self, path: str) -> Iterator[Any]:
        """What the log has at ``path``, newest first."""
        params: dict[str, str] | None = {"take": "100"}
        while params is not None:
            page = good(self._client.get_httpx_client().get(path, params=params)).json()
            yield from page["data"]
            following = page["meta"]["next"]
            params = {"take": "100", "cursor": following} if following else None

    def _sums(self, query: Mapping[str, Any]) -> Any:
        return self._ask("/_aggregate", query)

    def _ask(self, path: str, query: Mapping[str, Any]) -> Any:
        given = {SENT.get(name, name): value for name, value in query.items() if value is not None}
        return good(self._client.get_httpx_client().post(self._path + path, json=given)).json()


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a text that comes in pieces. Texts may hold other ends of lines, which httpx would break at."""
    rest = b""
    for piece in pieces:
        *found, rest = (rest + piece).split(b"\n")
        yield from found
    if rest:
        yield rest
