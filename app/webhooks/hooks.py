"""What ends with others: the endpoints of a member who leaves, and what was sent of records that are purged."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import delete

from app.auth.models.organizations import AuthMember
from app.engine.changes.purging import purged
from app.engine.read.statements import driver_connection
from app.engine.write.hooks import Write, on_delete
from app.engine.write.unit_of_work import Unit
from app.webhooks.models import IntegrationWebhookEndpoint

# An attempt that is under way brings nothing back: it is no longer the one that was claimed.
FORGET = """
UPDATE integration_webhook_delivery SET payload = '{}', response_excerpt = NULL,
    attempts = attempts + (status = 'delivering' AND attempts < 100)::int
WHERE record_id = ANY (%(ids)s)
"""


@on_delete(AuthMember)
def remove_endpoints(member: AuthMember, write: Write) -> None:
    """Remove the endpoints of a member who leaves."""
    endpoint = IntegrationWebhookEndpoint
    own = (endpoint.user_id == member.user_id, endpoint.organization_id == member.organization_id)
    write.unit.bookkeep(delete(endpoint).where(*own))


@purged.subscribe
def forget(unit: Unit, record_ids: list[UUID]) -> None:
    """Forget what was sent of records, and what was answered."""
    driver_connection(unit.session).execute(FORGET, {"ids": record_ids})
