"""Bodies and files that are small to send and dear to take."""

from __future__ import annotations

import json
import zlib
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from app.engine.declare.kinds import Enum
from app.engine.declare.record import Field, Record
from blueprints.openapi.queries import filterable

MEGABYTE = 1_000_000
# Under these two marks a character is put into its normal order anew with each pair.
MARKS = "\u0301\u0323"


def marked(size: int) -> str:
    """``size`` bytes of combining marks, which normalization sorts."""
    return "a" + MARKS * (size // len(MARKS.encode()))


def document(body: Any) -> bytes:
    """``body`` as JSON that escapes nothing, so that it holds as many characters as it may."""
    return json.dumps(body, ensure_ascii=False).encode()


def pdf(pages: int, lines: int) -> bytes:
    """A PDF of ``pages`` that share one stream of ``lines`` of text."""
    content = b"BT /F 9 Tf " + b"(word) Tj 0 1 Td " * lines + b"ET"
    packed = zlib.compress(content, 9)
    kids = b" ".join(b"%d 0 R" % (5 + number) for number in range(pages))
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
    ]
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /Font << /F 3 0 R >> >> >>"
    )
    return _numbered([*parts, *([page] * pages)])


def _numbered(parts: list[bytes]) -> bytes:
    """The objects of a PDF with their table."""
    written, places = bytearray(b"%PDF-1.7\n"), []
    for number, part in enumerate(parts, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size, start = len(parts) + 1, len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    return bytes(written) + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start)


def comments(size: int) -> bytes:
    """HTML of comments that never end, each of which is looked through to the end of the page."""
    return b"<html>" + b"<!--" * (size // 4)


def quotes(size: int) -> bytes:
    """HTML of quotes that never end, inside tags."""
    return b"<html>" + b"<a b='" * (size // 6)


def nested(size: int) -> bytes:
    """HTML as deep as it is long: every three bytes are an element to keep."""
    return b"<html>" + b"<b>" * (size // 3) + b"word"


# Files that read slowly, with their types.
SLOW_FILES = [
    (nested(6 * MEGABYTE), "text/html"),
    (quotes(256_000), "text/html"),
    *[(pdf(pages, 20_000), "application/pdf") for pages in (500, 1000, 2000)],
    *[(comments(size), "text/html") for size in (128_000, MEGABYTE)],
    (nested(MEGABYTE), "text/html"),
]


def large_bodies() -> list[bytes]:
    """JSON of just a megabyte, each in its own way."""
    digits, pairs = b"1" * MEGABYTE, b",".join(b'"%d":0' % number for number in range(100_000))
    deep = b"[" * 30 + b"]" * 30
    return [
        b'{"name": %s}' % digits,
        b'{"name": 0.%s}' % digits,
        b'{"name": "%s"}' % digits,
        b'{"name": [%s]}' % b",".join([deep] * (MEGABYTE // 61)),
        b'{"name": [%s]}' % b",".join([b"[]"] * (MEGABYTE // 3)),
        b'{"name": [%s]}' % b",".join([b"0"] * (MEGABYTE // 2)),
        b'{"name": {%s}}' % pairs,
        b"{%s}" % pairs,
    ]


def promise(draft: str, values: int) -> dict[str, Any]:
    """A JSON Schema with many distinct objects, which some drafts compare with each other."""
    return {"$schema": f"http://json-schema.org/{draft}/schema#", "enum": [{"a": number} for number in range(values)]}


def agent(schema: dict[str, Any]) -> dict[str, Any]:
    """An agent that promises data."""
    return {"name": "Promising", "instructions": "Work.", "outputSchema": schema}


def text(size: int) -> str:
    """A text of ``size`` characters, without paragraphs, that nobody has had before."""
    return (f"{uuid4().hex} " * (size // 32))[:size]


def filter_value(field: Field) -> str:
    """A value that a filter by ``field`` takes."""
    kind = field.spec.kind.name
    if field.references or field.attribute == "id":
        return str(UUID(int=1))
    if isinstance(field.spec.kind, Enum):
        return next(iter(field.spec.kind.values))
    return {"integer": "1", "number": "1", "boolean": "true", "timestamp": "2026-01-01T00:00:00Z"}.get(kind, "x")


def filtered(model: type[Record], number: int) -> str:
    """The path of a list with the set of filters that the bits of ``number`` choose."""
    chosen = [field for place, field in enumerate(filterable(model)) if number >> place & 1]
    return f"{model.collection_path()}?{urlencode({field.name: filter_value(field) for field in chosen})}"
