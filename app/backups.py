"""Backup and restore: the database and every uploaded file as of one moment, in one tar archive.

The database is dumped by pg_dump from a snapshot. Files never change and go after their row has gone, so a snapshot all
of whose files were copied has everything that its rows name.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import psycopg
from flask import current_app
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from app.clock import now
from app.database import server_url
from app.embedded import EmbeddedError, program
from app.errors import Failure, Unavailable
from app.object_store import object_store
from app.secrets import vault

FORMAT = 1
DUMP, MANIFEST, UPLOADS = "database.dump", "manifest.json", "uploads/"
# A file larger than this is copied by way of the disk.
IN_MEMORY = 8 * 1024 * 1024
# Rows whose files went while they were copied are looked at again so many times.
PASSES = 5

NAMED = "SELECT storage_key, id::text FROM storage_upload WHERE status = 'stored' ORDER BY storage_key"
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
    sha256: str
    fingerprint: str
    format: int = FORMAT


def write(target: Path, *, skip_lost: bool = False) -> Manifest:
    """Write an archive, which is there whole or not at all; raises BackupError and Unavailable. With ``skip_lost``,
    uploads whose bytes cannot be read are left out and named."""
    unfinished = target.with_name(target.name + ".part")
    try:
        with tarfile.open(unfinished, "w") as archive:
            manifest = _written(archive, skip_lost)
        unfinished.chmod(0o600)
        unfinished.rename(target)
    except OSError as error:
        raise BackupError(f"The archive cannot be written: {error.strerror or error}") from None
    finally:
        unfinished.unlink(missing_ok=True)
    return manifest


def _written(archive: tarfile.TarFile, skip_lost: bool) -> Manifest:
    copied: set[str] = set()
    lost: dict[str, str] = {}
    for _ in range(PASSES):
        with _snapshot() as (connection, name):
            rows = connection.execute(NAMED).fetchall()
            missing = {key: upload for key, upload in rows if key not in copied and not _copied(archive, key)}
            copied |= {key for key, _ in rows} - missing.keys()
            if not missing or missing == lost:
                return _finished(archive, connection, name, len(rows) - len(lost), list(lost.values()))
        with _snapshot() as (connection, _):
            still = {key for key, _ in connection.execute(NAMED)}
        lost = {key: upload for key, upload in missing.items() if key in still}
        if lost and not skip_lost:
            which = ", ".join(list(lost.values())[:5])
            raise BackupError(f"{len(lost)} uploads cannot be read ({which}): --skip-lost leaves them out")
    raise BackupError("Files went faster than they were copied: try again")


def _finished(archive: tarfile.TarFile, connection: Any, snapshot: str, uploads: int, lost: list[str]) -> Manifest:
    (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    with tempfile.NamedTemporaryFile(prefix="rowgate-dump-") as dump:
        _run("pg_dump", "--format=custom", "--no-owner", "--no-acl", f"--snapshot={snapshot}", f"--file={dump.name}")
        archive.add(dump.name, DUMP)
        digest = hashlib.file_digest(dump, "sha256").hexdigest()
    manifest = Manifest(now().isoformat(), revision, uploads, lost, digest, fingerprint())
    content = json.dumps(asdict(manifest), indent=2).encode()
    _add(archive, MANIFEST, BytesIO(content), len(content))
    return manifest


@contextmanager
def _snapshot() -> Iterator[tuple[Any, str]]:
    """A transaction that sees one moment, and the name by which pg_dump sees the same."""
    with psycopg.connect(_url(), autocommit=False) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        assert row is not None  # noqa: S101 - the function answers one row
        yield connection, row[0]


def _copied(archive: tarfile.TarFile, key: str) -> bool:
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as content:
        try:
            object_store().fetch(key, content)
        except Unavailable:
            return False
        size = content.tell()
        content.seek(0)
        _add(archive, UPLOADS + key, content, size)
    return True


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes], size: int) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    archive.addfile(member, content)


def examine(source: Path, *, other_key: bool = False) -> Manifest:
    """What an archive says of itself, once it is seen to be whole and to fit this service; raises BackupError."""
    with _opened(source) as archive:
        manifest = _checked(archive)
    if manifest.fingerprint != fingerprint() and not other_key:
        raise BackupError(
            "The backup was made with another SECRET_KEY: with this one its keys, sessions and stored secrets are "
            "worth nothing (--other-key restores the rest)"
        )
    return manifest


def restore(source: Path) -> None:
    """Fill an empty database, and the store of uploads, from an archive that was examined; raises BackupError and
    Unavailable. The rows are there all at once or not at all, so that a restore that broke off is begun again."""
    with psycopg.connect(_url()) as connection:
        (tables,) = connection.execute(TABLES).fetchone() or (0,)
    if tables:
        raise BackupError("The database is not empty: restore into a new one")
    with _opened(source) as archive:
        for member in archive:
            if member.name.startswith(UPLOADS):
                _put(archive, member)
        with tempfile.NamedTemporaryFile(prefix="rowgate-dump-") as dump:
            shutil.copyfileobj(_content(archive, DUMP), dump)
            dump.flush()
            _run("pg_restore", "--no-owner", "--no-acl", "--single-transaction", "--exit-on-error", dump.name)


def fingerprint() -> str:
    """Tells whether two services have the same SECRET_KEY."""
    return vault().digest("fingerprint of a backup")


def _put(archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    writer = object_store().open(member.name.removeprefix(UPLOADS))
    try:
        content = _content(archive, member.name)
        while chunk := content.read(IN_MEMORY):
            writer.write(chunk)
        writer.commit()
    except BaseException:
        writer.abort()
        raise


@contextmanager
def _opened(source: Path) -> Iterator[tarfile.TarFile]:
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(tarfile.open(source, "r:"))
        except (OSError, tarfile.TarError):
            raise BackupError(f"{source} is no backup that can be read") from None
        yield archive


def _checked(archive: tarfile.TarFile) -> Manifest:
    try:
        said = json.load(_content(archive, MANIFEST))
        if said.get("format") != FORMAT:
            raise BackupError(f"The backup has format {said.get('format')}; this release reads {FORMAT}")
        manifest = Manifest(**said)
        digest = hashlib.file_digest(_content(archive, DUMP), "sha256").hexdigest()  # type: ignore[arg-type]
        names = [name for name in archive.getnames() if name.startswith(UPLOADS)]
    except (KeyError, ValueError, TypeError, AttributeError, OSError, tarfile.TarError):
        raise BackupError("The backup is not whole") from None
    if digest != manifest.sha256 or len(names) < manifest.uploads:
        raise BackupError("The backup is not whole")
    if any("/" in name.removeprefix(UPLOADS) or ".." in name for name in names):
        raise BackupError("The backup names files outside of its folder")
    return manifest


def _content(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    content = archive.extractfile(name)
    if content is None:
        raise BackupError("The backup is not whole")
    return content


def _url() -> str:
    return server_url(current_app.config["SETTINGS"])


def _run(name: str, *arguments: str) -> None:
    """Run a program of PostgreSQL on our database. The password is in a file: arguments are seen by everybody."""
    known = conninfo_to_dict(_url())
    with tempfile.NamedTemporaryFile("w", prefix="rowgate-pgpass-") as passwords:
        password = str(known.pop("password", "")).replace("\\", "\\\\").replace(":", "\\:")
        passwords.write(f"*:*:*:*:{password}\n")
        passwords.flush()
        address = make_conninfo(**known, passfile=passwords.name)  # type: ignore[arg-type]
        try:
            command = [program(name), *arguments[:-1], f"--dbname={address}", arguments[-1]]
            subprocess.run(command, check=True, capture_output=True, text=True)
        except EmbeddedError as error:
            raise BackupError(str(error)) from None
        except subprocess.CalledProcessError as error:
            reason = (error.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise BackupError(f"{name} failed: {reason}") from None
