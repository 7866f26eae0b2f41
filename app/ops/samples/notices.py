"""The unread notifications of the sample data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.ai.models.chats import AiArtifact
from app.ai_agent.models import AiAgentDeliverable
from app.analytics.models import AnalyticsInsight
from app.auth.models.identity import AuthUser
from app.engine.declare.record import Record
from app.notification.models import NotificationNotification
from app.notification.routing import default_of
from app.ops.samples.context import Context
from app.ops.samples.people import Team


@dataclass(frozen=True)
class Subjects:
    """What there is to tell."""

    deliverable: AiAgentDeliverable
    insight: AnalyticsInsight
    canvas: AiArtifact


def make(context: Context, team: Team, about: Subjects) -> None:
    """Tell the managers of the insight, the approver of the work, and the colleagues of each other."""
    for manager in (team.owner, team.admin):
        notice = _notice(manager, "INSIGHT_READY", about.insight.title, about.insight.summary)
        _send(context, team, _linked(notice, "insightId", about.insight), about.insight.created_at)
    request = _notice(team.owner, "APPROVAL_REQUEST", "A proposal waits for you", about.deliverable.title, team.member)
    _send(context, team, _linked(request, "deliverableId", about.deliverable), context.at(1, "15:07"))
    body = "Your proposal is nearly there; see what I wrote on it."
    message = _notice(team.member, "MESSAGE", f"{team.admin.name} wrote to you", body, team.admin)
    _send(context, team, _linked(message, "deliverableId", about.deliverable), context.at(1, "16:21"))
    told = f"{team.member.name} mentioned you"
    mention = _notice(team.admin, "CANVAS_MENTION", told, about.canvas.title, team.member)
    _send(context, team, _linked(mention, "canvasId", about.canvas), context.at(1, "16:48"))


def _notice(
    receiver: AuthUser, kind: str, title: str, body: str, actor: AuthUser | None = None
) -> NotificationNotification:
    actor_id = actor.id if actor else None
    return NotificationNotification(user_id=receiver.id, type=kind, title=title, body=body, actor_id=actor_id)


def _linked(notice: NotificationNotification, name: str, subject: Record) -> NotificationNotification:
    notice.data = {name: str(subject.id), "link": f"{subject.collection_path()}/{subject.id}"}
    return notice


def _send(context: Context, team: Team, notice: NotificationNotification, sent: datetime) -> None:
    notice.organization_id = team.organization.id
    notice.channels = [name for name, enabled in default_of("channels").items() if enabled]
    notice.delivery_status, notice.delivered_at = "delivered", sent
    context.store(notice, sent)
