"""Writers that lock tables as requests do, each in an order of its own, while a migration locks them in another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread

import psycopg

from app.engine.read.database import RETRYABLE

TABLES = (
    "auth_organization", "auth_user", "auth_session", "auth_verification", "crm_company", "crm_contact", "crm_deal",
    "notification_notification", "platform_audit_log", "storage_document", "storage_upload", "ai_chat", "ai_message",
)  # fmt: skip
EACH = 4
# Seconds between two transactions of a writer.
PAUSE = 0.01
# Locks a table as a change of one of its rows does, and no row.
LOCK = "UPDATE {} SET updated_at = updated_at WHERE id IS NULL"
LOCK_TIMEOUT = "SET lock_timeout = '3s'"


@dataclass
class Writer(Thread):
    """Adds a row and counts on in several tables, again and again; ``added`` are the rows that it was told are safe."""

    url: str
    seed: int
    organization: str
    ended: Event
    added: list[str] = field(default_factory=list)
    failure: Exception | None = None

    def __post_init__(self) -> None:
        super().__init__(name=f"writer {self.seed}", daemon=True)
        self.chance = Random(self.seed)

    __hash__ = Thread.__hash__

    def run(self) -> None:
        try:
            with psycopg.connect(self.url, autocommit=True) as connection:
                connection.execute(LOCK_TIMEOUT)
                while not self.ended.is_set():
                    self._write(connection, f"written {self.seed} {len(self.added)}")
                    self.ended.wait(PAUSE)
        except Exception as error:
            self.failure = error

    def _write(self, connection: psycopg.Connection, name: str) -> None:
        tables = self.chance.sample(TABLES, EACH)
        try:
            with connection.transaction():
                for table in tables[:2]:
                    connection.execute(LOCK.format(table))
                connection.execute(
                    "INSERT INTO crm_company (id, created_at, updated_at, organization_id, name, visibility) "
                    "VALUES (gen_random_uuid(), now(), now(), %s, %s, 'private')", (self.organization, name),
                )  # fmt: skip
                for table in tables[2:]:
                    connection.execute(LOCK.format(table))
        except psycopg.Error as error:
            if error.sqlstate not in RETRYABLE:
                raise
        else:
            self.added.append(name)


@contextmanager
def writing(url: str, organization: str, number: int = 4) -> Iterator[list[Writer]]:
    """So many writers, which write until the end of the block."""
    ended = Event()
    writers = [Writer(url, seed, organization, ended) for seed in range(number)]
    for each in writers:
        each.start()
    try:
        yield writers
    finally:
        ended.set()
        for each in writers:
            each.join(60)
