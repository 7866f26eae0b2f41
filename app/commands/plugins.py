"""flask plugins: lists the loaded plugins with their versions and contents."""

from __future__ import annotations

from typing import Any

import click
from flask import current_app
from flask.cli import with_appcontext

from app import plugins
from app.commands.groups import Command, as_json, show
from app.plugins import Plugin

COLUMNS = ("name", "version", "brings")


@click.command("plugins", cls=Command)
@as_json
@with_appcontext
def command(as_json: bool) -> None:
    """List the plugins that are loaded, with what each brings."""
    loaded = plugins.load(current_app.config["SETTINGS"].plugin_names)
    show([_row(plugin, as_json) for plugin in loaded], as_json, COLUMNS)


def _row(plugin: Plugin, as_json: bool) -> dict[str, Any]:
    brought = plugin.names()
    counts = ", ".join(f"{len(names)} {kind}" for kind, names in brought.items())
    return {"name": plugin.name, "version": plugin.version, "brings": brought if as_json else counts}
