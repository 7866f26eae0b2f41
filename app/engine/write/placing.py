"""Placing: what becomes of ``after:{id}`` and the like. A record that moves gets a number between those of its new
neighbors, so that no other one is written; under a lock of its list, so that no two get the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
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
NEAREST_LAST = ("after", "first")
# Digits behind the point from which on a list is numbered anew, which some hundred moves into one gap take.
FINEST = 100
LARGEST_SENT, FINEST_SENT = 10**15, 40
OUTER = "SELECT {function}(r.{column}) FROM {table} AS r WHERE {alike} AND r.id <> ALL (%(moving)s)"
NEXT = """
SELECT x.{column}, (SELECT {function}(r.{column}) FROM {table} AS r WHERE {alike} AND r.{column} {beyond} x.{column}
    AND r.id <> ALL (%(moving)s))
FROM {table} AS x WHERE x.id = %(neighbor)s AND {alike_x} AND ({visible})
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

    def place(self, drafts: Sequence[Draft]) -> None:
        moved: dict[Any, list[tuple[int, Draft, Placement]]] = defaultdict(list)
        for index, draft in enumerate(drafts):
            with failing_at(index):
                wanted = self._wanted(draft)
            if wanted is not None:
                moved[self._list_of(draft)].append((index, draft, wanted))
        for key, together in sorted(moved.items(), key=lambda item: str(item[0])):
            self.unit.lock(f"positions {self.model.__tablename__}.{self.field.attribute} {key}")
            self._place_in(key, together)

    def _place_in(self, key: Any, together: Sequence[tuple[int, Draft, Placement]]) -> None:
        """Place drafts in one list. Those that go to the same place share its gap."""
        moving = {draft.id for _, draft, _ in together}
        groups: dict[Placement, list[tuple[int, Draft]]] = defaultdict(list)
        for index, draft, wanted in together:
            if wanted.neighbor in moving - {draft.id}:
                with failing_at(index):
                    raise Invalid({self.field.name: ["Names a record that moves in the same request."]})
            groups[wanted].append((index, draft))
        numbers = self._numbers(key, groups, moving)
        if any(_digits(each) > FINEST for found in numbers.values() for each in found):
            driver_connection(self.unit.session).execute(RENUMBER.format(**self.parts), {"list": key})
            numbers = self._numbers(key, groups, moving)
        for wanted, some in groups.items():
            # As if one moved after the other: the last one stands next to the neighbor.
            ordered = some[::-1] if wanted.where in NEAREST_LAST else some
            for (_, draft), number in zip(ordered, numbers[wanted], strict=True):
                draft.columns[self.field.attribute] = number

    def _numbers(
        self, key: Any, groups: Mapping[Placement, Sequence[tuple[int, Draft]]], moving: Collection[UUID]
    ) -> dict[Placement, list[Decimal]]:
        """The numbers of each group, in order, beside those of the others."""
        found: dict[Placement, list[Decimal]] = {}
        for wanted, some in groups.items():
            with failing_at(some[0][0]):
                low, high = self._gap(key, wanted, list(moving))
            others = [each for numbers in found.values() for each in numbers if _is_within(each, low, high)]
            if others and wanted.where in NEAREST_LAST:
                high = min(others)
            elif others:
                low = max(others)
            found[wanted] = spread(low, high, len(some))
        return found

    def _wanted(self, draft: Draft) -> Placement | None:
        sent = draft.columns.get(self.field.attribute)
        if isinstance(sent, Placement):
            return sent
        # Whoever wrote longer numbers could have a list numbered anew with each request.
        if sent is not None and (abs(sent) >= LARGEST_SENT or _digits(sent) > FINEST_SENT):
            raise Invalid({self.field.name: ["Is a longer number than a position may be sent as."]})
        comes = draft.record is None or self.per in draft.columns
        return LAST if sent is None and comes else None

    def _list_of(self, draft: Draft) -> Any:
        if not self.per:
            return None
        return draft.columns[self.per] if self.per in draft.columns else getattr(draft.record, self.per, None)

    def _gap(self, key: Any, wanted: Placement, moving: Sequence[UUID]) -> tuple[Decimal | None, Decimal | None]:
        """What the new number lies between; None where there is nothing."""
        connection = driver_connection(self.unit.session)
        asked: dict[str, Any] = {"list": key, "moving": moving}
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
        rows = connection.rows(statement, asked) if wanted.neighbor not in moving else []
        if not rows:
            raise Invalid({self.field.name: ["Names no other record of this list."]})
        own, other = rows[0]
        return (other, own) if is_lower else (own, other)


def spread(low: Decimal | None, high: Decimal | None, count: int) -> list[Decimal]:
    """Numbers between two, in order and evenly, as short as they can be; whole ones where one of the two is None."""
    with localcontext(prec=4 * FINEST):
        if high is None:
            first = low.to_integral_value(ROUND_CEILING) + 1 if low is not None else Decimal(1)
            return [first + number for number in range(count)]
        if low is None:
            last = high.to_integral_value(ROUND_FLOOR) - 1
            return [last - count + 1 + number for number in range(count)]
        digits = 0
        while True:
            unit, shares = Decimal(1).scaleb(-digits), (high - low) / (count + 1)
            found = [(low + shares * number).quantize(unit) for number in range(1, count + 1)]
            if low < found[0] and found[-1] < high and len(set(found)) == count:
                return found
            digits += 1


def _digits(number: Decimal) -> int:
    """How many digits are behind the point."""
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _is_within(number: Decimal, low: Decimal | None, high: Decimal | None) -> bool:
    return (low is None or low < number) and (high is None or number < high)
