"""What a transaction has done to each record in the end, out of the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from app.engine.changes.returning import parents_first
from app.engine.declare.catalogue import every_model
from app.engine.declare.record import BASE_FIELDS, Field, Record, Setter
from app.engine.read.encoding import STATEMENTS_KEPT

# Of a million changes, a part at a time.
BEGIN = """
DECLARE changes_of_transaction CURSOR FOR
SELECT model, record_id, operation, version, changed FROM platform_change
WHERE transaction = %(transaction)s ORDER BY seq
"""
FETCH, END = "FETCH 10000 FROM changes_of_transaction", "CLOSE changes_of_transaction"
COUNT = """
SELECT count(*) FROM (SELECT FROM platform_change WHERE transaction = %(transaction)s LIMIT %(most)s) AS counted
"""


class Changed(NamedTuple):
    """The version that a record was left in, and the columns whose values are others."""

    version: int
    columns: frozenset[str]


@dataclass
class Net:
    """What a transaction did to the records of one model, by their ids: the versions of those that it made, what it
    changed, and what it deleted."""

    made: dict[UUID, int] = field(default_factory=dict)
    changed: dict[UUID, Changed] = field(default_factory=dict)
    deleted: list[UUID] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.made) + len(self.changed) + len(self.deleted)


class _Course(NamedTuple):
    """What has happened to one record so far."""

    first: str
    last: str
    version: int
    columns: frozenset[str]


def count(connection: Any, transaction: UUID, most: int) -> int:
    """How many changes belong to ``transaction``, ``most`` where there are more."""
    ((number,),) = connection.rows(COUNT, {"transaction": transaction, "most": most})
    return int(number)


def nets(connection: Any, transaction: UUID) -> dict[type[Record], Net]:
    """What ``transaction`` did, by model, parents first."""
    courses: dict[str, dict[UUID, _Course]] = defaultdict(dict)
    for model, record_id, operation, version, changed in _changes(connection, transaction):
        before = courses[model].get(record_id)
        first, columns = (before.first, before.columns.union(changed)) if before else (operation, frozenset(changed))
        courses[model][record_id] = _Course(first, operation, version, columns)
    models = {model.qualified_name(): model for model in every_model()}
    ordered = parents_first(models[name] for name in courses if name in models)
    return {model: _net(model, courses.pop(model.qualified_name())) for model in ordered}


@lru_cache(maxsize=STATEMENTS_KEPT)
def settable(model: type[Record], columns: frozenset[str]) -> list[Field]:
    """The fields among ``columns`` that somebody sets, and not the service alone."""
    fields = (each for each in model.fields().values() if each.column is not None and each.column.name in columns)
    return [each for each in fields if each.set_on_update is not Setter.SERVER and each.attribute not in BASE_FIELDS]


def _changes(connection: Any, transaction: UUID) -> Iterator[tuple[str, UUID, str, int, list[str]]]:
    connection.execute(BEGIN, {"transaction": transaction})
    while rows := connection.rows(FETCH, {}):
        yield from rows
    connection.execute(END)


def _net(model: type[Record], courses: dict[UUID, _Course]) -> Net:
    """Use up ``courses``, the latest first: rows that went with another one were written down before it."""
    net = Net()
    while courses:
        record_id, course = courses.popitem()
        if course.first == "create" and course.last != "delete":
            if model.undoable:
                net.made[record_id] = course.version
        elif course.first != "create" and course.last == "delete":
            net.deleted.append(record_id)
        elif course.first != "create":
            net.changed[record_id] = Changed(course.version, course.columns)
    return net
