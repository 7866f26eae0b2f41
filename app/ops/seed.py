"""Seed rows: flags, and what the domains that are served have from their start on, each made once."""

from __future__ import annotations

from sqlalchemy import select

from app.engine.write.unit_of_work import Unit
from app.platform import flags
from app.platform.models import PlatformFeatureFlag
from app.platform.seeding import seeded


def seed(unit: Unit) -> None:
    """Make what is not there yet."""
    for key, name in flags.NAMES.items():
        if not unit.session.scalar(select(PlatformFeatureFlag.id).where(PlatformFeatureFlag.key == key)):
            unit.session.add(PlatformFeatureFlag(key=key, name=name, enabled=False))
    seeded.emit(unit)
    unit.session.flush()
