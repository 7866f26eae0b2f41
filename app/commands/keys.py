"""flask keys: issue, list, show, rotate and revoke API keys, and draw their use."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, TextIO
from uuid import UUID

import click
from limits import parse
from sqlalchemy import select

from app.auth.accounts import users
from app.auth.keys import api_keys
from app.auth.keys.key_usage import sums
from app.auth.models.keys import AuthApiKey
from app.commands.groups import Group, as_json, show
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.read.grant_parser import parse_grants
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Invalid

group = Group("keys", help="Issue and govern API keys.")
MAX_WIDTH = 50
MAX_REQUESTS, DAY = 100_000, 86_400
COLUMNS = ("id", "name", "start", "scopes", "status", "expiresAt", "lastUsedAt")


@group.command()
@click.option("--user", "email", help="Address of the owner.")
@click.option("--anonymous", is_flag=True, help="A key of nobody, which reads public rows.")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(api_keys.SCOPES), help="Repeatable; read unless said."
)
@click.option("--name")
@click.option("--access", type=click.File(), help="A file with the grants that narrow the key, as JSON.")
@click.option("--expires-in-days", type=click.IntRange(1, 36500), help="90 unless said; 30 for an anonymous key.")
@as_json
def create(
    *,
    email: str | None,
    anonymous: bool,
    scopes: tuple[str, ...],
    name: str | None,
    access: TextIO | None,
    expires_in_days: int | None,
    as_json: bool,
) -> None:
    """Issue a key. Its secret is shown this once."""
    if anonymous == bool(email):
        raise click.UsageError("Name an owner with --user, or say --anonymous.")
    if anonymous and set(scopes) - {"read"}:
        raise click.UsageError("An anonymous key reads and nothing else.")
    grants = _grants(access) if access else None
    life = timedelta(days=expires_in_days) if expires_in_days else None
    if email is None:
        issued = run_unit(
            SYSTEM, api_keys.issue_anonymous, name=name, access=grants, life=life or api_keys.ANONYMOUS_LIFE
        )
    else:
        ends = now() + life if life else None
        issued = run_unit(SYSTEM, _issue, email, scopes or ("read",), name, ends, grants)
    _show_once(issued, as_json)


def _issue(
    unit: Unit, email: str, scopes: tuple[str, ...], name: str | None, ends: datetime | None, access: list[Any] | None
) -> tuple[AuthApiKey, str]:
    owner = users.by_email(unit.session, email)
    return api_keys.issue(unit, owner, scopes=scopes, name=name, expires_at=ends, access=access)


def _grants(file: TextIO) -> list[Any]:
    """The list of grants in a file."""
    try:
        given: list[Any] = json.load(file)
        parse_grants(given)
    except ValueError as error:
        raise click.BadParameter(f"{file.name} is not JSON: {error}") from None
    except Invalid as refused:
        raise click.BadParameter(refused.text) from None
    return given


def _show_once(issued: tuple[AuthApiKey, str], as_json: bool) -> None:
    key, secret = issued
    show({**to_dict(key), "key": secret}, as_json, (*COLUMNS, "key"))


@group.command("list")
@click.option("--user", "email", help="Only the keys of this user.")
@as_json
def list_(email: str | None, as_json: bool) -> None:
    """List keys, newest first; secrets are not kept."""
    with reading() as session:
        wanted = select(AuthApiKey).order_by(AuthApiKey.created_at.desc())
        if email is not None:
            wanted = wanted.where(AuthApiKey.user_id == users.by_email(session, email).id)
        found = [to_dict(key) for key in session.scalars(wanted)]
    show(found, as_json, COLUMNS)


@group.command("show")
@click.argument("identifier", type=click.UUID)
@as_json
def show_(identifier: UUID, as_json: bool) -> None:
    """Show one key."""
    show(to_dict(run_unit(SYSTEM, api_keys.locked, identifier)), as_json, COLUMNS)


@group.command()
@click.argument("identifier", type=click.UUID)
@click.option("--grace-seconds", type=click.IntRange(0, 604800), default=0, help="How long the old key still works.")
@as_json
def rotate(identifier: UUID, grace_seconds: int, as_json: bool) -> None:
    """Replace a key by one with the same settings. Its secret is shown this once."""

    def replace(unit: Unit) -> tuple[AuthApiKey, str]:
        return api_keys.rotate(unit, api_keys.locked(unit, identifier), grace=timedelta(seconds=grace_seconds))

    _show_once(run_unit(SYSTEM, replace), as_json)


@group.command()
@click.argument("identifier", type=click.UUID)
@as_json
def revoke(identifier: UUID, as_json: bool) -> None:
    """Refuse a key from the next request on."""
    show(to_dict(_change(api_keys.revoke, identifier)), as_json, COLUMNS)


def _change(change: Callable[..., None], identifier: UUID, **values: Any) -> AuthApiKey:
    def apply(unit: Unit) -> AuthApiKey:
        key = api_keys.locked(unit, identifier)
        change(unit, key, **values)
        return key

    return run_unit(SYSTEM, apply)


@group.command()
@click.argument("identifier", type=click.UUID)
@click.argument("amount")
@as_json
def limit(identifier: UUID, amount: str, as_json: bool) -> None:
    """Give a key a limit of its own, such as "500 per minute"; off for none."""
    show(to_dict(_change(api_keys.limit, identifier, **_parsed(amount))), as_json, (*COLUMNS, "limit"))


def _parsed(amount: str) -> dict[str, Any]:
    if amount == "off":
        return {"requests": None}
    try:
        parsed = parse(amount)
    except ValueError:
        parsed = None
    if parsed is None or not 1 <= parsed.amount <= MAX_REQUESTS or not 1 <= parsed.get_expiry() <= DAY:
        raise click.BadParameter(f"Must be off, or 1 to {MAX_REQUESTS} in at most a day, such as 500 per minute.")
    return {"requests": parsed.amount, "seconds": parsed.get_expiry()}


@group.command()
@click.argument("identifier", type=click.UUID)
@click.option("--days", type=click.IntRange(1, 366), default=30, show_default=True, help="How far to look back.")
@click.option("--by", "interval", type=click.Choice(["hour", "day"]), default="day", show_default=True)
@as_json
def usage(identifier: UUID, days: int, interval: str, as_json: bool) -> None:
    """Draw the use of a key over time."""
    key = run_unit(SYSTEM, api_keys.locked, identifier)
    step = {"hour": sums.HOUR, "day": sums.DAY}[interval]
    until = sums.floor(now(), step) + step
    points = sums.series(identifier, until - timedelta(days=days), until, step)
    if as_json:
        show(points, as_json, ())
        return
    click.echo(f"{key.name} ({key.start}...): {sum(point['requests'] for point in points)} requests in {days} days")
    for line in drawn(points, interval):
        click.echo(line)


def drawn(points: list[dict[str, Any]], interval: str) -> Iterator[str]:
    """One bar for each point: requests that passed filled, refused ones hollow."""
    most = max((point["requests"] for point in points), default=0)
    for point in points:
        time = point["time"].strftime("%Y-%m-%d" if interval == "day" else "%Y-%m-%d %H:%M")
        passed, asked = point["outcomes"].get("VALID", 0), point["requests"]
        full, whole = (round(MAX_WIDTH * number / most) if most else 0 for number in (passed, asked))
        yield f"{time} {asked:>7} {'█' * full}{'░' * (whole - full)}".rstrip()


def to_dict(key: AuthApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "userId": key.user_id,
        "name": key.name,
        "start": key.start,
        "scopes": key.scopes,
        "status": api_keys.status(key),
        "expiresAt": key.expires_at,
        "lastUsedAt": key.last_used_at,
        "limit": f"{key.rate_limit_max} in {key.rate_limit_time_window // 1000} s" if key.rate_limit_enabled else "off",
        "createdAt": key.created_at,
    }
