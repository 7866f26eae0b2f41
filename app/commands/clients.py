"""flask clients: register clients, list those that people have connected, and revoke connections."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import click

from app.auth.clients import connections, registry
from app.commands.groups import Group, as_json, show
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit

group = Group("clients", help="Govern the clients that people connect.")
COLUMNS = ("id", "name", "clientId", "userId", "scopes", "createdAt", "lastUsedAt")


@group.command()
@click.argument("name")
@click.option("--redirect", "redirects", multiple=True, required=True, help="Where browsers come back; repeatable.")
@as_json
def register(*, name: str, redirects: tuple[str, ...], as_json: bool) -> None:
    """Register a client that has no metadata document, and show its id."""
    made = run_unit(SYSTEM, registry.register, name, redirects)
    show(
        {"clientId": made.client_id, "name": made.name, "redirectUris": made.redirect_uris},
        as_json,
        ("clientId", "name"),
    )


@group.command("list")
@as_json
def list_clients(*, as_json: bool) -> None:
    """List the clients that people have connected."""
    show([_row(each) for each in connections.of_everybody()], as_json, COLUMNS)


@group.command()
@click.argument("connection_id", type=click.UUID)
def revoke(*, connection_id: UUID) -> None:
    """End a connection: its tokens are refused from the next call on."""
    run_unit(SYSTEM, connections.disconnect, connection_id)
    click.echo(f"{connection_id} is disconnected")


def _row(connection: connections.Connection) -> dict[str, Any]:
    key, client = connection.key, connection.client
    return {
        "id": key.id, "name": client.name, "clientId": client.client_id, "userId": key.user_id, "scopes": key.scopes,
        "createdAt": key.created_at, "lastUsedAt": key.last_used_at,
    }  # fmt: skip
