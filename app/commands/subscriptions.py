"""flask teams subscriptions: manages the change notifications of Microsoft Graph."""

from __future__ import annotations

from uuid import UUID

import click
from sqlalchemy import select

from app.commands.groups import Group, as_json, show
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import run_unit
from app.teams import subscriptions
from app.teams.models import IntegrationGraphSubscription

group = Group("subscriptions", help="Subscribe to change notifications of Microsoft Graph.")
COLUMNS = ("id", "tenantId", "resource", "changeType", "status", "expiresAt", "lastEventAt")


@group.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List the subscriptions that are kept up."""
    with reading() as session:
        shown = [
            {
                "id": row.id, "tenantId": row.tenant_id, "resource": row.resource, "changeType": row.change_type,
                "status": row.status, "expiresAt": row.expires_at, "lastEventAt": row.last_event_at,
            }
            for row in session.scalars(select(IntegrationGraphSubscription).order_by(IntegrationGraphSubscription.id))
        ]  # fmt: skip
    show(shown, as_json, COLUMNS)


@group.command()
@click.argument("resource")
@click.option("--tenant", type=click.UUID, required=True, help="The tenant that the resource is in.")
@click.option("--changes", default="created,updated", show_default=True, help="Which changes to hear of.")
@click.option("--certificate", help="Have the content sent, encrypted for {certificate}.pem of TEAMS_CERTIFICATES.")
def add(resource: str, tenant: UUID, changes: str, certificate: str | None) -> None:
    """Subscribe to RESOURCE, such as /teams/{id}/channels/{id}/messages; the worker renews it from then on."""
    made = subscriptions.subscribe(subscriptions.Wanted(str(tenant), resource, changes, certificate))
    click.echo(f"Subscription {made} is made")


@group.command()
@click.argument("identifier", type=click.UUID)
def renew(identifier: UUID) -> None:
    """Have the worker renew a subscription now, or make it anew when Graph has lost it."""
    run_unit(SYSTEM, subscriptions.renew, identifier)
    click.echo(f"Subscription {identifier} will be renewed")


@group.command()
@click.argument("identifier", type=click.UUID)
def remove(identifier: UUID) -> None:
    """End a subscription."""
    subscriptions.unsubscribe(identifier)
    click.echo(f"Subscription {identifier} is ended")
