"""python -m bench.webhooks: how long after its commit a change arrives at an endpoint, at 100 changes a second.

One worker of jobs sends to 20 endpoints of 20 organizations, of which two never answer. Writer and receiver need
processors too, where there are but two: what they took is told.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from itertools import cycle
from uuid import UUID

import psutil
from flask import Flask

from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.crm.models import CrmCompany
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import attempt
from app.factory import create_app
from app.foundation.crypto import vault
from app.schema.histories import upgrade
from app.webhooks.models import IntegrationWebhookEndpoint
from bench.load import HOST
from bench.servers import NO_LIMIT, free_port, private_parts
from config import ROOT, Settings

ENDPOINTS, SILENT, RATE, SECONDS = 20, 2, 100, 30
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"
SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"


def main() -> None:
    """Measure from nothing and print."""
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT))
        port = free_port()
        with app.app_context():
            upgrade()
            organization_ids = [_endpoint(port, number) for number in range(ENDPOINTS)]
        ready, over, told = multiprocessing.Event(), multiprocessing.Event(), multiprocessing.Queue()  # type: ignore[var-annotated]
        receiver = multiprocessing.Process(target=_receive, args=(port, ready, over, told), daemon=True)
        receiver.start()
        ready.wait()
        command = [sys.executable, "-m", "flask", "jobs", "work"]
        worker = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "VAR_DIR": folder})
        try:
            spent, begun = _spent(receiver.pid), time.monotonic()
            _write(app, organization_ids)
            load = (_spent(receiver.pid) - spent) / (time.monotonic() - begun) / (psutil.cpu_count() or 1)
            time.sleep(2)
            over.set()
            delays: list[float] = told.get()
        finally:
            worker.terminate()
            worker.wait()
    expected = RATE * SECONDS * (ENDPOINTS - SILENT) // ENDPOINTS
    print(
        f"{len(delays)} of {expected} events arrived, {statistics.median(delays) * 1000:.0f} ms (median), "
        f"{statistics.quantiles(delays, n=100)[-1] * 1000:.0f} ms (p99) and {max(delays) * 1000:.0f} ms (most) after "
        f"their commit; writer and receiver took {load:.0%} of the processors"
    )


def _endpoint(port: int, number: int) -> UUID:
    """Make somebody with an endpoint, and return the organization."""
    with attempt(SYSTEM) as unit:
        user = AuthUser(email=f"{os.urandom(8).hex()}@bench.example", name="Bench", email_verified=True)
        organization = organizations.provision_user(unit, user)
        path = "silent" if number < SILENT else "heard"
        unit.store(
            IntegrationWebhookEndpoint(
                user_id=user.id,
                organization_id=organization.id,
                url=f"http://{HOST}:{port}/{path}",
                event_types=["crm.company.*"],
                secret=vault().encrypt(SECRET),
                enabled=True,
                begins_at=0,
            )
        )
        return organization.id


def _write(app: Flask, organization_ids: list[UUID]) -> None:
    """Change records at the rate, each with the time just before its commit."""
    with app.app_context():
        for organization_id in organization_ids:  # the worker is at it
            with attempt(SYSTEM) as unit:
                unit.create(CrmCompany, {"organization_id": organization_id, "name": "before"})
        time.sleep(5)
        begun, places = time.monotonic(), cycle(organization_ids)
        for number in range(RATE * SECONDS):
            time.sleep(max(0.0, begun + number / RATE - time.monotonic()))
            with attempt(SYSTEM) as unit:
                unit.create(CrmCompany, {"organization_id": next(places), "name": str(time.time())})
            app.extensions["announcements"].announce()  # as requests do


def _receive(port: int, ready, over, told) -> None:  # type: ignore[no-untyped-def]
    """Answer what arrives, and tell the delays at the end."""
    delays: list[float] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
                name = json.loads(await reader.readexactly(length))["data"]["record"]["name"]
                if head.startswith(b"POST /silent"):
                    await asyncio.sleep(3600)
                if name != "before":
                    delays.append(time.time() - float(name))
                writer.write(ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        async with await asyncio.start_server(serve, HOST, port):
            ready.set()
            while not over.is_set():
                await asyncio.sleep(0.1)
            told.put(delays)
            told.close()
            told.join_thread()
            os._exit(0)  # requests that have no answer have no end, either

    asyncio.run(run())


def _spent(receiver: int | None) -> float:
    """The processor time of this process and of the receiver."""
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in (None, receiver))


if __name__ == "__main__":
    main()
