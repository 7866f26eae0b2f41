"""The log of changes after a fault: it has what the tables have, and each of its rows one position, without a gap."""

from __future__ import annotations

from collections.abc import Iterable

from tests.engine.changes.replay import differences
from tests.faults.service import Service

POSITIONS = """
SELECT count(*), coalesce(max(p.position) - min(p.position) + 1, 0), count(DISTINCT p.seq),
    (SELECT count(*) FROM platform_change) FROM platform_change_position AS p
"""


def findings(service: Service) -> Iterable[str]:
    """Yield what the log has otherwise than the tables, while nobody writes."""
    for table, identifier, said in differences(service.sql):
        yield f"the row {identifier} of {table} {said}"
    while service.sql("SELECT rowgate_number_changes()") == [(None,)]:
        pass  # a worker of jobs is at it
    positions, span, rows, logged = service.sql(POSITIONS)[0]
    if not positions == span == rows == logged:
        yield f"{logged} changes have {positions} positions, which span {span}, of {rows} rows"
