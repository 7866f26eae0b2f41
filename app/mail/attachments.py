"""Attachments: uploads that go with a message. The domain that keeps them says which may, and reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.engine.write.unit_of_work import Unit

# Of all attachments of a message; many servers take no more than 25 MB, and base64 adds a third.
MAX_BYTES = 10_000_000
MAX_ATTACHMENTS = 10


@dataclass(frozen=True)
class Attachment:
    """A file as it goes out."""

    filename: str
    content_type: str
    content: bytes


@dataclass(frozen=True)
class Source:
    """Where attachments come from. ``sizes`` of those that the unit's principal may read, in their order, raises
    NotFound for another one; so does ``read`` for one that is gone."""

    sizes: Callable[[Unit, Sequence[UUID]], list[int]]
    read: Callable[[Sequence[UUID]], list[Attachment]]


sources: list[Source] = []


def check(unit: Unit, identifiers: Sequence[UUID]) -> None:
    """Refuse attachments that the unit's principal may not read, and too much of them; raises NotFound and
    ValueError."""
    if not identifiers:
        return
    if len(identifiers) > MAX_ATTACHMENTS or sum(sources[0].sizes(unit, identifiers)) > MAX_BYTES:
        raise ValueError(f"A message takes {MAX_ATTACHMENTS} attachments and {MAX_BYTES} bytes of them at most")


def read(identifiers: Sequence[UUID]) -> list[Attachment]:
    """Return the attachments of a message that is about to be sent; raises NotFound and Unavailable."""
    return sources[0].read(identifiers) if identifiers else []
