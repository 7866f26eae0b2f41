"""Thirty days of events and activities: what the three people did with the product."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.ai.models.chats import AiArtifact
from app.analytics.models import AnalyticsActivity, AnalyticsEvent
from app.auth.models.identity import AuthUser
from app.ops.samples.context import Context
from app.ops.samples.people import Team

DAYS = 30
SATURDAY = 5
# From then on the product was used more.
GROWTH = 15
# Event, page it happened on, field that measures it, largest measure, weight.
KINDS = (
    ("page.viewed", "/companies", "durationMs", 90_000, 6),
    ("deal.opened", "/deals", "durationMs", 120_000, 4),
    ("document.opened", "/handbook", "durationMs", 240_000, 3),
    ("list.filtered", "/contacts", "rows", 14, 3),
    ("canvas.opened", "/canvas", "durationMs", 300_000, 2),
)
# How much of it falls to the owner, the admin and the member.
SHARES = (2, 3, 5)
TEAMS_SOURCE = {"source": "teams", "teamId": "19:harbour-works@thread.tacv2"}


@dataclass(frozen=True)
class Moment:
    """Somebody at work."""

    user: AuthUser
    time: datetime


def make(context: Context, team: Team, canvas: AiArtifact) -> list[AnalyticsEvent]:
    """Store activities and events, and return the events."""
    activities = [*_sign_ins(team), *_activities(context, team, canvas)]
    for activity in activities:
        activity.organization_id = team.organization.id
    context.store_all((each, each.occurred_at) for each in activities)
    events = [_clicked(context, moment) for moment in _at_work(context, team, busy=9)]
    events += [_exported(context, team, days) for days in range(DAYS, 0, -1)]
    for number, event in enumerate(events, start=1):
        event.organization_id, event.message_id = team.organization.id, f"sample-{number:04}"
    context.store_all((each, each.occurred_at) for each in events)
    return events


def _at_work(context: Context, team: Team, *, busy: int) -> Iterator[Moment]:
    """About ``busy`` moments on a working day, hardly any at the weekend."""
    for days in range(DAYS, 0, -1):
        start = context.at(days, "08:50")
        most = busy + (busy // 2 if days <= GROWTH else 0)
        count = context.random.randint(most // 2, most) if start.weekday() < SATURDAY else context.random.randint(0, 2)
        for _ in range(count):
            (user,) = context.random.choices(team.everybody, SHARES)
            yield Moment(user, start + timedelta(milliseconds=context.random.randrange(9 * 3600 * 1000)))


def _clicked(context: Context, moment: Moment) -> AnalyticsEvent:
    ((name, page, measure, largest, _),) = context.random.choices(KINDS, [kind[-1] for kind in KINDS])
    first_name = moment.user.name.partition(" ")[0].lower()
    return AnalyticsEvent(
        user_id=moment.user.id, name=name, source="web", properties={measure: context.random.randint(1, largest)},
        context={"page": page, "locale": "en-GB", "appVersion": "1.4.2"},
        client_session_id=f"{first_name}-{moment.time:%Y%m%d}", occurred_at=moment.time,
    )  # fmt: skip


def _exported(context: Context, team: Team, days: int) -> AnalyticsEvent:
    properties = {"durationMs": context.random.randint(2600, 4200)}
    finished = context.at(days, "02:00") + timedelta(seconds=6)
    return AnalyticsEvent(
        name="export.finished", source="api", properties=properties, occurred_at=finished, user_id=team.admin.id
    )


def _sign_ins(team: Team) -> Iterator[AnalyticsActivity]:
    """Every working day, and at last when the user row says."""
    for user in team.everybody:
        last = user.last_login_at
        assert last is not None  # noqa: S101 - people.make sets it
        for days in range(DAYS - 1, -1, -1):
            time = last - timedelta(days=days)
            if days == 0 or time.weekday() < SATURDAY:
                yield _activity(user, "SSO_LOGIN", {"source": "teams"}, time)


def _activities(context: Context, team: Team, canvas: AiArtifact) -> Iterator[AnalyticsActivity]:
    view = {"canvasId": str(canvas.id), "source": "web"}
    approval = {"decision": "approved", "source": "teams"}
    kinds = (("BOT_MESSAGE", TEAMS_SOURCE), ("CANVAS_VIEW", view))
    for moment in _at_work(context, team, busy=3):
        kind, details = context.random.choice(kinds)
        yield _activity(moment.user, kind, details, moment.time)
    for days in (24, 17, 10):
        yield _activity(team.owner, "APPROVAL_ACTION", approval, context.at(days, "15:45"))


def _activity(user: AuthUser, kind: str, details: dict[str, Any], time: datetime) -> AnalyticsActivity:
    return AnalyticsActivity(user_id=user.id, activity_type=kind, metadata_=details, occurred_at=time)
