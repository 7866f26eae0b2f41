"""Pieces of SQL text that models and policies declare, each compiled once.

A query is put together from such pieces: to build it of SQLAlchemy's expressions anew for every shape would take longer
than PostgreSQL does to answer it. What stands in a piece comes from declarations alone; values of callers are bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Uuid, and_, bindparam, func, literal, select, text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import aliased
from sqlalchemy.sql.visitors import InternalTraversal

from app.engine.declare.principal import Reader
from app.engine.declare.record import Field, Record
from app.engine.declare.scope import both, within
from app.engine.declare.sharing import SHARES, active_shares
from app.engine.read import encoding
from app.engine.read.encoding import LISTING, STATEMENTS_KEPT, Operations

DIALECT = PGDialect_psycopg()  # type: ignore[no-untyped-call]
# What a piece calls the row that it speaks of, until it is put into a statement.
ROW = "__row__"
MARK = "fragment"
PARAMETER = re.compile(r"%\((\w+)\)s")
CALLER = re.compile(r"%\(caller_(user|organization)\)s::UUID")


@dataclass(frozen=True)
class Fragment:
    """SQL text about a row, with the parameters that never change."""

    sql: str
    fixed: Mapping[str, Any]

    def on(self, alias: str) -> str:
        return self.sql.replace(ROW, alias)


@lru_cache(maxsize=STATEMENTS_KEPT)
def visible(model: type[Record], reader: Reader, operation: str = "read") -> Fragment:
    """Rows that can be read by id and referred to, or with ``list`` reached by conditions."""
    purpose = f"{model.__tablename__}_{operation}"
    return _compiled(model, purpose, lambda row: model.policy.visible(row, reader, operation))


@lru_cache(maxsize=STATEMENTS_KEPT)
def listed(
    model: type[Record],
    reader: Reader,
    operations: Operations = LISTING,
    *,
    with_public: bool,
    with_shared: bool = True,
) -> Fragment:
    """Rows of a list, with those of others that are public or shared with the caller, or without."""
    chosen = {"with_public": with_public, "with_shared": with_shared}
    purpose = f"{model.__tablename__}_listed_{with_public:d}"
    return _compiled(model, purpose, lambda row: model.policy.in_lists(row, reader, operations, **chosen))


@lru_cache(maxsize=STATEMENTS_KEPT)
def shared(model: type[Record], reader: Reader) -> Fragment:
    """Rows that are shared with the caller."""
    purpose = f"{model.__tablename__}_shared"
    return _compiled(model, purpose, lambda row: model.policy.shared(row, reader.base, listed=True))


@lru_cache(maxsize=STATEMENTS_KEPT)
def shareable(model: type[Record], reader: Reader, operation: str) -> Fragment:
    """Rows that the caller may have for an operation where they are shared, by the policy and by grants."""
    purpose = f"{model.__tablename__}_shareable"
    return _compiled(model, purpose, lambda row: both(model.policy.scope.bounds(row), reader.granted(row, operation)))


@cache
def active_share(model: type[Record], alias: str) -> str:
    """The rows called ``alias`` of the table of shares that count for the caller, of records of ``model``."""
    met = and_(*active_shares(model, SHARES.alias(alias).c))
    return str(met.compile(dialect=DIALECT))


@lru_cache(maxsize=STATEMENTS_KEPT)
def own(model: type[Record], reader: Reader) -> Fragment:
    """Rows that are the caller's, or shared with the caller, and not only public."""
    return _compiled(model, f"{model.__tablename__}_own", lambda row: model.policy.own(row, reader))


def hide_caller_from_planner(condition: str) -> str:
    """The condition of a list, with its caller hidden from the planner. PostgreSQL then plans for a caller who has as
    many rows as most have, keeps that plan, and walks the index of the owner. If it knew a caller who has many rows, it
    would plan each time, and walk the index of all rows past those of others."""
    return CALLER.sub(r"(SELECT \g<0>)", condition)


@lru_cache(maxsize=STATEMENTS_KEPT)
def writable(model: type[Record], reader: Reader, operation: str) -> Fragment:
    """Rows among the visible ones that the caller may update or delete, or by the same rights have created."""
    purpose = f"{model.__tablename__}_may_{operation}"
    return _compiled(model, purpose, lambda row: model.policy.writable(row, reader, operation))


@lru_cache(maxsize=STATEMENTS_KEPT)
def restorable(model: type[Record], reader: Reader) -> Fragment:
    """Deleted rows that the caller may bring back."""
    return _compiled(model, f"{model.__tablename__}_restorable", lambda row: model.policy.restorable(row, reader))


@lru_cache(maxsize=STATEMENTS_KEPT)
def showing(model: type[Record], reader: Reader, operation: str, names: tuple[str, ...]) -> Fragment:
    """Visible rows that show all of the fields called ``names``."""

    def condition(row: Any) -> ColumnElement[bool]:
        met = model.policy.visible(row, reader, operation)
        for name in names:
            met = both(met, reader.granted_by(row, reader.field_grants(model, name, operation)))
        return met

    return _compiled(model, "_".join([model.__tablename__, operation, "showing", *names]), condition)


@cache
def within_organization(model: type[Record]) -> Fragment | None:
    """Rows of the organization bound as ``within_organization``; None where rows belong to none."""
    bound = bindparam("within_organization", type_=Uuid())
    if within(model, bound) is None:
        return None
    return _compiled(model, f"{model.__tablename__}_within", lambda row: within(row, bound))  # type: ignore[arg-type, return-value]


@lru_cache(maxsize=STATEMENTS_KEPT)
def guard(model: type[Record], reader: Reader, operations: Operations, index: int) -> Fragment:
    """The condition of the guard at ``index`` among those of ``encoding.guards``."""
    purpose = "_".join([model.__tablename__, *operations, str(index)])
    return _compiled(model, purpose, encoding.guards(model, reader, operations)[index].condition)


@cache
def selected(model: type[Record], attribute: str) -> Fragment:
    """What is selected of a field for an answer."""
    field = model.fields()[attribute]
    return _compiled(model, f"{model.__tablename__}_{attribute}", lambda row: encoding.selected(row, field))


def as_text(sql: str) -> str:
    """SQL text of the driver as SQLAlchemy's ``text`` takes it. A colon behind a name would be part of it, as in
    casts."""
    return PARAMETER.sub(r"(:\1)", sql).replace("%%", "%")


class SqlText(ColumnElement[bool]):
    """A condition that is SQL text already, with the parameters that never change, among SQLAlchemy's expressions."""

    _traverse_internals = [("text", InternalTraversal.dp_clauseelement)]
    type = Boolean()
    inherit_cache = True

    def __init__(self, sql: str, fixed: Mapping[str, Any]) -> None:
        self.text = text(as_text(f"({sql})")).bindparams(**fixed)


@compiles(SqlText)
def _render(element: SqlText, compiler: Any, **options: Any) -> str:
    return str(compiler.process(element.text, **options))


def column(field: Field, alias: str) -> str:
    """The column of ``field``; raises LookupError for a field without one."""
    if field.column is None:
        raise LookupError(field.name)
    return f"{alias}.{DIALECT.identifier_preparer.quote(field.column.name)}"


def _compiled(model: type[Record], purpose: str, make: Callable[[Any], ColumnElement[Any]]) -> Fragment:
    row = aliased(model, name=ROW)
    expression = make(row)
    # Within a statement about the row, the expression correlates as it will in the end.
    marked = select(literal(1)).select_from(row).where(getattr(func, MARK)(expression))
    rendered = marked.compile(dialect=DIALECT)
    sql = str(rendered).partition(f"WHERE {MARK}(")[2].removesuffix(")")
    fixed = {}
    for name, value in rendered.params.items():
        if value is not None and f"%({name})s" in sql:
            sql = sql.replace(f"%({name})s", f"%({purpose}_{name})s")
            fixed[f"{purpose}_{name}"] = value
    return Fragment(sql, fixed)
