"""The list of commands that the factory adds to the application: the service's own, and those of plugins."""

from __future__ import annotations

from flask import Flask

from app import plugins
from app.commands import (
    add,
    backup,
    doctor,
    export,
    import_,
    jobs,
    migrations,
    new,
    query,
    reload,
    resources,
    serve,
    settings,
)
from app.commands import plugins as plugin_list
from config import SettingError

OWN = (
    jobs.group, query.group, plugin_list.group, backup.backup, backup.restore, doctor.command, resources.command,
    serve.command, reload.command, export.command, import_.command, migrations.group, new.command, add.group,
    settings.command,
)  # fmt: skip


def register(app: Flask, loaded: tuple[plugins.Plugin, ...]) -> None:
    """Add every command to ``app``."""
    for command in OWN:
        app.cli.add_command(command)
    owners = dict.fromkeys(app.cli.commands, "Rowgate")
    for plugin in loaded:
        for command in map(plugins.resolve, plugin.commands):
            if command.name in owners:
                raise SettingError(
                    f"{owners[command.name]} and the plugin {plugin.name} both bring commands {command.name}"
                )
            owners[command.name] = f"The plugin {plugin.name}"
            app.cli.add_command(command)
