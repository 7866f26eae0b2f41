"""Placing: what becomes of ``after:{id}`` and the like. A record that moves gets a number between those of its new
neighbors, so that no other one is written; under a lock of its list, so that no two get the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from app.engine.declare.positions import Placement, Position
from app.engine.declare.record import Field, Record
from app.engine.read import fragments
from app.engine.read.statements import driver_connection
from app.engine.write.hooks import failing_at
from app.foundation.errors import Invalid

if TYPE_CHECKING:
    from app.engine.write.store import Draft
    from app.engine.write.unit_of_work import Unit

LAST = Placement("last")
# Digits behind the point from which on a list is numbered anew, which some hundred moves into one gap take.
FINEST = 100
OUTER = "SELECT {function}({column}) FROM {table} AS r WHERE {alike} AND r.id <> %(me)s"
NEXT = """
SELECT x.{column}, (SELECT {function}(r.{column}) FROM {table} AS r WHERE {alike} AND r.{column} {beyond} x.{column}
    AND r.id <> %(me)s)
FROM {table} AS x WHERE x.id = %(neighbor)s AND x.id <> %(me)s AND {alike_x} AND ({visible})
"""
RENUMBER = """
UPDATE {table} AS moved SET {column} = found.n FROM (
    SELECT r.id, row_number() OVER (ORDER BY r.{column}, r.id) AS n FROM {table} AS r WHERE {alike}
) AS found WHERE found.id = moved.id AND moved.{column} <> found.n
"""


@cache
def positions(model: type[Record]) -> tuple[Field, ...]:
    """The fields of ``model`` that say where a record stands in its list."""
    return tuple(field for field in model.fields().values() if isinstance(field.spec.kind, Position))


def place(unit: Unit, model: type[Record], drafts: Sequence[Draft]) -> None:
    """Give drafts the numbers that stand for their places; those that come into another list stand last. Raises
    Invalid for a neighbor that is not there."""
    for field in positions(model):
        _List(unit, model, field).place(drafts)


class _List:
    """The statements about one field of positions."""

    def __init__(self, unit: Unit, model: type[Record], field: Field) -> None:
        self.unit, self.model, self.field = unit, model, field
        kind = field.spec.kind
        self.per = kind.per if isinstance(kind, Position) else ""
        same = f"r.{model.fields()[self.per].column.name} IS NOT DISTINCT FROM %(list)s" if self.per else "true"  # type: ignore[union-attr]
        self.parts = {
            "table": model.__tablename__, "column": fragments.column(field, "r").removeprefix("r."), "alike": same,
            "alike_x": same.replace("r.", "x.", 1),
        }  # fmt: skip
        self.given: set[Decimal] = set()
        self.moving: set[UUID] = set()

    def place(self, drafts: Sequence[Draft]) -> None:
        moved: dict[Any, list[tuple[int, Draft, Placement]]] = defaultdict(list)
        for index, draft in enumerate(drafts):
            wanted = self._wanted(draft)
            if wanted is not None:
                moved[self._list_of(draft)].append((index, draft, wanted))
        for key, together in sorted(moved.items(), key=lambda item: str(item[0])):
            self.given, self.moving = set(), {draft.id for _, draft, _ in together}
            self.unit.lock(f"positions {self.model.__tablename__}.{self.field.attribute} {key}")
            end: Decimal | None = None
            for index, draft, wanted in together:
                with failing_at(index):
                    end = end + 1 if end is not None and wanted == LAST else self._number(key, draft, wanted)
                draft.columns[self.field.attribute] = end
                self.given.add(end)
                end = end if wanted == LAST else None

    def _wanted(self, draft: Draft) -> Placement | None:
        sent = draft.columns.get(self.field.attribute)
        if isinstance(sent, Placement):
            return sent
        comes = draft.record is None or self.per in draft.columns
        return LAST if sent is None and comes else None

    def _list_of(self, draft: Draft) -> Any:
        if not self.per:
            return None
        return draft.columns[self.per] if self.per in draft.columns else getattr(draft.record, self.per, None)

    def _number(self, key: Any, draft: Draft, wanted: Placement) -> Decimal:
        if wanted.neighbor in self.moving - {draft.id}:
            raise Invalid({self.field.name: ["Names a record that moves in the same request."]})
        low, high = self._gap(key, draft, wanted)
        while (found := between(low, high)) in self.given:
            low, high = (found, None) if high is None else (low, found)
        if -found.as_tuple().exponent > FINEST:  # type: ignore[operator]
            driver_connection(self.unit.session).execute(RENUMBER.format(**self.parts), {"list": key})
            found = between(*self._gap(key, draft, wanted))
        return found

    def _gap(self, key: Any, draft: Draft, wanted: Placement) -> tuple[Decimal | None, Decimal | None]:
        """What the new number lies between; None where there is nothing."""
        connection, asked = driver_connection(self.unit.session), {"list": key, "me": draft.id}
        is_lower = wanted.where in ("before", "first")
        if wanted.neighbor is None:
            outer = OUTER.format(function="min" if is_lower else "max", **self.parts)
            (end,) = connection.rows(outer, asked)[0]
            return (None, end) if is_lower else (end, None)
        visible = fragments.visible(self.model, self.unit.principal.reader)
        statement = NEXT.format(
            function="max" if is_lower else "min",
            beyond="<" if is_lower else ">",
            visible=visible.on("x"),
            **self.parts,
        )
        asked |= {"neighbor": wanted.neighbor, **visible.fixed, **self.unit.principal.binds}
        rows = connection.rows(statement, asked)
        if not rows:
            raise Invalid({self.field.name: ["Names no other record of this list."]})
        own, other = rows[0]
        return (other, own) if is_lower else (own, other)


def between(low: Decimal | None, high: Decimal | None) -> Decimal:
    """The shortest number between two, near their middle; the next whole one where one of them is None."""
    if low is None or high is None:
        whole = (high.to_integral_value(ROUND_FLOOR) - 1) if high is not None else None
        beyond = (low.to_integral_value(ROUND_CEILING) + 1) if low is not None else Decimal(1)
        return beyond if whole is None else whole
    with localcontext(prec=4 * FINEST):
        middle, digits = (low + high) / 2, 0
        while not low < (found := middle.quantize(Decimal(1).scaleb(-digits))) < high:
            digits += 1
        return found
