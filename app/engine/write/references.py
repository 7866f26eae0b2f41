"""Reference checks: every row that a body names must be visible to the caller, and its parent writable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, ColumnElement, Integer, Uuid, and_, bindparam, column, exists, func, or_, select, true

from app.engine.declare.kind import Reference
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record, camel
from app.engine.declare.scope import ORGANIZATIONS, USER, both, is_everything
from app.engine.read.encoding import Projection, dumps
from app.engine.read.statements import RecordStatement, compiled
from app.foundation.errors import Failure, Forbidden, ForeignKeyViolation
from app.runtime.gevent_support import BoundedConnection

PARENT_WRITABLE = "parent_writable"
# The organization that a record is in, and the rows that it names.
Named = tuple[UUID | None, Mapping[str, UUID]]


def check(
    model: type[Record], principal: Principal, connection: BoundedConnection, named: Mapping[int, Named]
) -> Iterator[tuple[int, Failure]]:
    """Judge in one statement what records name, by their indexes in the request. Yields ForeignKeyViolation for a row
    that is missing or invisible, alike for both, and Forbidden for a parent that may be seen and not written."""
    attributes = tuple(dict.fromkeys(name for _, wanted in named.values() for name in wanted))
    # Many records name the same rows.
    alike: dict[tuple[UUID | None, tuple[UUID | None, ...]], list[int]] = defaultdict(list)
    for index, (organization, wanted) in named.items():
        alike[organization, tuple(wanted.get(name) for name in attributes)].append(index)
    judging = statement(model, principal.reader, attributes)
    indexes = list(alike.values())
    for row in judging.rows(connection, parameters(list(alike), attributes) | principal.binds):
        if found := failure(attributes, row):
            yield from ((index, found) for index in indexes[row[0]])


def parameters(named: Sequence[tuple[UUID | None, Sequence[UUID | None]]], attributes: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of ``statement``, but for those of the caller: the organization of each record, and the
    rows that it names by ``attributes``."""
    rows = [
        {"index": index, "organization": organization, **dict(zip(attributes, wanted, strict=True))}
        for index, (organization, wanted) in enumerate(named)
    ]
    return {"named": dumps(rows).decode()}


def failure(attributes: Sequence[str], row: Sequence[Any]) -> Failure | None:
    """Return what is wrong with a row of ``statement``."""
    for name, is_met in zip(attributes, row[1:], strict=False):
        if not is_met:
            return ForeignKeyViolation.on(camel(name))
    return None if row[-1] else Forbidden()


@lru_cache(maxsize=1024)
def statement(model: type[Record], reader: Reader, attributes: tuple[str, ...]) -> RecordStatement:
    """Return the statement that judges what records name by ``attributes``."""
    columns: list[Any] = [
        column("index", Integer()),
        column("organization", Uuid()),
        *(column(name, Uuid()) for name in attributes),
    ]
    document = func.json_to_recordset(bindparam("named", type_=JSON()))
    named = document.table_valued(*columns).render_derived(name="named", with_types=True)
    met = [
        or_(named.c[name].is_(None), exists().where(_admissible(model, reader, name, named.c))).label(name)
        for name in attributes
    ]
    writable = _parent_writable(model, reader, attributes, named.c).label(PARENT_WRITABLE)
    return compiled(select(named.c.index, *met, writable), Projection((), (), ()))


def _admissible(model: type[Record], reader: Reader, attribute: str, named: Any) -> ColumnElement[bool]:
    """A row that may be named: visible, and for a restricting reference one's own, so that nobody can pin a public row
    of somebody else, or one that is only shared. Records in no organization name rows of any."""
    target = model.target(attribute)
    wanted = target.id == named[attribute]
    scope, granted = target.policy.scope, reader.granted(target, "read")
    if not is_everything(granted):
        # Whoever writes may say so, and in which organization.
        granted = or_(granted, target.id == USER, target.id == ORGANIZATIONS.any_())
    kind = model.fields()[attribute].spec.kind
    restricts = isinstance(kind, Reference) and kind.on_delete == "restrict"
    if not restricts or scope.is_nobodys:
        return both(and_(wanted, target.policy.visible(target, reader.base)), granted)
    own = both(and_(wanted, scope.own(target, reader.base)), granted)
    if "organization_id" in target.fields():
        within: Any = target.organization_id  # type: ignore[attr-defined]
        return and_(own, or_(named.organization.is_(None), within == named.organization))
    return own


def _parent_writable(
    model: type[Record], reader: Reader, attributes: tuple[str, ...], named: Any
) -> ColumnElement[bool]:
    parent = model.policy.scope.parent_column
    if parent not in attributes or model.policy.scope.judges_new_rows:
        return true()
    target = model.target(parent)
    writable = target.policy.writes(target, reader.base, target.policy.update)
    return or_(named[parent].is_(None), exists().where(target.id == named[parent], writable))
