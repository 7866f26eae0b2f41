"""The interface of an object store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Protocol


class Writer(Protocol):
    """An object that is being written. It is there whole after ``commit``, and not at all otherwise."""

    def write(self, chunk: bytes) -> None:
        """Take the next bytes; raises Unavailable when the store fails."""

    def commit(self) -> None:
        """Make the object durable; raises Unavailable when the store fails."""

    def abort(self) -> None:
        """Leave nothing behind. After ``commit``, or twice, it does nothing."""


@dataclass(frozen=True)
class Delivery:
    """How the bytes of an object get to a reader: a file of this machine, or an address to go to."""

    path: Path | None = None
    url: str = ""


class Store(Protocol):
    """A place for objects, by key."""

    def open(self, key: str) -> Writer:
        """Begin to write an object; raises Unavailable when the store fails."""

    def read(self, key: str) -> bytes:
        """The whole object; raises Unavailable when it cannot be had."""

    def fetch(self, key: str, into: IO[bytes]) -> None:
        """Copy the whole object into a file; raises Unavailable when it cannot be had."""

    def remove(self, key: str) -> None:
        """Remove an object, if it is there."""

    def keys(self) -> Iterator[tuple[str, datetime]]:
        """Every object, unfinished ones included, with the time of its last change."""

    def deliver(self, key: str, *, content_type: str, disposition: str) -> Delivery:
        """Say where the bytes are, served with this type and disposition."""
