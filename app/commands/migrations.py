"""flask db: Flask-Migrate's commands, for the trunk and, with --plugin, for the plugins that are loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import click
from flask.cli import with_appcontext
from flask_migrate.cli import db

from app.commands import search_indexes
from app.commands.groups import Group
from app.schema import histories

HEAD = "head"
# Those that go through all histories where none is named.
OF_ALL = ("upgrade", "current", "heads", "check")
# They would make or list folders of migrations of another shape.
LEFT_OUT = ("init", "list-templates")
ONLINE = click.Option(["--online"], is_flag=True, help="Step by step, so that requests go on whatever the size.")


def _asked(plugin: str | None, command: str, revision: str) -> Sequence[histories.History]:
    if plugin is not None:
        try:
            return [histories.of_plugin(plugin)]
        except LookupError:
            known = ", ".join(each.plugin for each in histories.OF_PLUGINS) or "none"
            raise click.ClickException(f"No plugin {plugin} with tables is loaded; those that are: {known}") from None
    return histories.every_history() if command in OF_ALL and revision == HEAD else [histories.TRUNK]


def _of_histories(command: click.Command) -> click.Command:
    """``command`` with --plugin."""
    made, name, plain = copy(command), command.name or "", command.callback
    option = click.Option(["--plugin"], metavar="NAME", help="The migrations of this plugin, not those of Rowgate.")
    made.params = [*command.params, option, *[ONLINE] * (name == "upgrade")]

    @with_appcontext
    def run(plugin: str | None, *, online: bool = False, **given: Any) -> None:
        asked = _asked(plugin, name, given.get("revision") or HEAD)
        if name == "upgrade" and given["revision"] == HEAD and not given["sql"]:
            _upgrade(asked, online=online)
            return
        if online:
            raise click.ClickException("--online goes to the head: give no revision and no --sql")
        for each in asked:
            if len(asked) > 1:
                click.echo(f"{each}:", err=True)
            with histories.active(each):
                _run(name, each, plain, given)

    made.callback = run
    return made


def _upgrade(asked: Sequence[histories.History], *, online: bool) -> None:
    """Upgrade histories to their heads, one after the other, and say what was applied."""
    applied = False
    for each in asked:
        with histories.active(each):
            for line in histories.upgrade([each], online=online):
                click.echo(f"Applied {line}")
                applied = True
    if not applied:
        click.echo("Nothing to apply: the schema is at its head")


def _run(name: str, history: histories.History, plain: Callable[..., Any] | None, given: dict[str, Any]) -> None:
    if name in ("migrate", "revision"):
        if history.folder is not None:
            history.folder.mkdir(exist_ok=True)
        given["rev_id"] = given["rev_id"] or f"{len(list(history.scripts().walk_revisions())) + 1:04}"
    assert plain is not None  # noqa: S101 - every command has one
    plain(**given)


group = Group(db.name, callback=db.callback, params=db.params, help=db.help)
for _command in db.commands.values():
    if _command.name not in LEFT_OUT:
        group.add_command(_of_histories(_command))
group.add_command(search_indexes.command)
