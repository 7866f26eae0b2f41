"""Meetings that the bot knows: their state, their participants, and reminders."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, func, select, true
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.auth.models.identity import AuthUser
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Failure, Forbidden, require_found
from app.notification.models import NotificationPreference
from app.notification.routing import default_of, notify_all
from app.teams.errors import MeetingNotFound
from app.teams.models import IntegrationTeamsMeeting as Meeting
from app.teams.reading import moment_of, plain

USUAL_LEAD: int = default_of("meeting_lead_minutes")
STARTING = "MEETING_STARTING"
# The most that anybody wants to be told ahead, and how late a reminder still makes sense.
AHEAD, LATE = timedelta(minutes=120), timedelta(minutes=5)

log = logging.getLogger(__name__)


def happened(
    unit: Unit,
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
        "subject": plain(value.get("Title"), 300), "type": plain(value.get("MeetingType"), 64),
        "join_web_url": plain(value.get("JoinUrl"), 2048), "start_date_time": moment_of(value.get("StartTime")),
        "end_date_time": moment_of(value.get("EndTime")), "chat_id": value.get("chatId"),
    }  # fmt: skip
    known = {name: found for name, found in values.items() if found is not None}
    fresh = insert(Meeting).values(id=uuid7(), tenant_id=tenant_id, teams_meeting_id=meeting_id[:512], **known)
    unit.bookkeep(fresh.on_conflict_do_nothing(index_elements=["tenant_id", "teams_meeting_id"]))
    named = (Meeting.tenant_id == tenant_id, Meeting.teams_meeting_id == meeting_id[:512])
    meeting = unit.session.scalars(select(Meeting).where(*named).with_for_update()).one()
    for name, found in known.items():
        setattr(meeting, name, found)
    if who is not None and str(who) not in meeting.participant_ids:
        meeting.participant_ids = [*meeting.participant_ids, str(who)]
    # A meeting that recurs has one identifier for all of its occurrences.
    again = meeting.status == "ended" and meeting.actual_end_date_time is not None and at > meeting.actual_end_date_time
    if what == "Start" and (meeting.status == "scheduled" or again):
        meeting.status, meeting.actual_start_date_time, meeting.actual_end_date_time = "inProgress", at, None
        _tell(unit, meeting, [user_id for user_id, _ in _people(unit.session, meeting)], "has started")
    elif what == "End" and meeting.status in ("scheduled", "inProgress"):
        meeting.status, meeting.actual_end_date_time = "ended", at


def remind() -> None:
    """Tell the people of meetings that are about to start, each as long before as they wish, once."""
    soon = (Meeting.start_date_time > now() - LATE, Meeting.start_date_time <= now() + AHEAD)
    with reading() as session:
        waiting = session.scalars(select(Meeting.id).where(Meeting.status == "scheduled", *soon)).all()
    for meeting_id in waiting:
        try:
            run_unit(SYSTEM, _remind_of, meeting_id)
        except Failure as failure:
            log.warning("People of meeting %s were not reminded: %s", meeting_id, failure.text)


def _remind_of(unit: Unit, meeting_id: UUID) -> None:
    meeting = unit.session.get(Meeting, meeting_id, with_for_update={"skip_locked": True})
    if meeting is None or meeting.status != "scheduled" or meeting.start_date_time is None:
        return
    due = []
    for user_id, lead in _people(unit.session, meeting):
        moment = meeting.start_date_time - timedelta(minutes=USUAL_LEAD if lead is None else lead)
        # Whoever was to be told before the last reminder has been told by it.
        if moment <= now() and (meeting.reminder_sent_at is None or moment > meeting.reminder_sent_at):
            due.append(user_id)
    if due:
        _tell(unit, meeting, due, "is about to start")
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
    with reading() as session:
        count = session.scalar(select(func.count()).select_from(Meeting).where(*conditions)) or 0
        found = session.scalars(select(Meeting).where(*conditions).order_by(*order).limit(take).offset(skip)).all()
    return list(found), count


def read(principal: Principal, identifier: UUID) -> Meeting:
    """One meeting; raises MeetingNotFound for one that is absent or not the caller's."""
    with reading() as session:
        seen = select(Meeting).where(Meeting.id == identifier, _seen_by(principal))
        return require_found(session.scalar(seen), MeetingNotFound)


def _seen_by(principal: Principal) -> ColumnElement[bool]:
    if principal.user_id is None:
        raise Forbidden()
    if principal.is_admin:
        return true()
    return Meeting.participant_ids.contains([str(principal.user_id)]) | (Meeting.organizer_id == principal.user_id)


def _tell(unit: Unit, meeting: Meeting, user_ids: list[UUID], how: str) -> None:
    title = f"{meeting.subject or 'A meeting'} {how}"
    notify_all(unit, user_ids, STARTING, title, data={"meetingId": str(meeting.id), "joinWebUrl": meeting.join_web_url})


def _people(session: Session, meeting: Meeting) -> Sequence[Any]:
    """The participants who are still users, and how long before a meeting they want to be told."""
    known = select(AuthUser.id, NotificationPreference.meeting_lead_minutes).join(
        NotificationPreference, NotificationPreference.user_id == AuthUser.id, isouter=True
    )
    return session.execute(known.where(AuthUser.id.in_([UUID(each) for each in meeting.participant_ids]))).all()
