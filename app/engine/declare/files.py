"""Files that belong to a record: the id of an upload, whose bytes whoever sees the field gets by the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from app.engine.declare.kind import Reference, non_empty

UPLOADS = "storage_upload"
PICTURES = ("image/png", "image/jpeg", "image/webp", "image/gif")


@dataclass(frozen=True)
class File(Reference):
    """An upload of one of ``types``, or of any where none is named, of at most ``max_bytes``."""

    table: str = UPLOADS
    on_delete: str = "set null"
    types: tuple[str, ...] = ()
    max_bytes: int = 0
    name: ClassVar[str] = "file"
    is_judged_apart: ClassVar[bool] = True

    @property
    def constraints(self) -> dict[str, Any]:
        return non_empty({"types": list(self.types), "maxBytes": self.max_bytes})


@dataclass(frozen=True)
class Image(File):
    """A picture, which is there in other ``sizes`` as well: pixels of the longer side."""

    types: tuple[str, ...] = PICTURES
    sizes: tuple[int, ...] = ()
    name: ClassVar[str] = "image"

    @property
    def constraints(self) -> dict[str, Any]:
        return super().constraints | non_empty({"sizes": list(self.sizes)})
