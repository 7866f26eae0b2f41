"""Reference checks: every row that a body names must be visible to the caller, and its parent writable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, ColumnElement, Uuid, and_, bindparam, column, exists, func, select, true
from sqlalchemy.orm import Session

from app.engine.encoding import View
from app.engine.kind import Reference
from app.engine.policy import Parent, Public
from app.engine.principal import Principal, Reader
from app.engine.record import Record, camel
from app.engine.statements import Viewed, compiled, driver_connection
from app.foundation.errors import Failure, Forbidden, ForeignKeyViolation

PARENT_WRITABLE = "parent_writable"
ORGANIZATION = bindparam("record_organization", type_=Uuid())


def check(
    model: type[Record], principal: Principal, session: Session, named: Mapping[str, UUID], organization_id: UUID | None
) -> None:
    """Check the references ``named`` (by attribute) in one statement.

    Raises ForeignKeyViolation for the first row that is missing or invisible, alike for both, and Forbidden for
    a parent that may be seen and not written.
    """
    if not named:
        return
    checking = statement(model, principal.reader, tuple(named), organization_id is not None)
    (met,) = checking.rows(driver_connection(session), parameters(named, organization_id) | principal.binds)
    judge(tuple(named), met)


def parameters(named: Mapping[str, UUID], organization_id: UUID | None) -> dict[str, Any]:
    """The parameters of ``statement``, but for those of the caller."""
    return {f"ref_{name}": value for name, value in named.items()} | {"record_organization": organization_id}


def judge(attributes: Sequence[str], met: Sequence[Any]) -> None:
    """Raise what ``check`` does, from a row of ``statement``."""
    for name, is_met in zip(attributes, met, strict=False):
        if not is_met:
            raise ForeignKeyViolation.on(camel(name))
    if not met[-1]:
        raise Forbidden()


@lru_cache(maxsize=1024)
def statement(model: type[Record], reader: Reader, attributes: tuple[str, ...], within: bool) -> Viewed:
    met = []
    for name in attributes:
        wanted = bindparam(f"ref_{name}", type_=Uuid())
        admissible = _admissible(model, reader, name, wanted, ORGANIZATION if within else None)
        met.append(exists().where(admissible).label(name))
    writable = _parent_writable(model, reader, attributes)
    answers: list[ColumnElement[Any]] = [*met, writable.label(PARENT_WRITABLE)]
    return compiled(select(*answers), View(attributes, None, ()))


def _admissible(
    model: type[Record], reader: Reader, attribute: str, wanted_id: ColumnElement[Any],
    organization: ColumnElement[Any] | None,
) -> ColumnElement[bool]:  # fmt: skip
    """A row that may be named: visible, and for a restricting reference from the record's own scope, so that
    nobody can pin a public row of somebody else."""
    target = model.target(attribute)
    wanted = target.id == wanted_id
    scope = target.policy.scope
    kind = model.fields()[attribute].spec.kind
    restricts = isinstance(kind, Reference) and kind.on_delete == "restrict"
    if not restricts or isinstance(scope, Public):
        return and_(wanted, target.policy.visible(target, reader))
    own = and_(wanted, scope.own(target, reader))
    if organization is not None and "organization_id" in target.fields():
        return and_(own, target.organization_id == organization)  # type: ignore[attr-defined]
    return own


def _parent_writable(model: type[Record], reader: Reader, attributes: tuple[str, ...]) -> ColumnElement[bool]:
    scope = model.policy.scope
    if not isinstance(scope, Parent) or scope.column not in attributes:
        return exists(select(1))
    return _writable(model, reader, bindparam(f"ref_{scope.column}", type_=Uuid()))


def _writable(model: type[Record], reader: Reader, wanted_id: ColumnElement[Any]) -> ColumnElement[bool]:
    target = model.target(model.policy.scope.column)
    writable = target.policy.scope.writable(target, reader, target.policy.update)
    return exists().where(target.id == wanted_id, writable)


def faults_of_many(
    model: type[Record], principal: Principal, session: Session, attribute: str,
    named: Mapping[tuple[UUID, UUID | None], Sequence[int]],
) -> Iterator[tuple[int, Failure]]:  # fmt: skip
    """Check in one statement what many records name by ``attribute``: the places of the records by the row that they
    name and the organization that they are in. Yields what is wrong, by place."""
    pairs = list(named)
    given = {"ids": [pair[0] for pair in pairs], "organizations": [pair[1] for pair in pairs]}
    checking = _statement_of_many(model, principal.reader, attribute)
    for place, met, writable in checking.rows(driver_connection(session), given | principal.binds):
        failure = ForeignKeyViolation.on(camel(attribute)) if not met else None if writable else Forbidden()
        if failure is not None:
            yield from ((index, failure) for index in named[pairs[place - 1]])


@cache
def _statement_of_many(model: type[Record], reader: Reader, attribute: str) -> Viewed:
    ids, organizations = (bindparam(name, type_=ARRAY(Uuid())) for name in ("ids", "organizations"))
    columns = (column("id", Uuid()), column("organization", Uuid()))
    named = func.unnest(ids, organizations).table_valued(*columns, with_ordinality="place").render_derived(name="named")
    target: Any = model.target(attribute)
    # Records in no organization name rows of any.
    own = func.coalesce(named.c.organization, target.organization_id) if "organization_id" in target.fields() else None
    met = exists().where(_admissible(model, reader, attribute, named.c.id, own))
    is_parent = isinstance(model.policy.scope, Parent) and model.policy.scope.column == attribute
    writable = _writable(model, reader, named.c.id) if is_parent else true()
    return compiled(select(named.c.place, met.label("met"), writable.label("writable")), View((), None, ()))
