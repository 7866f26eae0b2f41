"""Work for later: a job is written in the transaction of its row, so that neither is there without the other."""

from __future__ import annotations

from functools import cache
from typing import Any
from uuid import UUID

import procrastinate
from sqlalchemy.orm import Session

from app.statements import within

# What rows ask for; the functions are in app.jobs.
READ, ENTER, INDEX = "read_document", "enter_document", "index_document"
SEARCH, REPORT, WORK, DELIVER = "run_query", "compute_report", "work_on_deliverable", "deliver_to_teams"
POST, INBOX, SUBSCRIPTION = "post_to_teams", "process_inbound_event", "keep_graph_subscription"


def defer(session: Session, task: str, row_id: UUID, *, one_of: UUID | None = None, **more: Any) -> None:
    """Have ``task`` done about a row once the transaction of ``session`` is committed; of the jobs that are ``one_of``
    the same, one at a time. ``more`` is given to the task as well, as JSON."""
    lock = f"{task} {one_of}" if one_of else None
    configured = _queue().configure_task(task, allow_unknown=True, connection=within(session), lock=lock)
    configured.defer(row_id=str(row_id), **more)


@cache
def _queue() -> procrastinate.App:
    # Jobs go over the connection of the transaction; this one is never opened.
    return procrastinate.App(connector=procrastinate.SyncPsycopgConnector())
