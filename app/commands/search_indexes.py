"""flask db search-indexes: makes indexes that find text by any part of it."""

from __future__ import annotations

import click
from flask.cli import with_appcontext

from app.commands.groups import Command
from app.ops import search_indexes


@click.command("search-indexes", cls=Command)
@with_appcontext
def command() -> None:
    """Make trigram indexes for contains, startsWith and endsWith; the server needs the extension pg_trgm."""
    for name in search_indexes.make():
        click.echo(name)
