"""The base of all commands: failures are one line, results are tables or, with --json, JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click
import psycopg
from flask.cli import AppGroup
from marshmallow import ValidationError
from sqlalchemy.exc import DBAPIError

from app.engine.read.database import RETRYABLE, is_definite_failure
from app.engine.read.encoding import dumps
from app.foundation.errors import DatabaseFailure, Failure, Unavailable

F = TypeVar("F", bound=Callable[..., Any])

as_json: Callable[[F], F] = click.option("--json", "as_json", is_flag=True, help="Answer as JSON, for scripts.")


@contextmanager
def one_line() -> Iterator[None]:
    """Failures are one line on standard error and exit status 1."""
    try:
        yield
    except Failure as failure:
        cause = failure.__cause__ if isinstance(failure, Unavailable | DatabaseFailure) else None
        text = unreachable(cause) if isinstance(cause, DBAPIError | psycopg.Error) else failure.text
        raise click.ClickException(text) from None
    except ValidationError as error:
        raise click.ClickException("; ".join(map(str, error.messages))) from None
    except (DBAPIError, psycopg.Error) as error:
        raise click.ClickException(unreachable(error)) from None


class Command(click.Command):
    """A command whose failures are one line."""

    def invoke(self, ctx: click.Context) -> Any:
        with one_line():
            return super().invoke(ctx)


class Group(Command, AppGroup):
    """Commands whose failures are one line."""


def unreachable(error: DBAPIError | psycopg.Error) -> str:
    """What to say when the database does not do what is asked."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    lines = str(cause).strip().splitlines() or [type(cause).__name__]
    if "does not exist" in lines[0] and "relation" in lines[0]:
        return "The database is not migrated: run flask db upgrade, or make serve"
    if getattr(cause, "sqlstate", None) in RETRYABLE:
        return f"The database was busy ({lines[0]}), and nothing was done: try again"
    if is_definite_failure(error):
        return f"The database refuses what it is asked: {lines[0]}"
    return f"The database cannot be used ({lines[0]}): check DATABASE_URL, or leave it empty and start make serve"


def show(value: Any, as_json: bool, columns: Sequence[str]) -> None:
    """Print a record or a list of them: ``columns`` as a table for people, everything as JSON for scripts."""
    if as_json:
        click.echo(dumps(value).decode())
        return
    rows = [[_cell(row.get(name)) for name in columns] for row in (value if isinstance(value, list) else [value])]
    if not isinstance(value, list):
        for name, cell in zip(columns, rows[0], strict=True):
            click.echo(f"{name:<14} {cell}")
        return
    widths = [max(len(name), *(len(row[place]) for row in rows), 0) for place, name in enumerate(columns)]
    for row in [list(columns), *rows]:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat(timespec="minutes"))
    return "-" if value is None else str(value)
