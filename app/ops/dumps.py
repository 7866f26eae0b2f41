"""The database as a file and back, by PostgreSQL's own programs.

A dump is restored as SQL through psql, so that servers older than the programs understand it, and so that an ordinary
role can restore where an administrator has made the extensions.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from app.foundation.errors import Failure
from app.foundation.settings import settings
from app.runtime.cluster import EmbeddedError, program
from app.runtime.connections import server_url

# Written near the beginning by programs of PostgreSQL 17 and newer, unknown to older servers.
UNKNOWN_TO_OLD_SERVERS, BEGINNING = b"SET transaction_timeout = 0;\n", 64
DUMP = ["--format=custom", "--no-owner", "--no-acl"]
AS_SQL = ["--no-owner", "--no-acl", "--no-comments", "--file=-"]
BY_LINES = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-"]


class DumpError(Failure):
    """A dump that cannot be made or restored; the text says why."""


def dump(target: Path, snapshot: str) -> None:
    """Write what the snapshot of that name sees to ``target``; raises DumpError."""
    with _database() as address, tempfile.TemporaryFile() as said:
        command = _command("pg_dump", *DUMP, f"--snapshot={snapshot}", f"--file={target}", f"--dbname={address}")
        if subprocess.run(command, check=False, stdout=said, stderr=said).returncode:
            raise DumpError(f"pg_dump failed: {_reason(said)}")


def restore(source: Path) -> None:
    """Fill the empty database from a dump, with all of it or with nothing; raises DumpError."""
    with _database() as address, tempfile.TemporaryFile() as said:
        read, write = _command("pg_restore", *AS_SQL, str(source)), _command("psql", *BY_LINES, f"--dbname={address}")
        with (
            subprocess.Popen(read, stdout=subprocess.PIPE, stderr=said) as reader,
            subprocess.Popen(write, stdin=subprocess.PIPE, stdout=said, stderr=said) as writer,
        ):
            assert reader.stdout is not None  # noqa: S101 - both are pipes
            assert writer.stdin is not None  # noqa: S101
            with suppress(BrokenPipeError), writer.stdin:  # psql has failed, and says why
                # Whoever goes away in between leaves a transaction that is never committed.
                writer.stdin.write(b"BEGIN;\n")
                _pass(reader.stdout, writer.stdin)
                if reader.wait() == 0:
                    writer.stdin.write(b"COMMIT;\n")
        if writer.returncode or reader.returncode:
            raise DumpError(f"The database cannot be restored: {_reason(said)}")


def _pass(source: IO[bytes], target: IO[bytes]) -> None:
    for _ in range(BEGINNING):
        line = source.readline()
        if line != UNKNOWN_TO_OLD_SERVERS:
            target.write(line)
    shutil.copyfileobj(source, target)


@contextmanager
def _database() -> Iterator[str]:
    """Where our database is, for a command line. The password is in a file: arguments are seen by everybody."""
    known = conninfo_to_dict(server_url(settings))
    with tempfile.NamedTemporaryFile("w", prefix="rowgate-pgpass-") as passwords:
        if password := known.pop("password", None):
            escaped = str(password).replace("\\", "\\\\").replace(":", "\\:")
            passwords.write(f"*:*:*:*:{escaped}\n")
            passwords.flush()
            known["passfile"] = passwords.name
        yield make_conninfo(**known)  # type: ignore[arg-type]


def _command(name: str, *arguments: str) -> list[str]:
    try:
        return [program(name), *arguments]
    except EmbeddedError as error:
        raise DumpError(str(error)) from None


def _reason(said: IO[bytes]) -> str:
    """The first error among the lines that programs wrote."""
    said.seek(0)
    lines = said.read().decode(errors="replace").strip().splitlines()
    errors = [line for line in lines if re.search("error:|fatal:", line, re.IGNORECASE)]
    return (errors or lines or ["no reason given"])[0]
