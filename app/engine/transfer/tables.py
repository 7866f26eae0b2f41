"""Files of records, read in the sandbox: whoever sends one chooses how long reading it takes.

The child writes the rows down, one to a line; whoever has asked reads them from there.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import orjson

from app.engine.transfer.tabular import MalformedFile, Row, rows_of
from app.foundation.errors import Invalid
from app.runtime import sandbox
from app.runtime.sandboxed import Refusal

if TYPE_CHECKING:  # the child process needs no settings
    from config import Settings

# As JSON, text may take several times its bytes.
GROWTH, MEBIBYTE = 4, 1024 * 1024
# Processor seconds after which a file counts as long, however few its rows.
SECONDS_AT_ONCE = 5.0


class Bounds(NamedTuple):
    """What reading a file may take: seconds of a processor, MiB of memory, and MiB of rows."""

    seconds: int
    memory: int
    largest: int

    @classmethod
    def of(cls, settings: Settings) -> Bounds:
        """What files of callers may take."""
        return cls(settings.import_seconds, settings.import_memory, GROWTH * settings.import_max_bytes // MEBIBYTE + 1)


# What files of operators may take, who choose them.
WIDE = Bounds(24 * 60 * 60, 1024 * 1024, 1024 * 1024)


@dataclass(frozen=True)
class Table:
    """The rows of a file, ``count`` of them, which may be read again and again; where it is not ``is_whole``, its first
    rows alone."""

    count: int
    is_whole: bool
    _names: list[str] | None
    _file: IO[bytes]

    def rows(self, begin: int = 0) -> Iterator[Row]:
        """The rows from the one at ``begin`` on."""
        self._file.seek(0)
        for text in islice(self._file, begin, None):
            line, cells = orjson.loads(text)
            yield line, cells if self._names is None else dict(zip(self._names, cells, strict=False))


@contextmanager
def read(source: IO[bytes], form: str, bounds: Bounds, *, most: int | None = None) -> Iterator[Table]:
    """The rows of a file, at most ``most``; raises MalformedFile, and Invalid where reading takes too much."""
    source.seek(0)
    with tempfile.TemporaryFile() as file:
        try:
            found = sandbox.run(
                "app.engine.transfer.tables:write", source, target=file, form=form, most=most, **bounds._asdict()
            )
        except Refusal as refusal:
            raise Invalid(f"The file cannot be read: {refusal}") from None
        if found["malformed"] is not None:
            raise MalformedFile(*found["malformed"])
        yield Table(found["count"], found["isWhole"], found["names"], file)


def write(content: bytes, target: IO[bytes], form: str, most: int | None) -> dict[str, Any]:
    """Write the rows of a file, as the child: of CSV the cells that have a name, of the others the objects. With
    ``most``, stop behind so many, and where the first ones take long. Return how many were written, whether these are
    all, the names, and what is wrong with the file where it breaks off."""
    names: list[str] = []
    count, is_whole, malformed = 0, True, None
    try:
        for line, row in rows_of(BytesIO(content), form):
            if most is not None and (count == most or time.process_time() > SECONDS_AT_ONCE):
                is_whole = False
                break
            if form == "csv":
                row.pop("", None)
                names = max(names, list(row), key=len)  # a line may have fewer cells than the header
            target.write(orjson.dumps([line, list(row.values()) if form == "csv" else row]) + b"\n")
            count += 1
    except MalformedFile as broken:
        malformed = [broken.message, broken.line]
    return {
        "count": count, "isWhole": is_whole, "names": names if form == "csv" else None, "malformed": malformed,
    }  # fmt: skip
