"""Counters: columns that hold how many rows of another table refer to a row, kept by the statements that write these,
in their transactions, whatever their way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

from app.engine.declare.kinds import Integer
from app.engine.declare.record import Record

PREFIX = "rowgate_count_"
LONGEST_NAME = 63
# Rows are locked in the order of their ids, so that two who count do not wait for each other.
ADD = """
        UPDATE {parent} AS counted SET {column} = counted.{column} + found.n FROM (
            SELECT held.id, changed.n FROM (
                {changes}
            ) AS changed JOIN {parent} AS held ON held.id = changed.id ORDER BY held.id FOR NO KEY UPDATE OF held
        ) AS found WHERE counted.id = found.id;"""
OF_ONE = "SELECT {reference} AS id, {sign}count(*) AS n FROM {rows} WHERE {met} GROUP BY {reference}"
OF_BOTH = """SELECT both_rows.id, sum(both_rows.n)::bigint AS n FROM (
                    SELECT {reference} AS id, 1 AS n FROM new_rows WHERE {met}
                    UNION ALL SELECT {reference}, -1 FROM old_rows WHERE {met}
                ) AS both_rows GROUP BY both_rows.id HAVING sum(both_rows.n) <> 0"""
BODY = """
BEGIN
    IF TG_OP = 'INSERT' THEN{inserted}
    ELSIF TG_OP = 'DELETE' THEN{deleted}
    ELSIF EXISTS (SELECT FROM new_rows) THEN{updated}
    END IF;
    RETURN NULL;
END
"""
# A row that comes back is counted by those that refer to it, as these come back.
BEGIN_AT_NOTHING = """
BEGIN
    NEW.{column} := 0;
    RETURN NEW;
END
"""
EACH = "FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
INSTALL = """
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $count${body}$count$;
CREATE OR REPLACE FUNCTION {name}_zero() RETURNS trigger LANGUAGE plpgsql AS $count${zero}$count$;
DROP TRIGGER IF EXISTS {name}_insert ON {child};
DROP TRIGGER IF EXISTS {name}_update ON {child};
DROP TRIGGER IF EXISTS {name}_delete ON {child};
DROP TRIGGER IF EXISTS {name}_zero ON {parent};
CREATE TRIGGER {name}_insert AFTER INSERT ON {child} REFERENCING NEW TABLE AS new_rows {each};
CREATE TRIGGER {name}_update AFTER UPDATE ON {child} REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows {each};
CREATE TRIGGER {name}_delete AFTER DELETE ON {child} REFERENCING OLD TABLE AS old_rows {each};
CREATE TRIGGER {name}_zero BEFORE INSERT ON {parent} FOR EACH ROW EXECUTE FUNCTION {name}_zero();
SELECT rowgate_keep_version({bookkeeping});
UPDATE {parent} AS counted SET {column} = found.n FROM (
    SELECT each.id, (SELECT count(*) FROM {child} WHERE {reference} = each.id AND {met}) AS n FROM {parent} AS each
) AS found WHERE found.id = counted.id AND counted.{column} <> found.n;
"""


@dataclass(frozen=True)
class Counter(Integer):
    """How many rows of ``table`` refer to a row by ``column``, of those that meet ``where``."""

    table: str = ""
    column: str = ""
    where: str = ""
    name: ClassVar[str] = "integer"


@dataclass(frozen=True)
class Counting:
    """The triggers of one counter: what they are called, what they run, the statements that install them, and the
    columns, each behind its table, that have to be there before."""

    name: str
    body: str
    statements: str
    table: str
    columns: tuple[tuple[str, str], ...]


def countings(model: type[Record]) -> Iterator[Counting]:
    """Yield what keeps the counters of ``model``."""
    for field in model.fields().values():
        kind, column = field.spec.kind, field.column
        if not isinstance(kind, Counter) or column is None:
            continue
        parts = {
            "parent": model.__tablename__, "column": column.name, "child": kind.table, "reference": kind.column,
            "met": f"({kind.where})" if kind.where else "true",
        }  # fmt: skip
        changes = {
            "inserted": OF_ONE.format(sign="", rows="new_rows", **parts),
            "deleted": OF_ONE.format(sign="-", rows="old_rows", **parts),
            "updated": OF_BOTH.format(**parts),
        }
        body = BODY.format(**{each: ADD.format(changes=text, **parts) for each, text in changes.items()})
        name = _name(model.__tablename__, column.name)
        statements = INSTALL.format(
            name=name, body=body, zero=BEGIN_AT_NOTHING.format(**parts), each=EACH.format(name=name),
            bookkeeping=", ".join(f"'{each}'" for each in (model.__tablename__, *model.bookkeeping)), **parts,
        )  # fmt: skip
        columns = (model.__tablename__, column.name), (kind.table, kind.column)
        yield Counting(name, body, statements, kind.table, columns)


def _name(table: str, column: str) -> str:
    """The name of the function, which those of the triggers begin with."""
    name, most = f"{PREFIX}{table}_{column}", LONGEST_NAME - len("_insert")
    return name if len(name) <= most else f"{name[: most - 9]}_{crc32(name.encode()):08x}"
