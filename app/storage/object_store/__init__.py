"""The object store: a local folder or any S3 service. Keys are generated and never contain a caller's text."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import current_app

from app.foundation.settings import settings
from app.storage.object_store.local import LocalStore
from app.storage.object_store.store import Store, Writer

__all__ = ["Store", "Writer", "new_key", "object_store", "put", "writing"]


def object_store() -> Store:
    """The store of the running application."""
    made: Store | None = current_app.extensions.get("object_store")
    if made is None:
        made = current_app.extensions["object_store"] = _store()
    return made


def new_key() -> str:
    return secrets.token_hex(20)


def put(content: bytes) -> str:
    """Store ``content`` durably under a new key and return the key; raises Unavailable."""
    key = new_key()
    with writing(key) as writer:
        writer.write(content)
    return key


@contextmanager
def writing(key: str) -> Iterator[Writer]:
    """Have an object written in this context: it is there at its end, and not at all where that fails; raises
    Unavailable."""
    writer = object_store().open(key)
    try:
        yield writer
        writer.commit()
    except BaseException:
        writer.abort()
        raise


def _store() -> Store:
    if not settings.s3_bucket:
        return LocalStore(Path(settings.var_dir) / "uploads")
    # The SDK takes a fifth of a second to import: that is for services that use it.
    from app.storage.object_store.s3 import S3Store

    return S3Store(settings)
