"""What goes on in each worker of jobs: the log is dispatched, and what is due is sent, much of it at once."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from flask import Flask

from app.foundation.errors import Failure
from app.runtime import change_context
from app.webhooks import addresses, deliveries, dispatcher, listeners
from app.webhooks.sending import TIMEOUT, Message, Outcome, Sender

log = logging.getLogger(__name__)

# Under way at once in a process, over all endpoints.
SLOTS = 100
# Seconds between two looks without a signal, without any endpoint, and after a failure; how long news are gathered.
POLL_EVERY, IDLE, RETRY_AFTER, GATHERED = 0.5, 2.0, 1.0, 0.02

T = TypeVar("T")


def serve(app: Flask, stopping: threading.Event) -> None:
    """Deliver events until ``stopping`` is set, and what is under way by then."""
    asyncio.run(_Service(app, stopping).serve())


def deliver_due(app: Flask) -> int:
    """Dispatch all that is new, send all that is due, and return how much that was; for tests."""
    return asyncio.run(_Service(app, threading.Event()).serve_once())


class _Service:
    def __init__(self, app: Flask, stopping: threading.Event) -> None:
        self._app, self._stopping = app, stopping
        self._worker = ThreadPoolExecutor(1, "webhooks")
        self._outcomes: list[Outcome] = []
        self._sending: set[asyncio.Task[None]] = set()
        self._is_listening = False

    async def serve(self) -> None:
        self._woken = asyncio.Event()
        sender = await self._sender()
        while not self._stopping.is_set():
            try:
                if not self._sending and not self._outcomes and not await self._do(listeners.is_any_enabled):
                    await asyncio.sleep(IDLE)
                    continue
                self._listen()
                if not await self._step(sender):
                    await self._wait()
            except Failure as failure:
                log.warning("Webhooks wait for the database: %s", failure.text)
                await asyncio.sleep(RETRY_AFTER)
            except Exception:
                log.exception("Webhooks are not delivered")
                await asyncio.sleep(RETRY_AFTER)
        await self._end(sender)

    async def serve_once(self) -> int:
        self._woken = asyncio.Event()
        sender, number = await self._sender(), 0
        while sent := await self._step(sender):
            number += sent
            if self._sending:
                await asyncio.wait(self._sending)
        await self._end(sender)
        return number

    async def _sender(self) -> Sender:
        return Sender(SLOTS, await self._do(addresses.refused_hosts))

    async def _step(self, sender: Sender) -> int:
        """Conclude what has come back, dispatch what is new, send what is due; return how much there was to do."""
        done, self._outcomes = self._outcomes, []
        try:
            messages, is_more = await self._do(lambda: self._work(done))
        except BaseException:
            self._outcomes = done + self._outcomes
            raise
        for message in messages:
            task = asyncio.create_task(self._send(sender, message))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        return len(messages) + is_more

    def _work(self, done: list[Outcome]) -> tuple[list[Message], bool]:
        deliveries.conclude(done)
        is_more = False
        try:
            is_more = dispatcher.dispatch()
        except Failure as failure:  # what was written before is sent all the same
            log.warning("Changes wait for webhooks to be told of them: %s", failure.text)
        free = SLOTS - len(self._sending)
        return deliveries.claim(free, SLOTS // 2) if free > 0 else [], is_more

    async def _send(self, sender: Sender, message: Message) -> None:
        self._outcomes.append(await sender.send(message))
        self._woken.set()

    async def _wait(self) -> None:
        """Wait for something to do: a signal, an answer, or the next look."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), POLL_EVERY)
        await asyncio.sleep(GATHERED)
        self._woken.clear()

    async def _end(self, sender: Sender) -> None:
        if self._sending:
            await asyncio.wait(self._sending, timeout=TIMEOUT)
        done, self._outcomes = self._outcomes, []
        with suppress(Failure):  # what is not concluded is sent again
            await self._do(lambda: deliveries.conclude(done))
        await sender.close()
        self._worker.shutdown(wait=False)

    def _listen(self) -> None:
        """Be woken by signals, from the first endpoint on."""
        if self._is_listening:
            return
        self._is_listening = True
        loop = asyncio.get_running_loop()

        def hear() -> None:
            for heard in self._app.extensions["change_signals"].subscribe():
                if self._stopping.is_set():
                    return
                if heard is None:
                    with suppress(RuntimeError):  # the loop has ended
                        loop.call_soon_threadsafe(self._woken.set)

        threading.Thread(target=hear, name="webhook-signals", daemon=True).start()

    async def _do(self, work: Callable[[], T]) -> T:
        """Do what waits for the database beside the loop."""

        def run() -> T:
            with self._app.app_context(), change_context.of_job():
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._worker, run)
