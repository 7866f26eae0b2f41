"""Indexes and unique rules: what a model declares, and what every table gets besides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import CheckConstraint, Column, Computed, Index, Table, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import TSVECTOR

from app.engine.declare import collation, search
from app.engine.declare.codes import Code, Color
from app.engine.declare.kinds import Enum, LongText, OpenEnum, String
from app.engine.declare.shapes import member_kind, member_sql
from config import SettingError

# How the names of indexes begin that are of no model: the clock makes and drops them.
VECTORS = "ix_vectors_"
# Every id meets this. A count says so, to be served by the index that has it as predicate and nothing but the owner of
# the rows as key: PostgreSQL keeps equal keys once, and counts many in half of the time. Without a predicate it would
# serve pages, too, in plans that do not know how many rows a caller has: all of these would be read and sorted.
COUNT_INDEX_PREDICATE = "id >= '00000000-0000-0000-0000-000000000000'"


@dataclass(frozen=True)
class IndexSpec:
    """A declared index over ``columns`` (a leading minus is descending) or, with ``unique``, a unique rule.

    ``deferrable`` rules are checked at commit when the transaction asks for it; ``null_is_value`` lets null
    count as a value; ``where`` makes a partial index; ``search`` keeps and indexes its text-search vector,
    that of English unless it is kept ``by_trigger`` of a migration; ``sorts``
    ends in the order of lists: text with case aside first, and the id.
    """

    columns: tuple[str, ...]
    unique: bool = False
    deferrable: bool = False
    null_is_value: bool = False
    where: str = ""
    using: str = ""
    search: bool = False
    by_trigger: bool = False
    sorts: bool = False

    def build(self, table: Table) -> None:
        """Attach the index or constraint to ``table``."""
        if self.unique and not self.where and len(self.columns) > 1:
            options: dict[str, Any] = {"deferrable": True, "initially": "IMMEDIATE"} if self.deferrable else {}
            rule = UniqueConstraint(
                *(table.c[name] for name in self.columns),
                postgresql_nulls_not_distinct=self.null_is_value or None,
                **options,
            )
            table.append_constraint(rule)
            return
        options = {"postgresql_using": self.using} if self.using else {}
        if self.where:
            options["postgresql_where"] = text(self.where)
        if self.null_is_value:
            options["postgresql_nulls_not_distinct"] = True
        # An index of expressions alone names no column that says whose it is.
        Index(self._name(table), *self._expressions(table), unique=self.unique, _table=table, **options)

    def _name(self, table: Table) -> str:
        kind = "uq" if self.unique else "ix"
        end = ["sorted"] if self.sorts else []
        return "_".join([kind, table.name, *(name.lstrip("-").replace(".", "_") for name in self.columns), *end])

    def _expressions(self, table: Table) -> Iterator[Any]:
        for name in self.columns:
            first, _, within = name.lstrip("-").partition(".")
            column = table.c[first]
            if within:
                path = within.split(".")
                kind = member_kind(column.info["spec"].kind, path)
                if kind is None:
                    raise SettingError(f"{table.name}.{name} names no member that can be compared")
                yield text(f"({member_sql(column.name, kind, path)})")
            elif self.search:
                yield _search_vector(table, column.name, by_trigger=self.by_trigger)
            elif self.sorts and isinstance(column.info["spec"].kind, String | LongText | Code | Color):
                yield from (text(each) for each in collation.sorted_as(column.name, is_text=True))
            elif (found := self._text(column)) != column.name:
                yield text(f"({found}) DESC" if name.startswith("-") else f"({found})")
            else:
                yield column.desc() if name.startswith("-") else column
        if self.sorts:
            yield table.c.id

    def _text(self, column: Column[Any]) -> str:
        """What the index has of ``column``."""
        kind = column.info["spec"].kind
        if kind is None:
            return column.name
        found: str = kind.sorted(column.name) if self.sorts else kind.indexed(column.name)
        return found


def _search_vector(table: Table, name: str, *, by_trigger: bool) -> Column[Any]:
    """The column with the text-search vector of ``name``, which the database keeps. It is no field of the model."""
    computed = () if by_trigger else (Computed(f"to_tsvector('english', {name})", persisted=True),)
    column: Column[Any] = Column("search", TSVECTOR, *computed, info={"kept_by": "database"})
    table.append_column(column)
    return column


def unique(*columns: str, deferrable: bool = False, null_is_value: bool = False, where: str = "") -> IndexSpec:
    """No two rows that ``where`` holds for are equal in all of ``columns``."""
    return IndexSpec(columns, True, deferrable, null_is_value, where)


def index(*columns: str, using: str = "", search: bool = False, by_trigger: bool = False, where: str = "") -> IndexSpec:
    """An index over ``columns`` in their order, of the rows that ``where`` holds for."""
    return IndexSpec(columns, using=using, search=search, by_trigger=by_trigger, where=where)


def add_indexes(model: Any) -> None:
    """Give the table of ``model`` its declared keys, the order of its lists, and an index for every reference."""
    table: Table = model.__table__
    _guard_enumerations(table)
    for key in model.keys:
        key.build(table)
    if policy := getattr(model, "policy", None):
        Index(f"ix_{table.name}_order", *_newest_first(table))
        for scope in policy.scope.parts():
            _index_default_order(table, scope)
        _index_count(table, policy.scope)
        _index_search(table, model)
    keys: list[Index | UniqueConstraint] = [*filter(_is_of_all, table.indexes), *_unique_constraints(table)]
    led = {next(iter(each.columns)).name for each in keys if each.columns}
    for column in table.columns:
        if column.foreign_keys and column.name not in led:
            name = f"ix_{table.name}_{column.name}"
            Index(f"{name}_all" if name in {each.name for each in table.indexes} else name, column)


def _is_of_all(index: Index) -> bool:
    """Tell whether an index has all rows."""
    where = index.dialect_options["postgresql"]["where"]
    return where is None or str(where) == COUNT_INDEX_PREDICATE


def _guard_enumerations(table: Table) -> None:
    for column in table.columns:
        kind = column.info["spec"].kind
        if isinstance(kind, Enum) and not isinstance(kind, OpenEnum):
            table.append_constraint(CheckConstraint(column.in_(kind.values), name=column.name))


def _index_default_order(table: Table, scope: Any) -> None:
    """Newest first over one owner's rows, and over those that are public, as lists walk them."""
    known = {index.name for index in table.indexes}
    if scope.column and scope.column != "id" and (name := f"ix_{table.name}_{scope.column}_order") not in known:
        Index(name, table.c[scope.column], *_newest_first(table))
    for values, ending in ((scope.public, "public"), (getattr(scope, "values", None), "where")):
        if values and (name := f"ix_{table.name}_{ending}_order") not in known:
            Index(name, *_newest_first(table), postgresql_where=text(_has_values(dict(values))))


def _has_values(values: Mapping[str, Sequence[Any]]) -> str:
    """The predicate of the rows whose columns have these values."""
    conditions = (
        name if list(each) == [True] else f"{name} IN ({', '.join(repr(value) for value in each)})"
        for name, each in values.items()
    )
    return " AND ".join(conditions)


def _index_count(table: Table, scope: Any) -> None:
    """The owner alone, which serves counts."""
    if has_count_index(table, scope):
        name = f"ix_{table.name}_{scope.column}_count"
        Index(name, table.c[scope.column], postgresql_where=text(COUNT_INDEX_PREDICATE))


def _newest_first(table: Table) -> tuple[Any, ...]:
    return table.c.created_at.desc(), table.c.id.desc()


def has_count_index(table: Any, scope: Any) -> bool:
    """Whether a list of one's own rows has no other condition than on the column of the owner."""
    if scope.column in ("", "id") or not (scope.owner_column or scope.organization_column):
        return False
    return not scope.narrowing_column and not (scope.public and table.c[scope.column].nullable)


def _index_search(table: Table, model: Any) -> None:
    """Keep and index the vector of what a search looks through. The column is no field of the model."""
    if not model.searchable:
        return
    fields = [model.fields()[name] for name in model.searchable]
    for field in fields:
        if not field.seen_by_every_reader(model):
            raise SettingError(f"{model.qualified_name()}.{field.name} is searchable, and not shown to every reader")
    kept = Computed(search.vector([field.column.name for field in fields]), persisted=True)
    column: Column[Any] = Column(search.COLUMN, TSVECTOR, kept, info={"kept_by": "database"})
    table.append_column(column)
    Index(f"ix_{table.name}_{search.COLUMN}", column, postgresql_using="gin")


def _unique_constraints(table: Table) -> list[UniqueConstraint]:
    return [each for each in table.constraints if isinstance(each, UniqueConstraint)]


def sorted_by(*columns: str) -> IndexSpec:
    """An index for lists sorted by the last of ``columns``, either way, among rows equal in the others; text is found
    by its beginning, too."""
    return IndexSpec(columns, sorts=True)
