"""flask backup, flask restore: the whole service in one file, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
from flask.cli import with_appcontext

from app.commands.groups import Command
from app.foundation.settings import settings
from app.ops import backups
from app.runtime.cluster import EmbeddedError
from app.runtime.embedded import Postgres
from app.runtime.var_dir_lock import FolderInUse, lock_var_dir
from app.schema import histories

ARCHIVE = click.Path(dir_okay=False, path_type=Path)


@click.command("backup", cls=Command)
@click.argument("archive", type=ARCHIVE)
@click.option("--skip-lost", is_flag=True, help="Leave out uploads whose bytes cannot be read.")
@click.option("--overwrite", is_flag=True, help="Replace ARCHIVE without asking.")
@with_appcontext
def backup(archive: Path, skip_lost: bool, overwrite: bool) -> None:
    """Write the database and all uploads, as of one moment, into ARCHIVE, while the service runs.

    SECRET_KEY is not in it: keep that apart.
    """
    if archive.exists() and not overwrite:
        click.confirm(f"{archive} is there already. Replace it?", abort=True)
    with _database(shared=True):
        made = backups.write(archive, skip_lost=skip_lost)
    click.echo(f"{archive}: database at {made.revision}, {made.uploads} uploads. Keep SECRET_KEY apart from it")
    for upload in made.lost:
        click.echo(f"left out: upload {upload}", err=True)


@click.command("restore", cls=Command)
@click.argument("archive", type=ARCHIVE)
@click.option("--other-key", is_flag=True, help="Restore although SECRET_KEY is not that of the backup.")
@with_appcontext
def restore(archive: Path, other_key: bool) -> None:
    """Fill an empty database, and the store of uploads, from ARCHIVE, and migrate to this release."""
    made = backups.examine(archive, other_key=other_key)
    with _database(shared=False):
        backups.restore(archive)
        histories.upgrade()
    click.echo(f"{archive} of {made.created}: database at {made.revision} and {made.uploads} uploads are restored")


@contextmanager
def _database(*, shared: bool) -> Iterator[None]:
    """Have the embedded database run, where that is the one; ``shared`` with a service that runs it already."""
    if settings.database_url:
        yield
        return
    with ExitStack() as stack:
        try:
            stack.enter_context(lock_var_dir(settings.var_dir))
            postgres = Postgres(settings.var_dir)
            postgres.start()
            stack.callback(postgres.stop)
        except FolderInUse as error:
            if not shared:
                raise backups.BackupError(str(error)) from None
        except EmbeddedError as error:
            raise backups.BackupError(str(error)) from None
        yield
