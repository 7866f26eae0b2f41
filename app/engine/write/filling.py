"""What new records get that the database is asked for: numbers without gaps, and slugs that no other record has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4
from zlib import crc32

from sqlalchemy import Uuid
from sqlalchemy.orm import Mapped, mapped_column
from uuid_utils.compat import uuid7

from app.engine.declare.fields import ASKED_FOR, HIDDEN, FieldSpec, Numbered, SlugOf, integer, string
from app.engine.declare.indexes import add_indexes, unique
from app.engine.declare.kind import Identifier
from app.engine.declare.kinds import SAFE_MAX
from app.engine.declare.positions import Placed
from app.engine.declare.record import Base, Field, Record
from app.engine.read import fragments
from app.engine.read.statements import driver_connection
from app.engine.write import placing
from app.foundation.clock import now
from app.foundation.slugs import slug_of

if TYPE_CHECKING:
    from app.engine.write.store import Draft
    from app.engine.write.unit_of_work import Unit

# As much of a text as a slug is made of, and the slug of one without letters.
LONGEST, NAMELESS = 1000, "record"
# Locks of slugs are so many for each field, so that a large request takes no more of them.
SLUG_LOCKS = 64
# It goes on behind rows that have come in another way, too.
DRAW = """
INSERT INTO platform_counter AS known (id, created_at, updated_at, name, scope, value)
SELECT %(id)s, %(now)s, %(now)s, %(name)s, %(scope)s, coalesce(max({column}), 0) + %(count)s FROM {table}{alike}
ON CONFLICT (name, scope) DO UPDATE
    SET value = greatest(known.value + %(count)s, excluded.value), updated_at = excluded.updated_at
RETURNING value
"""
LOCK = "SELECT pg_advisory_xact_lock(%(space)s, each) FROM unnest(%(locks)s::int[]) AS each"


class PlatformCounter(Base):
    """The last number that records of a field were given, of those that are alike in one id."""

    __tablename__ = "platform_counter"
    keys = (unique("name", "scope", null_is_value=True),)

    name: Mapped[str] = string(max=200, note="table and column")
    scope: Mapped[UUID | None] = mapped_column(Uuid(), info={"spec": FieldSpec(Identifier(), frozenset({HIDDEN}))})
    value: Mapped[int] = integer(min=0, max=SAFE_MAX)


add_indexes(PlatformCounter)


@cache
def filled(model: type[Record]) -> tuple[Field, ...]:
    """The fields of ``model`` that get what the database is asked for."""
    return tuple(field for field in model.fields().values() if isinstance(field.spec.default, ASKED_FOR))


def fill(unit: Unit, model: type[Record], drafts: Sequence[Draft]) -> None:
    """Give ``drafts`` their numbers, slugs and positions."""
    placing.place(unit, model, drafts)
    for field in filled(model):
        wanting = [draft for draft in drafts if draft.columns.get(field.attribute) is None]
        if isinstance(field.spec.default, Placed):
            continue
        if isinstance(field.spec.default, Numbered):
            _number(unit, model, field, field.spec.default.per, wanting)
        elif isinstance(field.spec.default, SlugOf):
            sent = {value for draft in drafts if (value := draft.columns.get(field.attribute)) is not None}
            _name(unit, model, field, field.spec.default.attribute, wanting, sent)


def _number(unit: Unit, model: type[Record], field: Field, per: str, drafts: Sequence[Draft]) -> None:
    """Draw numbers in the order of the request. The rows of counters are held until the commit, so that a number whose
    record comes to nothing is drawn by the next one; they are taken in order, so that two requests do not wait for
    each other."""
    alike: dict[Any, list[Draft]] = defaultdict(list)
    for draft in drafts:
        alike[draft.columns.get(per) if per else None].append(draft)
    alike_in = f" WHERE {fragments.column(model.fields()[per], model.__tablename__)} = %(scope)s" if per else ""
    column = fragments.column(field, model.__tablename__)
    draw = DRAW.format(column=column, table=model.__tablename__, alike=alike_in)
    for scope, together in sorted(alike.items(), key=lambda item: str(item[0])):
        asked = {"id": uuid7(), "now": now(), "name": f"{model.__tablename__}.{field.attribute}", "scope": scope}
        (row,) = driver_connection(unit.session).execute(draw, asked | {"count": len(together)}).fetchall()
        for number, draft in enumerate(together, row[0] - len(together) + 1):
            draft.columns[field.attribute] = number


def _name(unit: Unit, model: type[Record], field: Field, source: str, drafts: Sequence[Draft], sent: set[str]) -> None:
    """Name records by their text, otherwise than what was ``sent`` with them. A lock of the name, until the commit,
    keeps another transaction from naming a record so at the same time."""
    if not drafts:
        return
    wanted = {
        draft.index: slug_of(str(draft.columns.get(source) or "")[:LONGEST], field.max_length) or NAMELESS
        for draft in drafts
    }
    taken = sent | _taken(unit, model, field, set(wanted.values()))
    for draft in drafts:
        name = wanted[draft.index]
        if name in taken:
            ending = uuid4().hex[:6]
            name = f"{name[: field.max_length - len(ending) - 1].rstrip('-')}-{ending}"
        taken.add(name)
        draft.columns[field.attribute] = name


def _taken(unit: Unit, model: type[Record], field: Field, names: Iterable[str]) -> set[str]:
    connection = driver_connection(unit.session)
    space = crc32(f"{model.__tablename__}.{field.attribute}".encode()) - 2**31
    locks = sorted({crc32(name.encode()) % SLUG_LOCKS for name in names})
    connection.execute(LOCK, {"space": space, "locks": locks})
    column = fragments.column(field, "kept")
    rows = connection.execute(
        f"SELECT {column} FROM {model.__tablename__} AS kept WHERE {column} = ANY (%s)",  # noqa: S608
        (sorted(names),),
    )
    return {name for (name,) in rows.fetchall()}
