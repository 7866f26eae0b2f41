"""Files for imports, and forms, that are dear to read; each is made once in a process."""

from __future__ import annotations

from functools import cache

from tests.attacks.caller import BOUNDARY

MEGABYTE = 1_000_000
HEADER = b"name,revenue\r\n"
# Of blanks each line is two bytes.
LINE_END, BLANK_LINE = b"\r\n", b" \n"


@cache
def line_ends(size: int) -> bytes:
    """A header and ``size`` bytes of lines that hold nothing."""
    return HEADER + LINE_END * (size // len(LINE_END))


@cache
def blank_lines(size: int) -> bytes:
    """``size`` bytes of lines without an object."""
    return BLANK_LINE * (size // len(BLANK_LINE)) + b'{"name": "Last"}\n'


@cache
def nameless_columns(rows: int, columns: int) -> bytes:
    """Rows of cells, of which the first alone has a name."""
    commas = b"," * (columns - 1)
    return b"name" + commas + b"\n" + (b"a" + commas + b"\n") * rows


@cache
def doubled_quotes(size: int) -> bytes:
    """One quoted cell that holds nothing but quotes."""
    return b'name\n"' + b'""' * (size // 2) + b'"\n'


@cache
def long_cell(size: int) -> bytes:
    """One quoted cell of ``size`` letters."""
    return b'name\n"' + b"a" * size + b'"\n'


@cache
def faulty_lines(rows: int) -> bytes:
    """Lines of seven bytes, each with a fault."""
    return HEADER + b"a,much\n" * rows


@cache
def many_parts(parts: int) -> bytes:
    """A form of so many fields that hold nothing."""
    part = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.encode()
    return part * parts + f"--{BOUNDARY}--\r\n".encode()
