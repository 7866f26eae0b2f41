"""The query and the answer of a key-usage series."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from werkzeug.datastructures import MultiDict

from app.auth.keys.key_usage.sums import DAY, HOUR, floor
from app.engine.read.query_context import invalid
from app.foundation.clock import moment_of, now
from schemas.query.queries import CREDENTIAL

MAX_POINTS = 750  # a month by the hour
FIRST_YEAR, LAST_YEAR = 1970, 9000


@dataclass(frozen=True)
class UsageQuery:
    """A range of hours or days, whole ones: from ``since`` until before ``until`` in ``step``."""

    since: datetime
    until: datetime
    step: timedelta

    @property
    def interval(self) -> str:
        return "hour" if self.step == HOUR else "day"


def usage_query(args: MultiDict[str, str]) -> UsageQuery:
    """Read ``from``, ``to`` and ``interval``: when nothing else is asked, the last day by the hour or the last thirty
    days by the day; raises InvalidFilter."""
    for name, values in args.lists():
        if name not in ("from", "to", "interval", CREDENTIAL):
            raise invalid(name, "Unknown query parameter.")
        if len(values) > 1:
            raise invalid(name, "Given more than once.")
    step = {"hour": HOUR, "day": DAY}.get(args.get("interval", "hour"))
    if step is None:
        raise invalid("interval", "Must be one of: hour, day.")
    until = floor(_moment(args, "to") or now(), step)
    until += step if until < (_moment(args, "to") or now()) else timedelta()
    since = floor(_moment(args, "from") or until - (30 if step == DAY else 24) * step, step)
    if not timedelta() < until - since <= MAX_POINTS * step:
        raise invalid("from", f"Must be before to, by {MAX_POINTS} {args.get('interval', 'hour')}s at most.")
    return UsageQuery(since, until, step)


def _moment(args: MultiDict[str, str], name: str) -> datetime | None:
    text = args.get(name)
    if text is None:
        return None
    moment = moment_of(text)
    if moment is None or not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise invalid(name, "Is not a timestamp.")
    return moment
