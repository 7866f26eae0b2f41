"""The list of commands that the factory adds to the application: the service's own, and those of plugins."""

from __future__ import annotations

from flask import Flask
from flask_migrate.cli import db as migrations

from app import plugins
from app.commands import backup, doctor, export, import_, jobs, query, resources, search_indexes, serve
from app.commands import plugins as plugin_list
from app.plugins import Plugin

OWN = (
    jobs.group, query.group, plugin_list.command, backup.backup, backup.restore, doctor.command, resources.command,
    serve.command, export.command, import_.command,
)  # fmt: skip


def register(app: Flask, loaded: tuple[Plugin, ...]) -> None:
    """Add every command to ``app``."""
    for command in (*OWN, *(plugins.resolve(name) for plugin in loaded for name in plugin.commands)):
        app.cli.add_command(command)
    migrations.add_command(search_indexes.command)
