"""Meetings that the bot knows of: what the events said, who sees them, and the reminder before they start."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.clock import now
from app.database import transaction
from app.errors import MeetingNotFound
from app.models.internal import IntegrationTeamsMeeting
from app.models.notification import NotificationNotification, NotificationPreference
from app.notifications import notify_all
from app.principal import Principal
from app.teams.times import moment_of

USUAL_LEAD: int = NotificationPreference.fields()["meeting_lead_minutes"].wire.default
STARTING = "MEETING_STARTING"
# The most that anybody wants to be told ahead, and how late a reminder still makes sense.
AHEAD, LATE = timedelta(minutes=120), timedelta(minutes=5)

Meeting = IntegrationTeamsMeeting


def happened(
    session: Session,
    tenant_id: str,
    value: Mapping[str, Any],
    meeting_id: str,
    what: str,
    at: datetime,
    who: UUID | None,
) -> None:
    """Take note of the ``Start`` or the ``End`` of a meeting, as an event told it, and tell its people of a start."""
    if not meeting_id:
        return
    values = {
        "subject": _text(value.get("Title"), 300), "type": _text(value.get("MeetingType"), 64),
        "join_web_url": _text(value.get("JoinUrl"), 2048), "start_date_time": moment_of(value.get("StartTime")),
        "end_date_time": moment_of(value.get("EndTime")),
    }  # fmt: skip
    known = {name: found for name, found in values.items() if found is not None}
    fresh = insert(Meeting).values(id=uuid7(), tenant_id=tenant_id, teams_meeting_id=meeting_id[:512], **known)
    session.execute(fresh.on_conflict_do_nothing(index_elements=["tenant_id", "teams_meeting_id"]))
    named = (Meeting.tenant_id == tenant_id, Meeting.teams_meeting_id == meeting_id[:512])
    meeting = session.scalars(select(Meeting).where(*named).with_for_update()).one()
    for name, found in known.items():
        setattr(meeting, name, found)
    if who is not None and str(who) not in meeting.participant_ids:
        meeting.participant_ids = [*meeting.participant_ids, str(who)]
    if what == "Start" and meeting.status == "scheduled":
        meeting.status, meeting.actual_start_date_time = "inProgress", at
        _tell(session, meeting, [UUID(each) for each in meeting.participant_ids], "has started")
    elif what == "End" and meeting.status in ("scheduled", "inProgress"):
        meeting.status, meeting.actual_end_date_time = "ended", at


def remind() -> None:
    """Tell the people of meetings that are about to start, each as long before as they wish, once."""
    soon = (Meeting.start_date_time > now() - LATE, Meeting.start_date_time <= now() + AHEAD)
    with transaction() as session:
        for meeting in session.scalars(select(Meeting).where(Meeting.status == "scheduled", *soon).with_for_update()):
            due = [user_id for user_id in _untold(session, meeting) if _is_due(session, meeting, user_id)]
            _tell(session, meeting, due, "is about to start")
            if due:
                meeting.reminder_sent_at = now()


def find(
    principal: Principal, take: int, skip: int, *, since: datetime | None, until: datetime | None, status: str | None
) -> tuple[list[Meeting], int]:
    """A page of the meetings that the caller sees, newest first, and how many match."""
    conditions = [_seen_by(principal)]
    if since is not None:
        conditions.append(Meeting.start_date_time >= since)
    if until is not None:
        conditions.append(Meeting.start_date_time < until)
    if status is not None:
        conditions.append(Meeting.status == status)
    order = (Meeting.start_date_time.desc().nulls_last(), Meeting.id.desc())
    with transaction() as session:
        count = session.scalar(select(func.count()).select_from(Meeting).where(*conditions)) or 0
        found = session.scalars(select(Meeting).where(*conditions).order_by(*order).limit(take).offset(skip)).all()
        session.expunge_all()
    return list(found), count


def read(principal: Principal, identifier: UUID) -> Meeting:
    """One meeting; raises MeetingNotFound for one that is absent or not the caller's."""
    with transaction() as session:
        meeting = session.scalar(select(Meeting).where(Meeting.id == identifier, _seen_by(principal)))
        session.expunge_all()
    if meeting is None:
        raise MeetingNotFound()
    return meeting


def _seen_by(principal: Principal) -> ColumnElement[bool]:
    if principal.is_admin:
        return Meeting.id.is_not(None)
    return Meeting.participant_ids.contains([str(principal.user_id)]) | (Meeting.organizer_id == principal.user_id)


def _tell(session: Session, meeting: Meeting, user_ids: list[UUID], how: str) -> None:
    title = f"{meeting.subject or 'A meeting'} {how}"
    data = {"meetingId": str(meeting.id), "joinWebUrl": meeting.join_web_url}
    notify_all(session, user_ids, STARTING, title, data=data)


def _untold(session: Session, meeting: Meeting) -> list[UUID]:
    about = NotificationNotification.data["meetingId"].astext == str(meeting.id)
    told = select(NotificationNotification.user_id).where(NotificationNotification.type == STARTING, about)
    return sorted({UUID(each) for each in meeting.participant_ids} - set(session.scalars(told)))


def _is_due(session: Session, meeting: Meeting, user_id: UUID) -> bool:
    wanted = select(NotificationPreference.meeting_lead_minutes).where(NotificationPreference.user_id == user_id)
    lead = session.scalar(wanted)
    minutes = USUAL_LEAD if lead is None else lead
    return meeting.start_date_time is not None and meeting.start_date_time - timedelta(minutes=minutes) <= now()


def _text(value: Any, most: int) -> str | None:
    return value[:most] if isinstance(value, str) and value else None
