"""flask export: writes the records of a model to a file, as the export of its list does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click
from flask.cli import with_appcontext
from werkzeug.datastructures import MultiDict

from app.commands.groups import Command
from app.commands.transfers import is_interactive, model_by_name, principal_of
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read import pages
from app.engine.read.query import Count, Query
from app.engine.transfer.exporting import Export, ExportFormat, ExportQuery
from app.foundation.settings import settings
from schemas.transfer.exporting import export_query


@click.command("export", cls=Command, help="Write the records of MODEL, such as crm/contact, to a file.")
@click.argument("model")
@click.option("--as", "form", type=click.Choice([each.value for each in ExportFormat]), default=ExportFormat.CSV.value)
@click.option("--output", type=click.Path(dir_okay=False), help="The file; without one, standard output.")
@click.option("--where", help="Conditions as JSON, as in the body of a query.")
@click.option("--fields", help="Only these fields, comma-separated.")
@click.option("--sort", help="Fields to sort by, comma-separated, descending with a minus.")
@click.option("--user", "email", help="Whose records, by address; without one, all that there are.")
@with_appcontext
def command(model: str, form: str, output: str | None, email: str | None, **asked: str | None) -> None:
    found, principal = model_by_name(model), principal_of(email)
    args = MultiDict({"as": form} | {name: text for name, text in asked.items() if text is not None})
    query = export_query(found, principal, args, settings)
    with _opened(output) as file:
        _write(found, principal, query, file)


def _write(model: type[Record], principal: Principal, query: ExportQuery, file: IO[bytes]) -> None:
    """Write all of it, with a bar where somebody looks on."""
    looked_at = is_interactive()
    total = _count(model, principal, query.query) if looked_at else 0
    export, shown = Export(model, principal, query), 0
    with click.progressbar(length=total, label=model.qualified_name(), file=sys.stderr, hidden=not looked_at) as bar:
        for block in export:
            file.write(block)
            bar.update(export.rows - shown)
            shown = export.rows
    click.echo(f"{shown} records", err=True)


def _count(model: type[Record], principal: Principal, query: Query) -> int:
    counted = Query(where=query.where, search=query.search, take=1, count=Count.EXACT, is_plain=False)
    return pages.list_page(model, principal, counted).count


@contextmanager
def _opened(output: str | None) -> Iterator[IO[bytes]]:
    """The stream to write to. A file is written as ``.part``, and renamed when it is complete."""
    if output is None:
        yield sys.stdout.buffer
        return
    whole = Path(output)
    part = whole.with_name(f"{whole.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        os.replace(part, whole)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
