"""Answers that stay true: asked for again whenever something has changed that they are made of."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, closing
from typing import TypeVar

from httpx_sse import ServerSentEvent

T = TypeVar("T")
# Seconds within which changes are gathered before an answer is asked for again.
GATHERED = 0.05


def keep(events: Generator[ServerSentEvent, None, None], ask: Callable[[], T]) -> Generator[T, None, None]:
    """Yield the first answer once the stream has begun, and each other one after a change. The thread that listens
    ends at the next heartbeat after the generator was closed."""
    due, over = threading.Event(), threading.Event()
    failed: list[Exception] = []

    def listen() -> None:
        try:
            with closing(events):
                for event in events:
                    if over.is_set():
                        return
                    if _concerns(event):
                        due.set()
        except Exception as error:  # it is raised where the answers are taken
            failed.append(error)
            due.set()

    threading.Thread(target=listen, name="rowgate-live", daemon=True).start()
    shown: list[T] = []
    try:
        while True:
            due.wait()
            due.clear()
            if failed:
                raise failed[0]
            answer = ask()
            if shown != [answer]:
                shown = [answer]
                yield answer
            time.sleep(GATHERED)
    finally:
        over.set()


async def keep_async(events: AsyncGenerator[ServerSentEvent, None], ask: Callable[[], T]) -> AsyncGenerator[T, None]:
    """Yield the same on an event loop."""
    due = asyncio.Event()

    async def listen() -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    if _concerns(event):
                        due.set()
        finally:
            due.set()

    listening = asyncio.create_task(listen())
    shown: list[T] = []
    try:
        while True:
            await due.wait()
            due.clear()
            if listening.done():
                listening.result()
            answer = await asyncio.to_thread(ask)
            if shown != [answer]:
                shown = [answer]
                yield answer
            await asyncio.sleep(GATHERED)
    finally:
        listening.cancel()


def _concerns(event: ServerSentEvent) -> bool:
    """Whether something may be another than before: at first, too."""
    return event.event in ("ready", "reset", "resync", "create", "update", "delete")
