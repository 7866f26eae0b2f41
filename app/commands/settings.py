"""flask settings: lists every setting, those of plugins with them."""

from __future__ import annotations

import click
from flask.cli import with_appcontext

from app.commands.groups import Command, as_json, show
from config import every_setting

COLUMNS = ("variable", "default", "purpose")


@click.command("settings", cls=Command)
@as_json
@with_appcontext
def command(as_json: bool) -> None:
    """List every setting with its default and what it is for; values are not shown, as some are secrets."""
    show([dict(zip(COLUMNS, each, strict=True)) for each in every_setting()], as_json, COLUMNS)
