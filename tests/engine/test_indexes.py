"""Which indexes a table gets without asking."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from sqlalchemy import Column, ForeignKey, Integer, MetaData, Table

from app.engine.declare.indexes import add_indexes, index, unique


@pytest.fixture
def table():
    """One with a reference."""
    told = {"spec": SimpleNamespace(kind=None)}
    columns = [Column("id", Integer, primary_key=True, info=told), Column("state", Integer, info=told)]
    return Table("loan", MetaData(), *columns, Column("book_id", Integer, ForeignKey("book.id"), info=told))


@pytest.mark.parametrize(
    ("key", "is_added"),
    [
        (index("book_id", "state"), False), (unique("book_id", "state"), False), (index("state", "book_id"), True),
        (unique("book_id", where="state = 1"), True), (index("book_id", where="state = 1"), True),
    ],
    ids=str,
)  # fmt: skip
def test_a_reference_has_an_index_of_all_rows_that_begins_with_it(table, key, is_added):
    before = len(table.indexes) + len(table.constraints)
    add_indexes(SimpleNamespace(__table__=table, keys=(key,)))
    assert len(table.indexes) + len(table.constraints) == before + 1 + is_added
    of_all = [each for each in table.indexes if each.dialect_options["postgresql"]["where"] is None]
    assert is_added == ([list(each.columns.keys()) for each in of_all if len(each.columns) == 1] == [["book_id"]])
    assert len({each.name for each in table.indexes}) == len(table.indexes)
