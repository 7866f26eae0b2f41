"""What stands behind the generated types of ``rowgate_client.models``: pages, and what sends the requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar
from urllib.parse import quote

import httpx

from rowgate_client.errors import RowgateError
from rowgate_client.openapi import AuthenticatedClient, Client

T = TypeVar("T")
Count = Literal["exact", "bounded", "none"]
Counted = Literal["exact", "atLeast", "none"]


class Meta(TypedDict):
    """Which part of a list a page is; ``next`` is there with a cursor, ``counted`` where ``count`` was given."""

    count: int
    take: int
    skip: int
    next: NotRequired[str | None]
    counted: NotRequired[Counted]


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


class SumsMeta(TypedDict):
    """How many groups were asked for, and whether there are more."""

    take: int
    more: bool


class Sums(TypedDict, Generic[T]):
    """Groups with their measures."""

    data: list[T]
    meta: SumsMeta


class Collection:
    """The records at ``path``. Each call raises RowgateError when the service refuses."""

    def __init__(self, client: AuthenticatedClient | Client, path: str) -> None:
        self._client = client
        self._path = path

    def _page(self, query: Mapping[str, Any]) -> Any:
        return self._ask("/_query", query)

    def _walk(self, query: Mapping[str, Any]) -> Iterator[Any]:
        cursor: str | None = ""
        while cursor is not None:
            page = self._page({**query, "cursor": cursor})
            yield from page["data"]
            # Companies have it beside the data.
            cursor = page.get("meta", page).get("next")

    def _one(self, id: str, wanted: Mapping[str, Sequence[str] | None]) -> Any:
        named = {name: ",".join(names) for name, names in wanted.items() if names}
        path = f"{self._path}/{quote(id, safe='')}"
        return _read(self._client.get_httpx_client().get(path, params=named))

    def _sums(self, query: Mapping[str, Any]) -> Any:
        return self._ask("/_aggregate", query)

    def _ask(self, path: str, query: Mapping[str, Any]) -> Any:
        given = {name: value for name, value in query.items() if value is not None}
        return _read(self._client.get_httpx_client().post(self._path + path, json=given))


def _read(response: httpx.Response) -> Any:
    if not response.is_success:
        raise RowgateError.of(response)
    return response.json()
