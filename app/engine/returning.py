"""Records that are written and read back by one statement: for models without hooks of creation and audit, it checks
what a new record names as well. The others take a statement for each step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.engine import hooks, references, rows
from app.engine.encoding import Representation, view
from app.engine.principal import Principal, Reader
from app.engine.record import Record
from app.engine.statements import Viewed, compiled
from app.runtime.gevent_support import BoundedConnection

Values = dict[str, Any]


def is_plain(model: type[Record], reader: Reader) -> bool:
    """Whether records of ``model`` are made by one statement."""
    is_hooked = hooks.has_any("create", model) or model in hooks.preparations
    return not model.audited and not is_hooked and reads_no_other(model, reader)


def takes_changes(model: type[Record], reader: Reader) -> bool:
    """Whether changes of a record of ``model`` are written by one statement that reads it back."""
    return hooks.takes_many("update", model) and reads_no_other(model, reader)


def update(
    model: type[Record], principal: Principal, connection: BoundedConnection, identifier: UUID, columns: Values
) -> Representation:
    """Write ``columns`` (by attribute) into a row, and return the record as the principal sees it. Raises the errors
    of the driver."""
    written = {**stamps(model), **columns, "id": identifier}
    statement = _change(model, principal.reader, tuple(written))
    (row,) = statement.rows(connection, {"rows": rows.as_document([written])} | principal.binds)
    return statement.view.representation(row)


def insert(
    model: type[Record], principal: Principal, connection: BoundedConnection, columns: Values, named: Mapping[str, UUID]
) -> Representation:
    """Insert the row of ``columns`` (by attribute), which names ``named``, and return the record as the principal sees
    it. Raises ForeignKeyViolation and Forbidden as ``references.check`` does, and the errors of the driver."""
    organization_id = columns.get("organization_id")
    attributes = tuple(named)
    statement = _statement(model, principal.reader, tuple(columns), attributes, organization_id is not None)
    parameters = {"rows": rows.as_document([columns])} | references.parameters(named, organization_id)
    (row,) = statement.rows(connection, parameters | principal.binds)
    met = row[: len(attributes) + 1]
    references.judge(attributes, met)
    return statement.view.representation(row[len(met) :])


@lru_cache(maxsize=1024)
def _statement(
    model: type[Record], reader: Reader, columns: tuple[str, ...], named: tuple[str, ...], within: bool
) -> Viewed:
    table, shown = model.__tablename__, read_back(model, reader)
    checking = _apart(references.statement(model, reader, named, within))
    is_met = " AND ".join(f'"{name}"' for name in (*named, references.PARENT_WRITABLE))
    # What is read is the new row, by the name of its table; what is checked stands before it and reads the table.
    text = f"""
        WITH met AS MATERIALIZED ({checking.sql}),
        {table} AS ({rows.insertion(model, columns)} WHERE (SELECT {is_met} FROM met) RETURNING *)
        SELECT met.*, made.* FROM met LEFT JOIN ({shown.sql}) AS made ON true
    """  # noqa: S608 - declarations alone
    return Viewed(text, {**checking.fixed, **shown.fixed}, shown.view)


def _apart(checking: Viewed) -> Viewed:
    """A statement whose fixed parameters have names of their own, beside those of another one."""
    names = {f"%({name})s": f"%(checked_{name})s" for name in checking.fixed}
    text = re.sub(r"%\(\w+\)s", lambda found: names.get(found[0], found[0]), checking.sql)
    return Viewed(text, {f"checked_{name}": value for name, value in checking.fixed.items()}, checking.view)


@lru_cache(maxsize=1024)
def _change(model: type[Record], reader: Reader, attributes: tuple[str, ...]) -> Viewed:
    shown = read_back(model, reader)
    table = model.__tablename__
    # What is read is the row as it is now, by the name of its table.
    text = f"WITH {table} AS ({rows.change(model, attributes)} RETURNING {table}.*) {shown.sql}"
    return Viewed(text, shown.fixed, shown.view)


def stamps(model: type[Record]) -> Values:
    """What changes with every change."""
    return {name: column.onupdate.arg(None) for name, column in stamped(model).items()}


@cache
def stamped(model: type[Record]) -> dict[str, Any]:
    """The columns of ``stamps``."""
    columns = ((name, field.column) for name, field in model.fields().items())
    return {name: column for name, column in columns if column is not None and column.onupdate is not None}


@cache
def read_back(model: type[Record], reader: Reader) -> Viewed:
    """What a reader sees of a row."""
    shown = view(model, reader)
    return compiled(select(*shown.columns, model.row_version), shown)


@cache
def reads_no_other(model: type[Record], reader: Reader) -> bool:
    """Whether what a reader sees of a row depends on no other row of its table."""
    return len(re.findall(rf"(?:FROM|JOIN|,)\s+{model.__tablename__}\b(?!\.)", read_back(model, reader).sql)) == 1
