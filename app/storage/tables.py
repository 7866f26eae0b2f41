"""Tables as texts: each row by itself, with the headings of its columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

# Stands before each row, as between the records of plain text.
ROW_BREAK = "\x1e"
DELIMITERS = ",;\t|"
MAX_CELL = 1_000_000
# The first line of what a spreadsheet writes, where that is not the one of its reader.
SEPARATOR = re.compile(r"sep=(.)\r?\n")


def of_csv(text: str) -> Iterator[str]:
    """The rows of a file of comma-separated values (RFC 4180), or of values that another character separates. Raises
    csv.Error."""
    csv.field_size_limit(MAX_CELL)
    named = SEPARATOR.match(text)
    separator = named[1] if named else max(DELIMITERS, key=text[: text.find("\n")].count)
    file = io.StringIO(text[named.end() if named else 0 :], newline="")
    return of_rows(csv.reader(file, delimiter=separator))


def of_rows(rows: Iterable[Sequence[str]], title: str | None = None) -> Iterator[str]:
    """The rows of a table, whose first one has its headings; its title stands in the first piece."""
    filled = (cells for cells in ([cell.strip() for cell in row] for row in rows) if any(cells))
    headings = next(filled, [])
    texts = (_written(headings, cells) for cells in filled)
    first = next(texts, "\n".join(filter(None, headings)))
    yield ROW_BREAK + (f"## {title}\n\n" if title else "") + first
    for text in texts:
        yield ROW_BREAK + text


def _written(headings: Sequence[str], cells: Sequence[str]) -> str:
    named = zip_longest(headings, cells, fillvalue="")
    return "\n".join(f"{heading}: {cell}" if heading else cell for heading, cell in named if cell)
