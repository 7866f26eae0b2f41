"""flask plugins: lists the plugins that are loaded, and removes what one that is gone has left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from flask.cli import with_appcontext

from app import plugins
from app.commands.groups import Group, as_json, show
from app.commands.transfers import principal_of
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.declare.record import Record
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import require_found
from app.foundation.settings import settings
from app.ops import moved_imports, plugin_samples, public_names, query_plans
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


FOLDER = click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
USER = click.option("--user", "address", required=True, metavar="ADDRESS", help="Whose records they are.")


@group.command("dump")
@click.argument("name")
@FOLDER
@USER
@with_appcontext
def dump(name: str, folder: Path | None, address: str) -> None:
    """Write what a user has of the models of the plugin NAME as its sample data, into its own FOLDER or another."""
    plugin, place = _sampled(name, folder)
    _tell(plugin_samples.dump(plugin, principal_of(address), place), f"are in {place}")


@group.command("load")
@click.argument("name")
@FOLDER
@USER
@with_appcontext
def load(name: str, folder: Path | None, address: str) -> None:
    """Make the records of the sample data of the plugin NAME, all or none, for a user."""
    plugin, place = _sampled(name, folder)
    _tell(run_unit(principal_of(address), plugin_samples.load, plugin, place), "are made")


def _sampled(name: str, folder: Path | None) -> tuple[plugins.Plugin, Path]:
    found = next((each for each in plugins.load(settings.plugin_names) if each.name == name), None)
    plugin = require_found(found, click.ClickException(f"No plugin is called {name}"))
    if folder is None and not plugin.sample:
        raise click.ClickException(f"The plugin {name} names no folder of sample data: give one")
    return plugin, folder or Path(plugin.sample)


def _tell(counts: dict[str, int], what: str) -> None:
    found = ", ".join(f"{count} {model}" for model, count in counts.items() if count) or "No records"
    click.echo(f"{found} {what}")


@group.command("check")
@click.option("--fix", is_flag=True, help="Rewrite imports of what is going to where it is now.")
@click.option(
    "--costs", "address", metavar="ADDRESS", help="Also say what lists cost this user, on the rows that there are."
)
@with_appcontext
def check(fix: bool, address: str | None) -> None:
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
    if address is not None:
        show(_costs(theirs, principal_of(address)), False, ("list", "cost", "by"))
    if found:
        raise SystemExit(1)
    click.echo("Every name that is used is public")


def _costs(theirs: list[plugins.Plugin], principal: Principal) -> list[dict[str, Any]]:
    """What PostgreSQL expects the plain lists of models to cost, and by which indexes it reads."""
    found = []
    for model in (table for plugin in theirs for table in plugin.tables() if issubclass(table, Record)):
        explained = query_plans.explain(model.qualified_name(), principal)
        by = ", ".join(explained.used) or "reading all rows"
        found.append({"list": model.qualified_name(), "cost": f"{explained.cost:.1f}", "by": by})
    return found
