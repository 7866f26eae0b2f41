"""Writes that are sent again when no answer comes: with an idempotency key, the service does the work once."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx

from rowgate_client.errors import retry_after
from rowgate_client.keyed import KEYED

KEY, PARAMETER = "Idempotency-Key", "idempotencyKey"
RETRIES = 3
# Seconds. Who asks for a longer wait than the last gets none, and the caller the answer.
TIMEOUT, FIRST_PAUSE, LONGEST_PAUSE, LONGEST_WISH = 60.0, 0.25, 8.0, 60.0
TRANSIENT = {408, 502, 503, 504}
READS = {"GET", "HEAD", "OPTIONS"}


class Client(httpx.Client):
    """Gives writes in the name of a caller an idempotency key where the service takes one, and sends them again when no
    answer comes."""

    def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        _prepare(request)
        if stream or not has_key(request):
            return super().send(request, stream=stream, **options)
        for pause in _pauses():
            try:
                answer = super().send(request, **options)
            except httpx.TransportError:
                if pause is None:
                    raise
                time.sleep(pause)
                continue
            wish = _wish(answer)
            if pause is None or wish is None:
                return answer
            time.sleep(max(pause, wish))
        raise AssertionError("unreachable")


class AsyncClient(httpx.AsyncClient):
    """The same for calls that are awaited."""

    async def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        _prepare(request)
        if stream or not has_key(request):
            return await super().send(request, stream=stream, **options)
        for pause in _pauses():
            try:
                answer = await super().send(request, **options)
            except httpx.TransportError:
                if pause is None:
                    raise
                await asyncio.sleep(pause)
                continue
            wish = _wish(answer)
            if pause is None or wish is None:
                return answer
            await asyncio.sleep(max(pause, wish))
        raise AssertionError("unreachable")


def has_key(request: httpx.Request) -> bool:
    """Whether the service does the work of ``request`` once, however often it comes."""
    return request.method not in READS and (KEY in request.headers or PARAMETER in request.url.params)


def backoff(failures: int, first: float, longest: float) -> float:
    """Seconds to wait after so many failures in a row: twice as long each time, and not all clients at once."""
    return min(first * 2.0 ** max(0, failures - 1), longest) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def _prepare(request: httpx.Request) -> None:
    if "Authorization" in request.headers and not has_key(request) and _takes_key(request):
        request.headers[KEY] = str(uuid4())
    if has_key(request):
        given = request.extensions.get("timeout", {})
        kinds = ("connect", "read", "write", "pool")
        patience = {kind: TIMEOUT if given.get(kind) is None else given[kind] for kind in kinds}
        request.extensions = {**request.extensions, "timeout": patience}


def _takes_key(request: httpx.Request) -> bool:
    return any(found.fullmatch(request.url.path) for found in KEYED.get(request.method, ()))


def _pauses() -> Iterator[float | None]:
    """The pause after each attempt; none after the last."""
    yield from (backoff(failures, FIRST_PAUSE, LONGEST_PAUSE) for failures in range(1, RETRIES + 1))
    yield None


def _wish(answer: httpx.Response) -> float | None:
    """The seconds to wait at least before the same request may well get another answer; None where it would not: 409
    is only of a key that another attempt still holds."""
    wish = retry_after(answer)
    is_transient = answer.status_code in TRANSIENT or (answer.status_code == 409 and wish is not None)
    return (wish or 0.0) if is_transient and (wish or 0.0) <= LONGEST_WISH else None
