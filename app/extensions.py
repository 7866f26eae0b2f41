"""The extensions, unbound: the factory binds them to an application."""

from __future__ import annotations

from alembic.script import ScriptDirectory
from flask import current_app
from flask_migrate import Migrate
from flask_sqlalchemy import SQLAlchemy

# The name of a second pool on the same database, whose connections commit by themselves.
READS = "reads"

db = SQLAlchemy(session_options={"expire_on_commit": False})
migrate = Migrate()


def history() -> ScriptDirectory:
    """The migrations of this release, from the first to the head."""
    return ScriptDirectory.from_config(current_app.extensions["migrate"].migrate.get_config())
