"""The log of changes after a fault: it has what the tables have, and each of its rows one position, without a gap."""

from __future__ import annotations

from collections.abc import Iterable

from tests.engine.changes.replay import differences
from tests.faults.quiet import within
from tests.faults.service import Service
from tests.faults.streams import FOLLOWED, ChangeFollower
from tests.faults.webhooks import Receiver

POSITIONS = """
SELECT count(*), coalesce(max(p.position) - min(p.position) + 1, 0), count(DISTINCT p.seq),
    (SELECT count(*) FROM platform_change) FROM platform_change_position AS p
"""


# What the log has of somebody's records since a moment, in order.
OF_ORGANIZATION = """
SELECT p.position, c.record_id::text, c.operation FROM platform_change AS c
JOIN platform_change_position AS p ON p.xact = c.xact AND p.seq = c.seq
WHERE c.organization_id = '{organization}' AND c.model IN ({models}) AND c.at >= '{since}' ORDER BY p.position
"""


def findings(service: Service, followers: Iterable[ChangeFollower] = (), late: float = 0.0) -> Iterable[str]:
    """Yield what the log has otherwise than the tables, while nobody writes, and what ``followers`` have not heard of
    it, or wrongly, after so many seconds."""
    for table, identifier, said in differences(service.sql):
        yield f"the row {identifier} of {table} {said}"
    while service.sql("SELECT rowgate_number_changes()") == [(None,)]:
        pass  # a worker of jobs is at it
    positions, span, rows, logged = service.sql(POSITIONS)[0]
    if not positions == span == rows == logged:
        yield f"{logged} changes have {positions} positions, which span {span}, of {rows} rows"
    yield from unheard(service, followers, late)


def unheard(service: Service, followers: Iterable[ChangeFollower | Receiver], late: float) -> Iterable[str]:
    """Yield what followers have not heard of the log, or wrongly, after so many seconds."""
    for follower in followers:
        within(late, lambda follower=follower: not _unheard(service, follower))
        yield from _unheard(service, follower)
        yield from follower.turn_page()


def _unheard(service: Service, follower: ChangeFollower | Receiver) -> list[str]:
    """What a follower has not been told of. Of records that are gone only that is sure to be told."""
    asked = {"organization": follower.person.organization_id, "since": follower.since}
    rows = service.sql(OF_ORGANIZATION.format(models=", ".join(f"'{name}'" for name in FOLLOWED), **asked))
    gone = {record for _, record, operation in rows if operation == "delete"}
    wanted = {position: (record, operation) for position, record, operation in rows}
    missed = [
        f"{operation} of {record} at {position} was not heard"
        for position, (record, operation) in wanted.items()
        if position not in follower.told and (record not in gone or operation == "delete")
    ]
    foreign = [
        f"{told} at {position} was heard, and the log has {wanted.get(position)}"
        for position, told in follower.told.items()
        if wanted.get(position) != told
    ]
    return missed + foreign
