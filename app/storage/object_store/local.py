"""The local store: objects are files, each written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from app.foundation.errors import Unavailable
from app.runtime.cluster import sync_folder
from app.runtime.gevent_support import run_in_thread
from app.storage.object_store.store import Delivery

UNFINISHED = ".part"


@dataclass(frozen=True)
class LocalStore:
    """Objects as files under ``root``, in folders by the start of their key."""

    root: Path

    def open(self, key: str) -> LocalWriter:
        with _translating():
            path = self.path(key)
            _make_folder(self.root)
            _make_folder(path.parent)
            return LocalWriter(path)

    def read(self, key: str) -> bytes:
        with _translating():
            return self.path(key).read_bytes()

    def fetch(self, key: str, into: IO[bytes]) -> None:
        with _translating():
            content = self.path(key).open("rb")
        with content:
            shutil.copyfileobj(content, into)

    def remove(self, key: str) -> None:
        with suppress(FileNotFoundError):
            self.path(key).unlink()

    def keys(self) -> Iterator[tuple[str, datetime]]:
        for path in self.root.glob("*/*"):
            with suppress(FileNotFoundError):
                yield path.name, datetime.fromtimestamp(path.stat().st_mtime, UTC)

    def deliver(self, key: str, *, content_type: str, disposition: str) -> Delivery:
        return Delivery(path=self.path(key).resolve())

    def path(self, key: str) -> Path:
        return self.root / key[:2] / key


def _make_folder(path: Path) -> None:
    """Make a folder that nobody else can look into; its name is on the disk before anything is in it."""
    if not path.is_dir():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        run_in_thread(sync_folder, path.parent)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class LocalWriter:
    """A file under another name until it is complete and on the disk."""

    def __init__(self, path: Path) -> None:
        self._path, self._unfinished = path, path.with_name(path.name + UNFINISHED)
        self._file = open(self._unfinished, "wb", opener=_private)  # noqa: SIM115 - closed by commit or abort

    def write(self, chunk: bytes) -> None:
        with _translating():
            self._file.write(chunk)

    def commit(self) -> None:
        with _translating():
            self._file.flush()
            # Waiting for the disk would stop every request of the process.
            run_in_thread(os.fsync, self._file.fileno())
            self._file.close()
            self._unfinished.rename(self._path)
            # The name as well: the row that is committed next must not name a file that a crash forgets.
            run_in_thread(sync_folder, self._path.parent)

    def abort(self) -> None:
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._unfinished.unlink()


@contextmanager
def _translating() -> Iterator[None]:
    """A full disk, or one that cannot be written, is a part that is away."""
    try:
        yield
    except OSError as error:
        raise Unavailable("Files cannot be stored at the moment") from error
