"""flask gadgets: what there is."""

from __future__ import annotations

import click
from flask.cli import with_appcontext
from gadgets.models import Gadget
from sqlalchemy import func, select

from rowgate import reading
from rowgate.commands import Command


@click.command("gadgets", cls=Command)
@with_appcontext
def command() -> None:
    """Count all gadgets."""
    with reading() as session:
        click.echo(f"{session.scalar(select(func.count()).select_from(Gadget))} gadgets")
