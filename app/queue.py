"""Work for later: a job is written in the transaction of its row, so that neither is there without the other."""

from __future__ import annotations

from functools import cache
from typing import Any

import procrastinate
from sqlalchemy.orm import Session

from app.statements import within

# Names of tasks that are asked for in several places.
INDEX = "index_document"


def defer(session: Session, task: str, **arguments: Any) -> None:
    """Have ``task`` done once the transaction of ``session`` is committed."""
    _queue().configure_task(task, allow_unknown=True, connection=within(session)).defer(**arguments)


@cache
def _queue() -> procrastinate.App:
    # Jobs go over the connection of the transaction; this one is never opened.
    return procrastinate.App(connector=procrastinate.SyncPsycopgConnector())
