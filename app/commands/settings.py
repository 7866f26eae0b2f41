"""flask settings: lists every setting, those of plugins with them."""

from __future__ import annotations

import click
from flask.cli import with_appcontext

from app import plugins
from app.commands.groups import Command, as_json, show
from app.foundation.errors import require_found
from app.foundation.settings import settings
from config import every_setting, listed

COLUMNS = ("variable", "default", "purpose")


@click.command("settings", cls=Command)
@click.option("--plugin", metavar="NAME", help="Only those of this plugin.")
@click.option("--markdown", is_flag=True, help="As a table for the plugin's documentation.")
@as_json
@with_appcontext
def command(plugin: str | None, markdown: bool, as_json: bool) -> None:
    """List every setting with its default and what it is for; values are not shown, as some are secrets."""
    names = None if plugin is None else _names_of(plugin)
    found = [dict(zip(COLUMNS, each, strict=True)) for each in every_setting() if names is None or each[0] in names]
    if markdown:
        lines = ["| Variable | Default | Purpose |", "| --- | --- | --- |"]
        lines += [f"| `{each['variable']}` | {_code(each['default'])} | {each['purpose']} |" for each in found]
        click.echo("\n".join(lines))
    else:
        show(found, as_json, COLUMNS)


def _names_of(plugin: str) -> set[str]:
    """The settings of a plugin."""
    loaded = plugins.load(settings.plugin_names, listed(settings.domains))
    owner = require_found(
        next((each for each in loaded if each.name == plugin), None),
        click.ClickException(f"No plugin is called {plugin}"),
    )
    return {each.name.upper() for each in owner.settings}


def _code(value: object) -> str:
    return "empty" if value == "" else f"`{value}`"
