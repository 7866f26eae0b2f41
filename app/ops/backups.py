"""Backup and restore: the database and every uploaded file as of one moment, in one tar archive.

The database is dumped by pg_dump from a snapshot. A file never changes, and goes after its row. So an archive is whole
once every file that the rows of the snapshot name was copied.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import psycopg
from alembic.util import CommandError

from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import Failure, Unavailable, require_found
from app.foundation.settings import settings
from app.ops import dumps
from app.runtime.connections import server_url
from app.schema import change_log, histories
from app.storage.object_store import object_store, writing

FORMAT = 1
DUMP, MANIFEST, UPLOADS = "database.dump", "manifest.json", "uploads/"
# A file larger than this is copied by way of the disk.
IN_MEMORY = 8 * 1024 * 1024
# Where a file is missing, either its row has gone, too, and another snapshot is taken; or it is lost.
MAX_SNAPSHOTS = 5
# The header under which a file has its SHA-256.
DIGEST = "ROWGATE.sha256"

HAS_SIZES = "SELECT FROM pg_attribute WHERE attrelid = to_regclass('storage_upload') AND attname = 'sizes'"
NAMED = "SELECT storage_key, id::text, sha256 FROM storage_upload WHERE status = 'stored' ORDER BY storage_key"
TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"


class BackupError(Failure):
    """A backup that cannot be made or restored; the text says why."""


@dataclass(frozen=True)
class Manifest:
    """What an archive says of itself. The fingerprint tells one SECRET_KEY from another, and nothing else of it."""

    created: str
    revision: str
    uploads: int
    lost: list[str]
    fingerprint: str
    format: int = FORMAT
    # The revisions of each plugin of somebody else.
    plugins: Mapping[str, Sequence[str]] = field(default_factory=dict)


def write(target: Path, *, skip_lost: bool = False) -> Manifest:
    """Write an archive, which is there whole or not at all; raises BackupError, DumpError and Unavailable. With
    ``skip_lost``, uploads whose bytes cannot be read, or are not those that were stored, are left out and named."""
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=target.name, suffix=".part", delete=False) as file:
            try:
                with tarfile.open(fileobj=file, mode="w") as archive:
                    manifest = _Writer(archive, target.parent).run(skip_lost)
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).rename(target)
            except BaseException:
                Path(file.name).unlink()
                raise
    except OSError as error:
        raise BackupError(f"The archive cannot be written: {error.strerror or error}") from None
    return manifest


@dataclass(frozen=True)
class _Writer:
    """Writes into an archive, by way of files in ``folder``, which has room for them."""

    archive: tarfile.TarFile
    folder: Path

    def run(self, skip_lost: bool) -> Manifest:
        # Most is copied before a transaction begins, which would keep VACUUM from removing dead rows.
        with psycopg.connect(server_url(settings), autocommit=True) as connection:
            rows = connection.execute(NAMED).fetchall()
        copied = {key for key, _, digest in rows if self._copy(key, digest)}
        lost: dict[str, str] = {}
        for _ in range(MAX_SNAPSHOTS):
            with _snapshot() as (connection, name):
                rows = connection.execute(NAMED).fetchall()
                new = [row for row in rows if row[0] not in copied]
                missing = {key: upload for key, upload, digest in new if not self._copy(key, digest)}
                copied |= {key for key, _, _ in new} - missing.keys()
                if not missing or missing == lost:
                    return self._finish(connection, name, len(rows) - len(missing), list(missing.values()))
            with _snapshot() as (connection, _):
                still = {key for key, _, _ in connection.execute(NAMED)}
            lost = {key: upload for key, upload in missing.items() if key in still}
            if lost and not skip_lost:
                which = ", ".join(list(lost.values())[:5])
                raise BackupError(f"{len(lost)} uploads cannot be read ({which}): --skip-lost leaves them out")
        raise BackupError("Files went faster than they were copied: try again")

    def _copy(self, key: str, digest: str) -> bool:
        with tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(self.folder)) as content:
            try:
                object_store().fetch(key, content)
            except Unavailable:
                return False
            size = content.tell()
            content.seek(0)
            if _digest(content) != digest:
                return False
            content.seek(0)
            self._add(UPLOADS + key, content, size, digest)
        return True

    def _finish(self, connection: Any, snapshot: str, uploads: int, lost: list[str]) -> Manifest:
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        plugins = {each.plugin: histories.stored(each) for each in histories.OF_PLUGINS}
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix="rowgate-dump-") as dump:
            dumps.dump(Path(dump.name), snapshot)
            digest, size = _digest(dump), dump.tell()
            dump.seek(0)
            self._add(DUMP, dump, size, digest)
        manifest = Manifest(now().isoformat(), revision, uploads, lost, fingerprint(), plugins=plugins)
        content = json.dumps(asdict(manifest), indent=2).encode()
        self._add(MANIFEST, BytesIO(content), len(content), hashlib.sha256(content).hexdigest())
        return manifest

    def _add(self, name: str, content: IO[bytes], size: int, digest: str) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode, member.pax_headers = size, 0o600, {DIGEST: digest}
        self.archive.addfile(member, content)


@contextmanager
def _snapshot() -> Iterator[tuple[Any, str]]:
    """A transaction that sees one moment, and the name by which pg_dump sees the same."""
    with psycopg.connect(server_url(settings), autocommit=False) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        assert row is not None  # noqa: S101 - the function answers one row
        yield connection, row[0]


def examine(source: Path, *, other_key: bool = False) -> Manifest:
    """What an archive says of itself, once it is seen to be whole and to fit this service; raises BackupError."""
    with _opened(source) as archive:
        manifest = _checked(archive)
    try:
        histories.TRUNK.scripts().get_revision(manifest.revision)
    except CommandError:
        raise BackupError("The backup is of a newer release: restore it with that one") from None
    _check_plugins(manifest)
    if manifest.fingerprint != fingerprint() and not other_key:
        raise BackupError(
            "The backup was made with another SECRET_KEY: with this one its keys, sessions and stored secrets are "
            "worth nothing (--other-key restores the rest)"
        )
    return manifest


def _check_plugins(manifest: Manifest) -> None:
    """Refuse a backup with newer tables of a plugin than the one that is loaded. Those of a plugin that is not loaded
    are restored as they are."""
    for history in histories.OF_PLUGINS:
        try:
            for revision in manifest.plugins.get(history.plugin, ()):
                history.scripts().get_revision(revision)
        except CommandError:
            raise BackupError(f"The backup has a newer schema of {history}: restore it with that version") from None


def restore(source: Path) -> None:
    """Fill an empty database, and the store of uploads, from an archive that was examined; raises BackupError and
    Unavailable. The rows are there all at once or not at all, so that a restore that broke off is begun again."""
    with psycopg.connect(server_url(settings)) as connection:
        (tables,) = connection.execute(TABLES).fetchone() or (0,)
    if tables:
        raise BackupError("The database is not empty: restore into a new one")
    with _opened(source) as archive, _room_beside(source) as dump:
        for member in archive:
            if member.name.startswith(UPLOADS):
                _put(archive, member)
            elif member.name == DUMP:
                shutil.copyfileobj(_content(archive, member), dump)
        dump.flush()
        dumps.restore(Path(dump.name))
        change_log.begin_epoch()
        _forget_sizes()


def _forget_sizes() -> None:
    """Have pictures made smaller again: an archive has them whole alone."""
    with psycopg.connect(server_url(settings)) as connection:
        if connection.execute(HAS_SIZES).fetchone():
            connection.execute("UPDATE storage_upload SET sizes = '{}' WHERE sizes <> '{}'")


@contextmanager
def _room_beside(source: Path) -> Iterator[IO[bytes]]:
    """A file where there is room for the database; raises BackupError where it cannot be written."""
    try:
        with tempfile.NamedTemporaryFile(dir=source.parent, prefix="rowgate-dump-") as file:
            yield file
    except OSError as error:
        raise BackupError(f"{source.parent} has no room for the database: {error.strerror or error}") from None


def fingerprint() -> str:
    """Tells whether two services have the same SECRET_KEY."""
    return vault().digest("fingerprint of a backup")


def _put(archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    with writing(member.name.removeprefix(UPLOADS)) as writer:
        content = _content(archive, member)
        while chunk := content.read(IN_MEMORY):
            writer.write(chunk)


def _opened(source: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(source, "r:")
    except (OSError, tarfile.TarError):
        raise BackupError(f"{source} is no backup that can be read") from None


def _checked(archive: tarfile.TarFile) -> Manifest:
    try:
        manifest = json.load(_content(archive, archive.getmember(MANIFEST)))
        if manifest.get("format") != FORMAT:
            raise BackupError(f"The backup has format {manifest.get('format')}; this release reads {FORMAT}")
        manifest = Manifest(**manifest)
        found = [member.name for member in archive if _is_whole(archive, member)]
    except (KeyError, ValueError, TypeError, AttributeError, OSError, tarfile.TarError):
        raise BackupError("The backup is not whole") from None
    names = [name.removeprefix(UPLOADS) for name in found if name.startswith(UPLOADS)]
    if any("/" in name or ".." in name for name in names):
        raise BackupError("The backup names files outside of its folder")
    if len(found) < len(archive.getmembers()) or DUMP not in found or len(names) < manifest.uploads:
        raise BackupError("The backup is not whole")
    return manifest


def _is_whole(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bool:
    return _digest(_content(archive, member)) == member.pax_headers.get(DIGEST)


def _digest(content: IO[bytes]) -> str:
    return hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    return require_found(archive.extractfile(member), BackupError("The backup is not whole"))
