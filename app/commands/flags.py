"""flask flags: list and switch feature flags."""

from __future__ import annotations

from typing import Any

import click
from sqlalchemy import select

from app.commands.groups import Group, as_json, show
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import run_unit
from app.platform import flags
from app.platform.models import PlatformFeatureFlag

group = Group("flags", help="List and switch feature flags.")
COLUMNS = ("key", "enabled", "name")


@group.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List the flags."""
    with reading() as session:
        found = [to_dict(flag) for flag in session.scalars(select(PlatformFeatureFlag).order_by("key"))]
    show(found, as_json, COLUMNS)


@group.command("set")
@click.argument("name")
@click.argument("state", type=click.Choice(["on", "off"]))
@as_json
def set_(name: str, state: str, as_json: bool) -> None:
    """Turn a flag on or off."""
    show(to_dict(run_unit(SYSTEM, flags.switch, name, enabled=state == "on")), as_json, COLUMNS)


def to_dict(flag: PlatformFeatureFlag) -> dict[str, Any]:
    return {"id": flag.id, "key": flag.key, "name": flag.name, "enabled": flag.enabled}
