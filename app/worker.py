"""The process that does jobs: its connections, what it is doing, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import procrastinate.worker
import psutil
import psycopg
from flask import Flask
from procrastinate import JobContext
from procrastinate.exceptions import ProcrastinateException
from procrastinate.jobs import Job
from psycopg import AsyncConnection, errors
from psycopg.pq import TransactionStatus

from app import connections, keeper
from app.queue import DEFAULT_QUEUE, FILES
from config import Settings

log = logging.getLogger("rowgate")

# After the grace: how long jobs that wait for PostgreSQL have until they notice that their statement was cancelled, and
# how long the database has to take the others back.
NOTICE, HAND_BACK = 1.0, 1.0

POLL_EVERY = 0.2

_running: dict[int, Job] = {}


class QueueConnection(AsyncConnection[Any]):
    """A connection of the queue. It may wait for news as long as it likes, for an answer only ``patience`` seconds."""

    patience: float | None = None

    async def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        asked = self.pgconn.transaction_status != TransactionStatus.IDLE
        if timeout is not None or not asked or self.patience is None:
            return await super().wait(gen, interval=interval, timeout=timeout)
        try:
            return await super().wait(gen, interval=interval, timeout=self.patience)
        except errors._WaitTimeout:
            self.pgconn.finish()
            raise psycopg.OperationalError("The server does not answer") from None


class Worker(procrastinate.worker.Worker):
    """A worker that knows which of its jobs are lost: the connection fell silent before it heard that it was given
    them, or before the queue heard that they are done. Its heartbeat goes on, so nobody else takes them for stalled."""

    async def take_lost_back(self, patience: float) -> None:
        """Have lost jobs done again, for as long as the worker works. A question about a job is answered or given up
        within ``patience`` seconds, so a job that is nobody's for longer is lost."""
        seen: set[int | None] = set()
        while True:
            await asyncio.sleep(patience)
            if self.worker_id is None:
                continue
            with suppress(ProcrastinateException):
                held = await self.app.job_manager.list_jobs_async(status="doing", worker_id=self.worker_id)
                at_work = {context.job.id for context in self._running_jobs.values()}
                lost = [job for job in held if job.id not in at_work]
                for job in lost:
                    if job.id in seen:
                        log.warning("Job %s was lost with its connection and waits to be done again", job.call_string)
                        await self.app.job_manager.retry_job(job)
                seen = {job.id for job in lost}


def connector(settings: Settings) -> procrastinate.PsycopgConnector:
    """The connections of the queue, with the limits that those of requests have."""

    async def configure(connection: AsyncConnection[Any]) -> None:
        listens = connection.autocommit  # and must not do so within a transaction
        await connection.set_autocommit(True)
        await connection.execute(connections.session_commands(settings))
        await connection.set_autocommit(listens)
        if isinstance(connection, QueueConnection):
            connection.patience = settings.database_statement_timeout + connections.SLACK

    parameters = connections.options(settings)
    return procrastinate.PsycopgConnector(
        conninfo=parameters.pop("conninfo"), kwargs=parameters, connection_class=QueueConnection, configure=configure
    )


@contextmanager
def running(context: JobContext) -> Iterator[Flask]:
    """Keep account of a job while it is done, and give the application that the worker serves."""
    assert context.job.id is not None  # noqa: S101 - it is in the database
    _running[context.job.id] = context.job
    try:
        yield context.additional_context["application"]
    finally:
        _running.pop(context.job.id, None)


def work(app: Flask, queue: procrastinate.App, *, concurrency: int, until_empty: bool = False) -> None:
    """Do jobs until a signal asks for the end, or until there are none.

    After the grace that the settings give, statements are cancelled, and jobs that go on all the same are handed back
    to the queue; the process ends with them.
    """
    with suppress(asyncio.CancelledError):  # told to end before it had begun
        asyncio.run(_work(app, queue, concurrency, until_empty))


async def _work(app: Flask, queue: procrastinate.App, concurrency: int, until_empty: bool) -> None:
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
        if until_empty:
            done = asyncio.create_task(_serve(app, queue, [DEFAULT_QUEUE, FILES], concurrency, wait=False))
        else:
            done = asyncio.create_task(_serve_both(app, queue, concurrency))
        asked = asyncio.ensure_future(stopping.wait())
        await asyncio.wait((done, asked), return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        if not done.done():
            await _stop(app, queue, done)
        else:
            await done


async def _serve_both(app: Flask, queue: procrastinate.App, concurrency: int) -> None:
    """Do jobs of both queues: half as many files are read at once as other work is done."""
    async with asyncio.TaskGroup() as group:
        group.create_task(_serve(app, queue, [DEFAULT_QUEUE], concurrency))
        group.create_task(_serve(app, queue, [FILES], max(1, concurrency // 2)))


async def _serve(
    app: Flask, queue: procrastinate.App, names: list[str], concurrency: int, *, wait: bool = True
) -> None:
    served = Worker(
        queue,
        queues=names,
        concurrency=concurrency,
        wait=wait,
        # A job that ends frees the place of its user, of which nobody is told.
        fetch_job_polling_interval=POLL_EVERY,
        delete_jobs="successful",
        additional_context={"application": app},
        install_signal_handlers=False,
    )
    settings: Settings = app.config["SETTINGS"]
    looking = asyncio.create_task(served.take_lost_back(settings.database_statement_timeout + connections.SLACK + 1))
    try:
        await served.run()  # type: ignore[no-untyped-call]
    finally:
        looking.cancel()


async def _stop(app: Flask, queue: procrastinate.App, done: asyncio.Task[None]) -> None:
    done.cancel()  # which lets the jobs that run come to their end
    await asyncio.wait((done,), timeout=app.config["SETTINGS"].stop_grace)
    if not done.done():
        log.warning("%d jobs go on after the grace; their statements are cancelled", len(_running))
        await asyncio.to_thread(connections.cancel_all, app)
        await asyncio.wait((done,), timeout=NOTICE)
    if not done.done():
        with suppress(TimeoutError):
            await asyncio.wait_for(_hand_back(queue), HAND_BACK)
        # Threads cannot be stopped; the process can.
        keeper.kill(psutil.Process().children())
        logging.shutdown()
        sys.stderr.flush()
        os._exit(0)
    with suppress(asyncio.CancelledError):
        await done


async def _hand_back(queue: procrastinate.App) -> None:
    for job in list(_running.values()):
        with suppress(ProcrastinateException):
            await queue.job_manager.retry_job(job)
            log.warning("Job %s was interrupted and waits to be done again", job.call_string)
