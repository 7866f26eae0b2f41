"""Tables as they come in files: CSV (RFC 4180), lines of JSON, and an array of JSON, as rows with their line."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import IO, Any

from app.foundation import strict_json
from app.foundation.errors import Failure, Invalid

FORMATS = ("csv", "ndjson", "json")
MAX_COLUMNS, MAX_CELL_LENGTH = 1000, 1024 * 1024
# A cell in bytes: four for each character, each of which may be a doubled quote.
MAX_CELL_BYTES = 8 * MAX_CELL_LENGTH
# A cell, and what ends it. A quoted one may hold anything, its quotes doubled; possessive, so that a quote without an
# end costs no second look.
CELL = re.compile(rb'(?:"((?:[^"]++|"")*+)"|([^,"\r\n]*+))(,|\r\n|\n|\r|\Z)')
# A quoted cell whose end lies further ahead, in the groups of a whole one.
CUT_CELL = re.compile(rb'"((?:[^"]++|"")*+)()()')
SEPARATORS = (b",", b";", b"\t")
LINE_ENDS = re.compile(rb"[\r\n]*")
# A string, a quote without an end, or what nests. Possessive, as above.
NESTING = re.compile(rb'"(?:[^"\\]++|\\.)*+"|"|[{}\[\]]', re.DOTALL)
BLANKS = re.compile(rb"[ \t\r\n]*")
BOM, BLOCK = b"\xef\xbb\xbf", 1024 * 1024
NOT_JSON = "The file is not valid JSON"
NOT_UTF_8 = "The file is not UTF-8: save it as UTF-8, and import it again"
TOO_MANY_COLUMNS = f"There are more than {MAX_COLUMNS} columns"
FILE_SIGNATURES = (
    (b"PK\x03\x04", "a ZIP archive, as spreadsheets are: save it as CSV"),
    (b"\x1f\x8b", "compressed by gzip"),
    (b"\xff\xfe", "UTF-16, and must be UTF-8"),
    (b"\xfe\xff", "UTF-16, and must be UTF-8"),
    (b"%PDF", "a PDF"),
)
# The line that a row begins in, and its values by column: text or None of CSV, JSON values of the others.
Row = tuple[int, dict[str, Any]]


class MalformedFile(Invalid):
    """A file that cannot be read on from a ``line``."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"Line {line}: {message}")
        self.message, self.line = message, line
        self.details = {"line": line}


def rows_of(file: IO[bytes], form: str) -> Iterator[Row]:
    """The rows of a file; raises MalformedFile where it breaks off, is of another encoding or no table at all."""
    start = file.read(4)
    for signature, name in FILE_SIGNATURES:
        if start.startswith(signature):
            raise MalformedFile(f"The file is {name}", 1)
    file.seek(0)
    return {"csv": _csv, "ndjson": _ndjson, "json": _json}[form](_checked(file.read()))


# Text takes up to four times as much as its bytes, so that cells and objects are decoded one by one.
def _csv(text: bytes) -> Iterator[Row]:
    """Rows below a header. A cell that is empty and not quoted is None."""
    offset, line = len(BOM) if text.startswith(BOM) else 0, 1
    if text[offset : offset + 4].lower() == b"sep=" and b"\n" in text:  # as spreadsheets say it
        offset, line = text.index(b"\n") + 1, 2
    separator = _separator(text, offset)
    pattern = re.compile(CELL.pattern.replace(b",", separator))
    header: list[str] | None = None
    while True:
        skipped, offset = offset, LINE_ENDS.match(text, offset).end()  # type: ignore[union-attr]
        line += _line_ends(text, skipped, offset)
        if offset == len(text):
            break
        began = line
        cells, offset, lines = _record(pattern, text, offset, line)
        line += lines
        if header is None:
            header = _header(cells)
            continue
        if len(cells) > len(header):
            raise MalformedFile(f"The line has {len(cells)} cells, and the header {len(header)} names", began)
        yield began, dict(zip(header, cells, strict=False))
    if header is None:
        raise MalformedFile("The file has no header", 1)


def _record(pattern: re.Pattern[bytes], text: bytes, offset: int, line: int) -> tuple[list[str | None], int, int]:
    """The cells of one record, where the next begins, and how many lines it takes."""
    cells: list[str | None] = []
    start = offset
    while True:
        found = _cell(pattern, text, offset)
        if found is None:
            broken = line + text.count(b"\n", start, offset)
            raise MalformedFile("A quote stands within a cell, or has no end", broken)
        quoted, bare, end = found.groups()
        cell = (bare.decode() or None) if quoted is None else quoted.decode().replace('""', '"')
        offset = found.end()
        if (cell is not None and len(cell) > MAX_CELL_LENGTH) or (not end and offset < len(text)):
            raise MalformedFile(f"A cell is longer than {MAX_CELL_LENGTH} characters", line)
        cells.append(cell)
        if len(cells) > MAX_COLUMNS:
            raise MalformedFile(TOO_MANY_COLUMNS, line)
        if end == b"" or end[:1] in b"\r\n":
            lines = text.count(b"\n", start, offset) + (1 if end == b"\r" else 0)
            return cells, offset, lines


def _cell(pattern: re.Pattern[bytes], text: bytes, offset: int) -> re.Match[bytes] | None:
    """The cell that begins at ``offset``, or as much of a longer one as a cell may have."""
    ahead = min(len(text), offset + MAX_CELL_BYTES)
    found = pattern.match(text, offset, ahead)
    if found is None and ahead < len(text):
        cut = CUT_CELL.match(text, offset, ahead)
        return cut if cut is not None and cut.end() == ahead else None
    return found


def _line_ends(text: bytes, start: int, end: int) -> int:
    """How many lines end in a part of the text; the two characters of Windows are one end."""
    return text.count(b"\n", start, end) + text.count(b"\r", start, end) - text.count(b"\r\n", start, end)


def _header(cells: list[str | None]) -> list[str]:
    names = [(cell or "").strip() for cell in cells]
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise MalformedFile(f"The header names {twice} twice", 1)
    return names


def _separator(text: bytes, offset: int) -> bytes:
    """What stands most often between the names of the header; spreadsheets of some countries write semicolons."""
    head = text[offset : offset + MAX_CELL_LENGTH].partition(b"\n")[0]
    return max(SEPARATORS, key=lambda each: (head.count(each), each == b","))


def _ndjson(text: bytes) -> Iterator[Row]:
    """The objects in the lines that are not blank, none longer than what one record may be."""
    offset, line = len(BOM) if text.startswith(BOM) else 0, 1
    while True:
        blank, offset = offset, _behind_blanks(text, offset)
        line += text.count(b"\n", blank, offset)
        if offset == len(text):
            return
        end = text.find(b"\n", offset, offset + MAX_CELL_LENGTH + 1)
        if end < 0 and offset + MAX_CELL_LENGTH < len(text):
            raise MalformedFile(f"The line is longer than {MAX_CELL_LENGTH} bytes", line)
        end = len(text) if end < 0 else end
        yield line, _object(text[offset:end], line)
        offset = end


def _object(text: bytes, line: int) -> dict[str, Any]:
    try:
        found = strict_json.loads(text)
    except Failure as failure:
        raise MalformedFile(failure.text, line) from failure
    if not isinstance(found, dict):
        raise MalformedFile("Must be a JSON object", line)
    if len(found) > MAX_COLUMNS:
        raise MalformedFile(TOO_MANY_COLUMNS, line)
    return found


def _json(text: bytes) -> Iterator[Row]:
    """The objects of an array, each found by its braces and bounded before it is read."""
    offset, line = _behind_blanks(text, len(BOM) if text.startswith(BOM) else 0), 1
    if text[offset : offset + 1] != b"[":
        raise MalformedFile("The file must be a JSON array of objects", 1)
    begun, offset = 0, _behind_blanks(text, offset + 1)
    while text[offset : offset + 1] != b"]":
        line += text.count(b"\n", begun, offset)
        end = _end_of_object(text, offset, line)
        yield line, _object(text[offset:end], line)
        begun, offset = offset, _behind_blanks(text, end)
        if text[offset : offset + 1] == b",":
            offset = _behind_blanks(text, offset + 1)
            if text[offset : offset + 1] == b"]":
                raise MalformedFile(NOT_JSON, line)
        elif text[offset : offset + 1] != b"]":
            raise MalformedFile(NOT_JSON, line)
    if (rest := _behind_blanks(text, offset + 1)) < len(text):
        raise MalformedFile(NOT_JSON, line + text.count(b"\n", begun, rest))


def _behind_blanks(text: bytes, offset: int) -> int:
    return BLANKS.match(text, offset).end()  # type: ignore[union-attr]


def _end_of_object(text: bytes, offset: int, line: int) -> int:
    """Where the object ends that begins at ``offset``; what is within it is looked at by whoever reads it."""
    if text[offset : offset + 1] != b"{":
        raise MalformedFile("Must be a JSON object" if offset < len(text) else NOT_JSON, line)
    depth = 0
    for found in NESTING.finditer(text, offset, offset + MAX_CELL_LENGTH):
        token = found[0]
        if token == b'"':  # which has no end
            break
        depth += (token in b"{[") - (token in b"}]")
        if not depth:
            return found.end()
    if offset + MAX_CELL_LENGTH < len(text):
        raise MalformedFile(f"The object is longer than {MAX_CELL_LENGTH} bytes, or not valid JSON", line)
    raise MalformedFile(NOT_JSON, line)


def _checked(data: bytes) -> bytes:
    """The bytes of a file that is UTF-8 throughout."""
    decoder, view = getincrementaldecoder("utf-8")(), memoryview(data)
    for start in range(0, len(data) + 1, BLOCK):
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(view[start : start + BLOCK], final=start + BLOCK > len(data))
        except UnicodeDecodeError as error:
            broken = start - held + error.start
            raise MalformedFile(NOT_UTF_8, 1 + data.count(b"\n", 0, broken)) from None
    nul = data.find(b"\x00")
    if nul >= 0:
        raise MalformedFile("The file holds a NUL character", 1 + data.count(b"\n", 0, nul))
    return data
