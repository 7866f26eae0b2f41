"""The PostgreSQL and Redis that the peers share, and how rows get into them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from app.runtime.embedded import Postgres, Redis, database_url, locale

# What PostgreSQL does by itself would be counted as the work of whoever is measured at that moment.
QUIET = {"autovacuum": "off", "checkpoint_timeout": "'1h'", "max_wal_size": "'8GB'", "shared_buffers": "'512MB'"}


@dataclass(frozen=True)
class Parts:
    """The running servers: the folder they lie in, and the folder of PostgreSQL's socket."""

    folder: str
    sockets: str
    postgres: Postgres
    redis: Redis

    def make_database(self, name: str) -> None:
        """Make an empty database."""
        with self.connection("postgres") as connection:
            made = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(name))
            connection.execute(made + sql.SQL(locale(connection)))

    def copy(self, database: str, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Put rows into a table."""
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        into = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
        with self.connection(database) as connection, connection.cursor() as cursor, cursor.copy(into) as copy:
            for row in rows:
                copy.write_row(row)

    def settle(self, database: str) -> None:
        """Have PostgreSQL know what is there."""
        with self.connection(database) as connection:
            connection.execute("VACUUM ANALYZE")

    def connection(self, database: str) -> psycopg.Connection[tuple[Any, ...]]:
        url = f"postgresql://postgres@/{database}?host={self.sockets}"
        return psycopg.connect(url, autocommit=True)

    def postgres_processes(self) -> list[int]:
        """The first process of PostgreSQL, whose children serve the connections."""
        identifier = self.postgres.process_id
        return [identifier] if identifier is not None else []


@contextmanager
def parts() -> Iterator[Parts]:
    """Start them, and stop them at the end."""
    folder = tempfile.mkdtemp(prefix="rg-")
    postgres, redis = Postgres(folder, QUIET), Redis(folder)
    try:
        redis.start()
        postgres.start()
        yield Parts(folder, database_url(folder).partition("host=")[2], postgres, redis)
    finally:
        postgres.stop()
        redis.stop()
        shutil.rmtree(folder, ignore_errors=True)
