"""The worker process: its connections, its jobs, and its shutdown."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import procrastinate.worker
import psycopg
from flask import Flask
from procrastinate import JobContext
from procrastinate.exceptions import ProcrastinateException
from procrastinate.jobs import Job
from psycopg import AsyncConnection, Notify, errors

from app.jobs.queue import DEFAULT_QUEUE, FILES, VECTORS
from app.runtime import allocator, connections, processes
from config import Settings

log = logging.getLogger("rowgate")

ATTEMPTS = "UPDATE procrastinate_jobs SET attempts = %(attempts)s WHERE id = %(id)s"

# What goes on until the event is set.
GoingOn = Callable[[threading.Event], None]

# Jobs go behind requests where both want the processor.
NICENESS = 10

# Seconds between two looks for jobs whose time has come. Of new ones, and of slots that become free here, it is told.
POLL_EVERY = 1.0

# After the grace: how long jobs that wait for PostgreSQL have until they notice that their statement was cancelled, and
# how long the database has to take the others back.
NOTICE, REQUEUE_TIMEOUT = 1.0, 1.0


class QueueConnection(AsyncConnection[Any]):
    """A connection of the queue. It may wait for news as long as it likes, for an answer only ``patience`` seconds."""

    patience: float | None = None
    _listens = False

    async def notifies(self, **limits: Any) -> AsyncGenerator[Notify]:
        self._listens = True
        try:
            async for each in super().notifies(**limits):
                yield each
        finally:
            self._listens = False

    async def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        if timeout is not None or self._listens:
            return await super().wait(gen, interval=interval, timeout=timeout)
        try:
            return await super().wait(gen, interval=interval, timeout=self.patience)
        except errors._WaitTimeout:
            self.pgconn.finish()
            raise psycopg.OperationalError("The server does not answer") from None


class Worker(procrastinate.worker.Worker):
    """A worker that knows which of its jobs are lost: the connection fell silent before it heard that it was given
    them, or before the queue heard that they are done. Its heartbeat goes on, so nobody else takes them for stalled.

    ``siblings`` are the workers of this process, itself among them.
    """

    siblings: list[Worker]

    @property
    def running_jobs(self) -> list[Job]:
        return [context.job for context in self._running_jobs.values()]

    async def _process_job(self, context: JobContext) -> None:
        try:
            await super()._process_job(context)
        finally:
            # The slot of its user is free, of which the queue tells nobody.
            for each in self.siblings:
                each._new_job_event.set()

    async def requeue_lost_jobs(self, patience: float) -> None:
        """Have lost jobs done again, for as long as the worker works. A question about a job is answered or given up
        within ``patience`` seconds, so a job that is nobody's for longer is lost."""
        seen: set[int | None] = set()
        while True:
            await asyncio.sleep(patience)
            if self.worker_id is None:
                continue
            with suppress(ProcrastinateException):
                held = await self.app.job_manager.list_jobs_async(status="doing", worker_id=self.worker_id)
                at_work = {job.id for job in self.running_jobs}
                lost = [job for job in held if job.id not in at_work]
                for job in lost:
                    if job.id in seen:
                        log.warning("Job %s was lost with its connection and waits to be done again", job.call_string)
                        await self.app.job_manager.retry_job(job)
                seen = {job.id for job in lost}


def connector(settings: Settings) -> procrastinate.PsycopgConnector:
    """The connections of the queue, with the limits that those of requests have."""

    async def configure(connection: AsyncConnection[Any]) -> None:
        if isinstance(connection, QueueConnection):
            connection.patience = settings.database_statement_timeout + connections.SLACK
        listens = connection.autocommit  # and must not do so within a transaction
        await connection.set_autocommit(True)
        await connection.execute(connections.session_commands(settings))
        await connection.set_autocommit(listens)

    parameters = connections.options(settings)
    return procrastinate.PsycopgConnector(
        conninfo=parameters.pop("conninfo"), kwargs=parameters, connection_class=QueueConnection, configure=configure
    )


def work(
    app: Flask, queue: procrastinate.App, *, concurrency: int, until_empty: bool = False,
    going_on: Mapping[str, GoingOn] | None = None,
) -> None:  # fmt: skip
    """Do jobs until a signal asks for the end, or until there are none; and beside them what is ``going_on``, by name,
    until the same moment.

    After the grace that the settings give, statements are cancelled, and jobs that go on all the same are handed back
    to the queue; the process ends with them.
    """
    allocator.share_memory()
    os.nice(0 if until_empty else NICENESS)
    with suppress(asyncio.CancelledError):  # told to end before it had begun
        asyncio.run(_work(app, queue, concurrency, until_empty, going_on or {}))


async def _work(
    app: Flask, queue: procrastinate.App, concurrency: int, until_empty: bool, going_on: Mapping[str, GoingOn]
) -> None:
    stopping, opening = asyncio.Event(), asyncio.current_task()
    loop = asyncio.get_running_loop()
    assert opening is not None  # noqa: S101 - this runs in one
    if not until_empty:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, opening.cancel)
    async with queue.open_async():
        if not until_empty:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stopping.set)
        workers = _workers(app, queue, concurrency, until_empty)
        ending = threading.Event()
        threads = [_start(name, each, ending) for name, each in going_on.items()]
        done = asyncio.create_task(_serve(app, workers))
        asked = asyncio.ensure_future(stopping.wait())
        await asyncio.wait((done, asked), return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        ending.set()
        if not done.done():
            await _stop(app, workers, done, threads)
        else:
            await done


def _workers(app: Flask, queue: procrastinate.App, concurrency: int, until_empty: bool) -> list[Worker]:
    """The workers of this process. Half as many files are read at once as other work is done, and vectors of as many
    knowledge bases are made; one worker that ends when all queues are empty does any."""
    half = max(1, concurrency // 2)
    slots = [([DEFAULT_QUEUE], concurrency), ([FILES], half), ([VECTORS], half)]
    if until_empty:
        slots = [([DEFAULT_QUEUE, FILES, VECTORS], concurrency)]
    workers = [
        Worker(
            queue,
            queues=names,
            concurrency=each,
            wait=not until_empty,
            fetch_job_polling_interval=POLL_EVERY,
            delete_jobs="successful",
            additional_context={"application": app},
            install_signal_handlers=False,
        )
        for names, each in slots
    ]
    for worker in workers:
        worker.siblings = workers
    return workers


async def _serve(app: Flask, workers: list[Worker]) -> None:
    async with asyncio.TaskGroup() as group:
        for worker in workers:
            group.create_task(_serve_with(worker, app.config["SETTINGS"]))


async def _serve_with(worker: Worker, settings: Settings) -> None:
    looking = asyncio.create_task(worker.requeue_lost_jobs(settings.database_statement_timeout + connections.SLACK + 1))
    try:
        await worker.run()  # type: ignore[no-untyped-call]
        if worker.wait:
            raise RuntimeError("A worker of jobs has stopped by itself")  # whoever started the process does so again
    finally:
        looking.cancel()


def _start(name: str, work: GoingOn, ending: threading.Event) -> threading.Thread:
    def go_on() -> None:
        while not ending.is_set():
            try:
                work(ending)
            except Exception:
                log.exception("%s is begun anew", name)
                ending.wait(POLL_EVERY)

    thread = threading.Thread(target=go_on, name=name, daemon=True)
    thread.start()
    return thread


async def _stop(
    app: Flask, workers: list[Worker], done: asyncio.Task[None], threads: Sequence[threading.Thread]
) -> None:
    done.cancel()  # which lets the jobs that run come to their end
    grace = time.monotonic() + app.config["SETTINGS"].stop_grace
    await asyncio.wait((done,), timeout=grace - time.monotonic())
    for thread in threads:
        await asyncio.to_thread(thread.join, max(0.0, grace - time.monotonic()))
    if not done.done():
        left = sum(len(worker.running_jobs) for worker in workers)
        log.warning("%d jobs go on after the grace; their statements are cancelled", left)
        await asyncio.to_thread(connections.cancel_all, app)
        await asyncio.wait((done,), timeout=NOTICE)
    if not done.done():
        with suppress(TimeoutError):
            await asyncio.wait_for(requeue_running_jobs(workers), REQUEUE_TIMEOUT)
        # Threads cannot be stopped; the process can.
        processes.kill_children()
        logging.shutdown()
        sys.stderr.flush()
        os._exit(0)
    with suppress(asyncio.CancelledError):
        await done


async def requeue_running_jobs(workers: list[Worker]) -> None:
    """Let the jobs that are being done wait again for a worker."""
    for worker in workers:
        for job in worker.running_jobs:
            with suppress(ProcrastinateException):
                # The job is not to blame: what is counted next is taken off before anybody can fetch it.
                await worker.app.connector.execute_query_async(ATTEMPTS, id=job.id, attempts=job.attempts - 1)
                await worker.app.job_manager.retry_job(job)
                log.warning("Job %s was interrupted and waits to be done again", job.call_string)
