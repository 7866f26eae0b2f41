"""flask plugins: lists the plugins that are loaded, and removes what one that is gone has left."""

from __future__ import annotations

from typing import Any

import click
from flask.cli import with_appcontext

from app import plugins
from app.commands.groups import Group, as_json, show
from app.engine.declare.principal import SYSTEM
from app.engine.declare.record import Record
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import require_found
from app.foundation.settings import settings
from app.ops import moved_imports, public_names
from app.schema import histories
from config import listed

COLUMNS = ("name", "version", "brings")


@click.group("plugins", cls=Group, invoke_without_command=True)
@as_json
@click.pass_context
@with_appcontext
def group(context: click.Context, as_json: bool) -> None:
    """List the plugins that are loaded, with what each brings."""
    if context.invoked_subcommand is None:
        loaded = plugins.load(settings.plugin_names, listed(settings.domains))
        show([_row(plugin, as_json) for plugin in loaded], as_json, COLUMNS)


def _row(plugin: plugins.Plugin, as_json: bool) -> dict[str, Any]:
    brought = plugin.names()
    counts = ", ".join(f"{len(names)} {kind}" for kind, names in brought.items())
    return {"name": plugin.name, "version": plugin.version, "brings": brought if as_json else counts}


@group.command("drop")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
def drop(name: str, yes: bool) -> None:
    """Remove the tables of the plugin NAME, which is not loaded any more, with all rows in them."""
    if any(each.plugin == name for each in histories.OF_PLUGINS):
        raise click.ClickException(f"The plugin {name} is loaded: take it out of PLUGINS first")
    orphaned = next((each for each in histories.orphaned_plugins() if each.plugin == name), None)
    left = require_found(orphaned, click.ClickException(f"No plugin {name} has left tables"))
    tables = ", ".join(left.tables) or "no tables"
    if not yes:
        click.confirm(f"Remove {tables} of {name}, with all rows in them", abort=True)
    run_unit(SYSTEM, lambda unit: histories.drop(left, driver_connection(unit.session)))
    click.echo(f"{tables} of {name} are removed")


@group.command("check")
@click.option("--fix", is_flag=True, help="Rewrite imports of what is going to where it is now.")
@with_appcontext
def check(fix: bool) -> None:
    """Name what the plugins that PLUGINS names use of Rowgate that is gone, going, or private, and their models whose
    lists no index serves."""
    theirs = [each for each in plugins.load(settings.plugin_names, listed(settings.domains)) if not each.is_ours]
    if fix:
        for file in moved_imports.fix(theirs):
            click.echo(f"{file} is rewritten")
    found = [str(use) for plugin in theirs for use in public_names.uses(plugin)]
    found += [
        f"{model.qualified_name()}: no index serves the rows of its policy, so each list reads all rows"
        for plugin in theirs
        for model in plugin.tables()
        if issubclass(model, Record) and not model.policy.scope.has_index
    ]
    for line in found:
        click.echo(line)
    if found:
        raise SystemExit(1)
    click.echo("Every name that is used is public")
