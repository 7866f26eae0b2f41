"""Trigram indexes, which find text by any part of it where the server has the extension ``pg_trgm``."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import text

from app.engine.declare import collation
from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import FILTERABLE
from app.engine.declare.kind import Operator
from app.extensions import db
from app.foundation.errors import Invalid

SUFFIX = "_trgm"
MISSING = "The server has no extension pg_trgm: install it, and run CREATE EXTENSION pg_trgm in the database"


def make() -> Iterator[str]:
    """Make the index of each text field that lists filter by, one after the other and beside all writes; yields its
    name. Raises Invalid where the extension is not there."""
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if connection.execute(text("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'")).first() is None:
            raise Invalid(MISSING)
        connection.connection.driver_connection.patience = None  # type: ignore[union-attr]
        # Nobody waits behind an index that is made beside all writes, which itself waits for every transaction.
        for limit in ("statement_timeout", "lock_timeout"):
            connection.execute(text(f"SET {limit} = 0"))
        for table, column in _columns():
            name = f"ix_{table}_{column}{SUFFIX}"
            kind = f"gin (({collation.folded(column)}) gin_trgm_ops)"
            connection.execute(text(f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {table} USING {kind}"))
            yield name
        connection.invalidate()  # the next one has the usual limits


def _columns() -> Iterator[tuple[str, str]]:
    for model in every_model():
        for field in model.fields().values():
            found = FILTERABLE in field.spec.flags and Operator.CONTAINS in field.spec.kind.operators
            if found and field.column is not None:
                yield model.__tablename__, field.column.name
