"""Invoke activities: their sender waits for the answer, which the Teams client shows."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.ai_agent.models import AiAgentDeliverable
from app.analytics.models import AnalyticsActivity
from app.auth.accounts.users import require_user_principal
from app.engine.declare.principal import SYSTEM
from app.engine.read import records
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Failure, Unavailable
from app.teams.activities import record, tenant_of
from app.teams.conversations import thread_of
from app.teams.people import user_of
from app.teams.reading import Json, part

MESSAGE = "application/vnd.microsoft.activity.message"
ERROR = "application/vnd.microsoft.error"
DECISIONS = {"approve": "approved", "requestChanges": "changes_requested"}
SINCE = "It was decided about since."
DECIDED = {"approved": "Approved", "changes_requested": "Changes requested"}
UNKNOWN_PERSON = "Sign in to the service with Microsoft first."


def answer(activity: Json, came_at: datetime | None) -> dict[str, Any] | None:
    """The answer to an invoke, which for a repeated one ``came_at`` for the first time; None for one that is not known
    here."""
    name = activity.get("name")
    if name == "adaptiveCard/action":
        # Faults are told in the body: the transport went well.
        return _carry_out(activity, part(part(activity, "value"), "action"), came_at)
    if name in ("task/fetch", "task/submit"):
        return {"task": {"type": "message", "value": "There is nothing to fill in."}}
    if name in ("signin/verifyState", "signin/tokenExchange"):
        return {}
    return None


def press(activity: Json, pressed_at: datetime) -> None:
    """Carry out what a button says that came as a message, unless the work was decided about since; raises Unavailable
    where that has to be tried again."""
    value = part(activity, "value")
    response = _carry_out(activity, {"verb": value.get("verb"), "data": value}, pressed_at)
    if response["statusCode"] >= 500:
        raise Unavailable()


def _carry_out(activity: Json, action: Json, pressed_at: datetime | None) -> dict[str, Any]:
    if not isinstance(action.get("verb"), str):
        return _fault(400, "BadRequest", "The action names no verb.")
    with reading() as session:
        user_id = user_of(session, tenant_of(activity), activity.get("from"))
    if user_id is None:
        return _fault(403, "Forbidden", UNKNOWN_PERSON)
    decision = DECISIONS.get(action["verb"])
    if decision is None:
        run_unit(SYSTEM, _note_once, user_id, activity, action["verb"][:100])
        return _message("Noted.")
    return _decide(user_id, part(action, "data"), decision, pressed_at)


def _note_once(unit: Unit, user_id: UUID, activity: Json, verb: str) -> None:
    """Record that somebody pressed a button of a card; Teams may tell it several times, under several ids."""
    about = f"{thread_of(activity)} {activity.get('replyToId')} {verb}"
    known = AnalyticsActivity.metadata_["action"].astext == about
    pressed = select(AnalyticsActivity.id).where(AnalyticsActivity.user_id == user_id, known)
    unit.lock(f"actions of {user_id}")
    if unit.session.scalar(pressed.limit(1)) is None:
        record(unit, user_id, "APPROVAL_ACTION", {"verb": verb, "action": about, "source": "teams"})


def _decide(user_id: UUID, data: Json, decision: str, pressed_at: datetime | None) -> dict[str, Any]:
    """Decide about an agent's work in the name of whoever pressed the button. The same decision again is no other."""
    try:
        identifier = UUID(str(data.get("deliverableId")))
        principal = require_user_principal(user_id)
        work = records.get(AiAgentDeliverable, principal, identifier)
        decided_at: datetime | None = work["decidedAt"]
        is_later = pressed_at is not None and decided_at is not None and decided_at > pressed_at
        if work["status"] != decision and not is_later:
            changes = {"status": decision} | ({"decision_note": note} if (note := _note(data)) else {})
            run_unit(principal, Unit.update, AiAgentDeliverable, identifier, changes)
    except ValueError:
        return _fault(400, "BadRequest", "The action names no work.")
    except Failure as failure:
        return _fault(failure.status, failure.code, failure.text)
    # Told again after somebody decided otherwise, it says what holds now.
    return _message(DECIDED.get(work["status"], SINCE) if is_later else DECIDED[decision])


def _note(data: Json) -> str | None:
    note = data.get("note")
    return note[:2000] if isinstance(note, str) and note.strip() else None


def _message(text: str) -> dict[str, Any]:
    return {"statusCode": 200, "type": MESSAGE, "value": text}


def _fault(status: int, code: str, message: str) -> dict[str, Any]:
    return {"statusCode": 400 if status < 500 else 500, "type": ERROR, "value": {"code": code, "message": message}}
