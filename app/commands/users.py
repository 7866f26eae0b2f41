"""flask users: make, promote, ban and list accounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import click
from sqlalchemy import select

from app.auth.accounts import users
from app.auth.models.identity import AuthUser
from app.auth.sign_in.two_factor import enrolment
from app.commands.groups import Group, as_json, show
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit

group = Group("users", help="Make and govern accounts.")
COLUMNS = ("id", "email", "name", "role", "banned", "createdAt")


@group.command()
@click.option("--email", required=True)
@click.password_option(help="Asked for unless given.")
@click.option("--name", help="The part of the address before the at sign, unless said.")
@click.option("--admin", is_flag=True, help="Make a platform admin.")
@as_json
def create(email: str, password: str, name: str | None, admin: bool, as_json: bool) -> None:
    """Make an account with a verified address and a personal organization."""
    user = run_unit(SYSTEM, users.register, email=email, password=password, name=name, admin=admin)
    show(to_dict(user), as_json, COLUMNS)


@group.command()
@click.argument("email")
@as_json
def promote(email: str, as_json: bool) -> None:
    """Make the user a platform admin."""
    _change(users.promote, email, as_json)


@group.command()
@click.argument("email")
@click.option("--reason")
@as_json
def ban(email: str, reason: str | None, as_json: bool) -> None:
    """Refuse every credential of the user from the next request on."""
    _change(users.ban, email, as_json, reason)


@group.command()
@click.argument("email")
@as_json
def unban(email: str, as_json: bool) -> None:
    """Let the user sign in again."""
    _write(email, as_json, banned=False, ban_reason=None, ban_expires=None)


@group.command()
@click.argument("email")
@as_json
def demote(email: str, as_json: bool) -> None:
    """Take the rights of a platform admin away."""
    _write(email, as_json, role="user")


@group.command()
@click.argument("email")
@as_json
def verify(email: str, as_json: bool) -> None:
    """Take the address as proved to be the user's."""
    _change(users.verify, email, as_json)


@group.command("set-password")
@click.argument("email")
@click.password_option(help="Asked for unless given.")
@as_json
def set_password(email: str, password: str, as_json: bool) -> None:
    """Give the user a new password, and end all of their sessions."""
    _change(users.set_password, email, as_json, password)


@group.command("reset-factors")
@click.argument("email")
@as_json
def reset_factors(email: str, as_json: bool) -> None:
    """Take the second factor and the passkeys of the user away, and end all of their sessions."""
    _change(enrolment.reset, email, as_json)


@group.command()
@click.argument("email")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(email: str, yes: bool) -> None:
    """Delete the user with everything that is theirs alone."""
    if not yes:
        click.confirm(f"Delete {email} and everything that is theirs?", abort=True)
    run_unit(SYSTEM, Unit.delete, AuthUser, _id_of(email))
    click.echo(f"{email} is deleted.")


@group.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List the accounts, newest first."""
    with reading() as session:
        found = [to_dict(user) for user in session.scalars(select(AuthUser).order_by(AuthUser.created_at.desc()))]
    show(found, as_json, COLUMNS)


def _write(email: str, as_json: bool, **values: Any) -> None:
    """Change the user with an address as the data API would for an admin, with the same rules."""
    run_unit(SYSTEM, Unit.update, AuthUser, _id_of(email), values)
    with reading() as session:
        shown = to_dict(users.by_email(session, email))
    show(shown, as_json, COLUMNS)


def _id_of(email: str) -> UUID:
    with reading() as session:
        return users.by_email(session, email).id


def _change(change: Callable[..., None], email: str, as_json: bool, *given: Any) -> None:
    """Change the user with an address, and show what became of it."""

    def apply(unit: Unit) -> AuthUser:
        user = users.by_email(unit.session, email)
        change(unit, user, *given)
        return user

    show(to_dict(run_unit(SYSTEM, apply)), as_json, COLUMNS)


def to_dict(user: AuthUser) -> dict[str, Any]:
    return {
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "role": user.role,
        "banned": user.banned,
        "createdAt": user.created_at,
    }
