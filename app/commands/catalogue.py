"""The list of commands that the factory adds to the application."""

from __future__ import annotations

from flask import Flask

from app.commands import backup, doctor, flags, jobs, keys, resources, serve, sessions, teams, users


def register(app: Flask) -> None:
    """Add every command to ``app``."""
    groups = (users.group, keys.group, sessions.group, flags.group, jobs.group, teams.group)
    for command in (*groups, backup.backup, backup.restore, doctor.command, resources.command, serve.command):
        app.cli.add_command(command)
