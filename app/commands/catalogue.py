"""The list of commands that the factory adds to the application: the service's own, and those of plugins."""

from __future__ import annotations

import click
from flask import Flask
from flask.cli import AppGroup

from app import plugins
from config import SettingError

OWN = {
    "add": "app.commands.add:group",
    "backup": "app.commands.backup:backup",
    "db": "app.commands.migrations:group",
    "doctor": "app.commands.doctor:command",
    "export": "app.commands.export:command",
    "import": "app.commands.import_:command",
    "jobs": "app.commands.jobs:group",
    "new": "app.commands.new:command",
    "plugins": "app.commands.plugins:group",
    "query": "app.commands.query:group",
    "reload": "app.commands.reload:command",
    "resources": "app.commands.resources:command",
    "restore": "app.commands.backup:restore",
    "serve": "app.commands.serve:command",
    "settings": "app.commands.settings:command",
}


class Commands(AppGroup):
    """The commands of the application. A start needs one of them, so those of the service are loaded when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*OWN, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or nothing where there is none of that name."""
        if cmd_name in OWN:
            command: click.Command = plugins.resolve(OWN[cmd_name])
            return command
        return super().get_command(ctx, cmd_name)


def register(app: Flask, loaded: tuple[plugins.Plugin, ...]) -> None:
    """Add every command to ``app``."""
    app.cli = Commands(app.name, commands=app.cli.commands)
    owners = dict.fromkeys((*OWN, *app.cli.commands), "Rowgate")
    for plugin in loaded:
        for command in map(plugins.resolve, plugin.commands):
            if command.name in owners:
                raise SettingError(
                    f"{owners[command.name]} and the plugin {plugin.name} both bring commands {command.name}"
                )
            owners[command.name] = f"The plugin {plugin.name}"
            app.cli.add_command(command)
