"""The sample data: a coherent set over all domains, for a first look and for demonstrations."""

from __future__ import annotations

from sqlalchemy.orm import Session


def load(session: Session) -> list[tuple[str, str]] | None:
    return None
