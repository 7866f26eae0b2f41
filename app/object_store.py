"""Where uploaded bytes lie: a local folder, one file for each key, written whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flask import current_app


@dataclass(frozen=True)
class LocalStore:
    """Objects as files under ``root``; keys are made by the server and never hold a caller's text."""

    root: Path

    def put(self, content: bytes) -> str:
        """Store ``content`` durably under a new key and return the key."""
        key = secrets.token_hex(20)
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        with unfinished.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(path)
        return key

    def remove(self, key: str) -> None:
        with suppress(FileNotFoundError):
            self.path(key).unlink()

    def path(self, key: str) -> Path:
        return self.root / key[:2] / key


def object_store() -> LocalStore:
    """The store of the running application."""
    return LocalStore(Path(current_app.config["SETTINGS"].var_dir) / "uploads")
