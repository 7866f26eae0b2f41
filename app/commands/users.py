"""flask users: make, promote, ban and list accounts."""

from __future__ import annotations

from typing import Any

import click
from sqlalchemy import select

from app import users
from app.commands.groups import Group, as_json, show
from app.database import transaction
from app.models.auth.identity import AuthUser

group = Group("users", help="Make and govern accounts.")
COLUMNS = ("id", "email", "name", "role", "banned", "createdAt")


@group.command()
@click.option("--email", required=True)
@click.password_option(help="8 to 128 characters; asked for unless given.")
@click.option("--name", help="The part of the address before the at sign, unless said.")
@click.option("--admin", is_flag=True, help="Make a platform admin.")
@as_json
def create(email: str, password: str, name: str | None, admin: bool, as_json: bool) -> None:
    """Make an account with a verified address and a personal organization."""
    with transaction() as session:
        user = users.register(session, email=email, password=password, name=name, admin=admin)
        shown = described(user)
    show(shown, as_json, COLUMNS)


@group.command()
@click.argument("email")
@as_json
def promote(email: str, as_json: bool) -> None:
    """Make the user a platform admin."""
    with transaction() as session:
        user = users.by_email(session, email)
        users.promote(session, user)
        shown = described(user)
    show(shown, as_json, COLUMNS)


@group.command()
@click.argument("email")
@click.option("--reason")
@as_json
def ban(email: str, reason: str | None, as_json: bool) -> None:
    """Refuse every credential of the user from the next request on."""
    with transaction() as session:
        user = users.by_email(session, email)
        users.ban(session, user, reason)
        shown = described(user)
    show(shown, as_json, COLUMNS)


@group.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List the accounts, newest first."""
    with transaction() as session:
        found = [described(user) for user in session.scalars(select(AuthUser).order_by(AuthUser.created_at.desc()))]
    show(found, as_json, COLUMNS)


def described(user: AuthUser) -> dict[str, Any]:
    return {
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "role": user.role,
        "banned": user.banned,
        "createdAt": user.created_at,
    }
