"""What is kept of what was sent."""

from __future__ import annotations

from sqlalchemy import func, select

from app.teams.models import IntegrationInboundEvent
from app.testing.database import transaction

WEBHOOK = "/api/integrations/teams/webhooks"


def stored(teams, **values):
    """How many events are kept with these values."""
    with teams.app_context(), transaction() as session:
        wanted = [getattr(IntegrationInboundEvent, name) == value for name, value in values.items()]
        return session.scalar(select(func.count()).select_from(IntegrationInboundEvent).where(*wanted))


def key_of(activity):
    return f"bot:msteams:{activity['conversation']['id']}:{activity['id']}"
