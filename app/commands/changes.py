"""flask changes: look at the log, write it out, take a transaction back, and remove what the log has of a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import click

from app.commands.groups import Group, as_json, show
from app.engine.changes import purging, undoing
from app.engine.declare.catalogue import find_model
from app.engine.declare.principal import SYSTEM
from app.engine.read.encoding import dumps
from app.engine.read.statements import Statement, autocommit_connection
from app.engine.write.unit_of_work import run_unit

group = Group("changes", help="Look at the log of changes, and take changes back.")
COLUMNS = ("position", "at", "operation", "model", "recordId", "actor", "transaction", "changed")
UNDONE = ("deleted", "changed", "restored", "kept")
BATCH = 1000
WRITTEN = """
SELECT p.position, c.at, c.operation, c.model, c.record_id, c.version, c.actor_type, c.actor_id, c.request_id,
    c.transaction, c.changed, c.image, c.old
FROM platform_change_position AS p JOIN platform_change AS c ON c.xact = p.xact AND c.seq = p.seq AND c.at = p.at
WHERE (%(model)s::text IS NULL OR c.model = %(model)s)
"""
LATEST = Statement(f"{WRITTEN} ORDER BY p.position DESC LIMIT %(take)s", {})
BEHIND = Statement(f"{WRITTEN} AND p.position > %(since)s ORDER BY p.position LIMIT %(take)s", {})
of_model = click.option("--model", help="Only changes of this one, such as crm/contact.")


@group.command()
@of_model
@click.option("--take", default=20, show_default=True, type=click.IntRange(1, 1000))
@as_json
def tail(model: str | None, take: int, as_json: bool) -> None:
    """Show the latest changes, in their order."""
    with autocommit_connection() as connection:
        rows = LATEST.rows(connection, {"model": model, "take": take})
    show([_to_dict(row) for row in reversed(rows)], as_json, COLUMNS)


@group.command()
@of_model
@click.option("--since", default=0, show_default=True, help="Begin behind this position.")
def export(model: str | None, since: int) -> None:
    """Write changes out with their images, one JSON object in a line, in their order."""
    for row in _behind(model, since):
        click.echo(dumps(_to_dict(row) | {"image": row[-2], "old": row[-1]}))


@group.command()
@click.argument("transaction", type=click.UUID)
@as_json
def undo(transaction: UUID, as_json: bool) -> None:
    """Take back all that a transaction has written."""
    done = run_unit(SYSTEM, undoing.undo, transaction, undoing.MAX_UNDONE)
    show({name: getattr(done, name) for name in UNDONE}, as_json, UNDONE)


@group.command()
@click.argument("model")
@click.argument("record_id", type=click.UUID)
def purge(model: str, record_id: UUID) -> None:
    """Remove what the log has of a record that is gone; it can be brought back no more."""
    found = find_model(model)
    if found is None:
        raise click.ClickException(f"There is no model {model}")
    number = run_unit(SYSTEM, purging.purge_record, found, record_id)
    click.echo(f"{number} images removed.")


def _behind(model: str | None, since: int) -> Iterator[tuple[Any, ...]]:
    while True:
        with autocommit_connection() as connection:
            rows = BEHIND.rows(connection, {"model": model, "since": since, "take": BATCH})
        yield from rows
        if len(rows) < BATCH:
            return
        since = rows[-1][0]


def _to_dict(row: tuple[Any, ...]) -> dict[str, Any]:
    position, at, operation, model, record_id, version, actor, actor_id, request_id, transaction, changed, *_ = row
    return {
        "position": position, "at": at, "operation": operation, "model": model, "recordId": record_id,
        "version": version, "actor": actor if actor_id is None else f"{actor} {actor_id}", "requestId": request_id,
        "transaction": transaction, "changed": changed,
    }  # fmt: skip
