"""The window of a page: walks through the rows of a list, each in the order of the list, and what of them it shows.

Most lists are one walk. Empty values of a sort key are another, and so is what is shared with the caller: an OR of both
would be walked by no index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.engine.read import fragments
from app.engine.read.conditions import Source
from app.engine.read.ordering import Order, Scan, order_by

WINDOW = "LIMIT %(take)s::bigint OFFSET %(skip)s::bigint"
# The planner makes one plan for all pages where it cannot look at their bounds.
HIDDEN_WINDOW = "LIMIT (SELECT %(take)s::bigint) OFFSET (SELECT %(skip)s::bigint)"
# As many rows of one walk as the page could have.
UP_TO_WINDOW_END = "LIMIT %(window_end)s::bigint"


@dataclass(frozen=True)
class Walk:
    """Rows in their ``order``, in one scan or several: those of ``tables`` that meet all of ``where``. Each scan, with
    its own window, is put into ``around``."""

    tables: str
    where: Sequence[str]
    order: Order
    scans: Sequence[Scan]
    around: str = "{}"

    def selects(self, columns: Sequence[str], limit: str) -> list[str]:
        """The statements of its scans, each with the sort keys behind ``columns``."""
        chosen = ", ".join([*columns, *(f"{each.value} AS s{index}" for index, each in enumerate(self.order))])
        found = []
        for scan in self.scans:
            by = order_by(scan.order, [each.value for each in scan.order])
            met = " AND ".join([*self.where, *scan.conditions])
            rows = f"SELECT {chosen} FROM {self.tables} WHERE {met} ORDER BY {by}"
            found.append(self.around.format(f"{rows} {limit}") if limit else rows)
        return found


def shared_walk(source: Source, where: Sequence[str], order: Order, scans: Callable[[Order], Sequence[Scan]]) -> Walk:
    """The rows that are shared with the caller and meet ``where``. Shares have the order of plain lists themselves: of
    each recipient, no more of them are read than the page needs."""
    model, row = source.model, source.alias
    of_share = {f"{row}.created_at": "shares.record_created_at", f"{row}.id": "shares.record_id"}
    walked = tuple(replace(each, value=of_share.get(each.value, each.value)) for each in order)
    tables = " ".join([f"auth_share AS shares JOIN {source.table} ON {row}.id = shares.record_id", *source.joins])
    shareable = source.put(fragments.shareable(model, source.reader, "list"), row)
    met = [fragments.active_share(model, "shares"), _is_first(fragments.active_share(model, "others")), shareable]
    recipients = "unnest(%(caller_recipients)s::varchar[]) AS had (recipient)"
    around = f"SELECT page.* FROM {recipients} CROSS JOIN LATERAL ({{}}) AS page"
    return Walk(tables, ["shares.recipient = had.recipient", *met, *where], walked, scans(walked), around)


def _is_first(active: str) -> str:
    """Of several shares of one record with one recipient (by id, and by an address that became theirs), the first."""
    same = "others.record_id = shares.record_id AND others.recipient = shares.recipient AND others.id < shares.id"
    return f"NOT EXISTS (SELECT 1 FROM auth_share AS others WHERE {same} AND {active})"


def window(columns: Sequence[str], walks: Sequence[Walk], planned_limit: int | None) -> str:
    """The rows of the page, with the sort keys behind ``columns``; of several walks or scans, as many of each as the
    page could reach, and none twice. With a ``planned_limit``, the bounds of the page are hidden from the planner; it
    is told that the page ends within so many rows, unless that is 0."""
    order = walks[0].order
    by = order_by(order, [f"s{index}" for index in range(len(order))])
    if len(walks) == len(walks[0].scans) == 1:
        (rows,) = walks[0].selects(columns, "")
        if planned_limit is None:
            return f"{rows} {WINDOW}"
        within = f"{rows} LIMIT {planned_limit}" if planned_limit else rows
        return f"SELECT * FROM ({within}) AS reached ORDER BY {by} {HIDDEN_WINDOW}"
    together = " UNION ".join if len(walks) > 1 else " UNION ALL ".join
    limit = f"LIMIT {planned_limit}" if planned_limit else UP_TO_WINDOW_END
    rows = together(f"({each})" for walk in walks for each in walk.selects(columns, limit))
    return f"SELECT * FROM ({rows}) AS scans ORDER BY {by} {WINDOW}"
