"""Ids of records: UUIDs in their canonical form (RFC 9562, section 4)."""

from __future__ import annotations

import re
from uuid import UUID

UUID_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def uuid_of(text: str) -> UUID | None:
    """Read a UUID in its canonical form of 36 characters, or None."""
    return UUID(text) if UUID_FORM.fullmatch(text) else None
