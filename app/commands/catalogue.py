"""The list of commands that the factory adds to the application."""

from __future__ import annotations

from flask import Flask

from app.commands import flags, jobs, keys, resources, serve, sessions, teams, users


def register(app: Flask) -> None:
    """Add every command to ``app``."""
    for command in (
        users.group,
        keys.group,
        sessions.group,
        flags.group,
        jobs.group,
        teams.group,
        resources.command,
        serve.command,
    ):
        app.cli.add_command(command)
