"""flask import: creates records of a model from the lines of a file, as the import over HTTP does."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

import click
from flask.cli import with_appcontext
from werkzeug.datastructures import MultiDict

from app.commands.groups import Command
from app.commands.transfers import is_interactive, model_by_name, principal_of
from app.engine.declare.principal import SYSTEM
from app.engine.transfer import tables
from app.engine.transfer.importing import Report
from app.engine.transfer.tabular import FORMATS
from app.engine.write.upserts import Resolution
from app.storage import imports
from schemas.transfer.imports import import_options

# Records that operators make are made by no user.
OPERATOR = replace(SYSTEM, user_id=None)


@click.command("import", cls=Command, help="Make records of MODEL, such as crm/contact, of FILE; - is standard input.")
@click.argument("model")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--as", "as", type=click.Choice(FORMATS), help="What the file is; without it, as its name ends.")
@click.option("--map", "map", help="Columns that stand for others, such as Mail:email, comma-separated.")
@click.option("--on-conflict", "onConflict", help="The fields of a unique rule, by which records may be there already.")
@click.option("--resolution", type=click.Choice([each.value for each in Resolution]), help="What becomes of those.")
@click.option("--partial", is_flag=True, help="Write the lines that can be, though others cannot.")
@click.option("--dry-run", "dryRun", is_flag=True, help="Say what would become of it, and write nothing.")
@click.option("--user", "email", help="In whose name, by address; without one, in that of the operator.")
@with_appcontext
def command(model: str, file: str, email: str | None, **options: str | bool | None) -> None:
    found, principal = model_by_name(model), OPERATOR if email is None else principal_of(email)
    sent = {name: str(value).lower() if isinstance(value, bool) else value for name, value in options.items()}
    ending = Path(file).suffix.removeprefix(".").lower()
    args = MultiDict({name: value for name, value in sent.items() if value is not None})
    asked = import_options(found, args, ending if ending in FORMATS else FORMATS[0])
    with (
        _opened(file) as lines,
        tables.read(lines, asked.form, tables.WIDE) as table,
        _progress(table, model) as advance,
    ):
        report = imports.carry_out(principal, found, asked, table, advance=advance)
    _tell(report)
    if report.failed:
        raise SystemExit(1)


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    """The file; what comes by standard input is read twice, and so kept until the end."""
    if name != "-":
        with Path(name).open("rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.seek(0)
        yield kept


@contextmanager
def _progress(table: tables.Table, label: str) -> Iterator[Callable[[Report], None]]:
    """Shows a bar where somebody looks on."""
    with click.progressbar(length=table.count, label=label, file=sys.stderr, hidden=not is_interactive()) as bar:
        yield lambda report: bar.update(report.rows - bar.pos)


def _tell(report: Report) -> None:
    """What is wrong with which line, and what the import came to."""
    for fault in report.faults:
        told = [f"{name}: {message}" for name, messages in fault["fields"].items() for message in messages]
        click.echo(f"Line {fault['line']}: {'; '.join(told) or fault['error']}", err=True)
    if report.failed > len(report.faults):
        click.echo(f"And {report.failed - len(report.faults)} more", err=True)
    counts = ", ".join(f"{count} {name}" for name, count in report.meta.items() if name != "rows")
    click.echo(f"{report.rows} records: {counts}", err=True)
