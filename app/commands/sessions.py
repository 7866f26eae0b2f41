"""flask sessions: open a session for scripts and measurements."""

from __future__ import annotations

import click

from app.auth.accounts import users
from app.auth.credentials import sessions
from app.commands.groups import Group, as_json, show
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit

group = Group("sessions", help="Open sessions for scripts.")


@group.command()
@click.option("--user", "email", required=True, help="Address of the user.")
@as_json
def create(email: str, as_json: bool) -> None:
    """Open a session and show its bearer token this once."""
    opened = run_unit(SYSTEM, _open, email)
    row = opened.session
    shown = {"id": row.id, "userId": row.user_id, "expiresAt": row.expires_at, "token": opened.token}
    show(shown, as_json, list(shown))


def _open(unit: Unit, email: str) -> sessions.SignedIn:
    return sessions.open_session(unit, users.by_email(unit.session, email))
