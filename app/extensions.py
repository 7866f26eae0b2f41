"""The extensions, unbound: the factory binds them to an application."""

from __future__ import annotations

from flask_migrate import Migrate
from flask_sqlalchemy import SQLAlchemy

# The name of a second pool on the same database, whose connections commit by themselves.
READS = "reads"

db = SQLAlchemy(session_options={"expire_on_commit": False})
migrate = Migrate()
