"""The heartbeat of streams: a process marks its running streams every ten seconds, so others find the abandoned."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from flask import Flask, current_app

from app.engine.declare.principal import SYSTEM
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Failure

log = logging.getLogger(__name__)

# Seconds between two signs, and how long there may be none.
EVERY = 10.0
SILENT_FOR = timedelta(seconds=30)
BEAT = "UPDATE ai_stream SET updated_at = %s WHERE id = ANY(%s) AND status IN ('pending', 'streaming')"


@dataclass
class Heartbeat:
    """The answers that are on their way in this process."""

    app: Flask
    streams: set[UUID] = field(default_factory=set)
    _beating: bool = False
    _starting: threading.Lock = field(default_factory=threading.Lock)

    def add(self, stream_id: UUID) -> None:
        self.streams.add(stream_id)
        with self._starting:
            if not self._beating:
                self._beating = True
                threading.Thread(target=self._run, name="heartbeat", daemon=True).start()

    def _run(self) -> None:
        """Beat until nothing is on its way; the next answer begins anew."""
        while True:
            time.sleep(EVERY)
            with self._starting:
                if not self.streams:
                    self._beating = False
                    return
            try:
                self.beat()
            except Failure as failure:
                log.warning("Answers on their way give no sign of life: %s", failure.text)

    def beat(self) -> None:
        """Give a sign of life for all of them in one statement."""
        with self.app.app_context():
            run_unit(SYSTEM, _beat, list(self.streams))


def _beat(unit: Unit, stream_ids: list[UUID]) -> None:
    driver_connection(unit.session).execute(BEAT, (now(), stream_ids))


def init_app(app: Flask) -> None:
    """Keep account of the answers that ``app`` gives."""
    app.extensions["heartbeat"] = Heartbeat(app)


@contextmanager
def kept_alive(stream_id: UUID) -> Iterator[None]:
    """Give signs of life for an answer while it comes."""
    heartbeat: Heartbeat = current_app.extensions["heartbeat"]
    heartbeat.add(stream_id)
    try:
        yield
    finally:
        heartbeat.streams.discard(stream_id)
