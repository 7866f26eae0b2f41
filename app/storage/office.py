"""Texts of office documents, by kreuzberg where the extra ``office-documents`` is installed: headings and tables as in
Markdown, slides as pages, each row of a sheet by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import PurePath
from secrets import token_hex
from typing import TYPE_CHECKING

from app.runtime.sandboxed import Refusal
from app.storage import tables

if TYPE_CHECKING:
    from kreuzberg import ExtractionResult

OPEN_XML = "application/vnd.openxmlformats-officedocument"
SLIDES, SHEETS = f"{OPEN_XML}.presentationml.presentation", f"{OPEN_XML}.spreadsheetml.sheet"
TYPES = {
    ".docx": f"{OPEN_XML}.wordprocessingml.document",
    ".pptx": SLIDES,
    ".xlsx": SHEETS,
    ".epub": "application/epub+zip",
    ".eml": "message/rfc822",
}


def is_readable(content_type: str) -> bool:
    """Whether text can be read from files of this type here."""
    return content_type in TYPES.values() and _is_installed()


def type_of_name(name: str) -> str | None:
    """The type that the name of a file says it has."""
    return TYPES.get(PurePath(name).suffix.lower())


@cache
def _is_installed() -> bool:
    return find_spec("kreuzberg") is not None


def pieces_of(content: bytes, content_type: str, page_break: str, most: int) -> Iterable[str]:
    """The text of a document of ``most`` slides or sheets at most, in pieces; raises Refusal."""
    from kreuzberg import ExtractionConfig, KreuzbergError, PageConfig, extract_bytes_sync

    # Nothing else survives as it is between two slides, and no slide can know it.
    slide = f"slide{token_hex(16)}"
    config = ExtractionConfig(
        use_cache=False, enable_quality_processing=False, output_format="markdown",
        pages=PageConfig(insert_page_markers=True, marker_format=f"\n\n{slide}{{page_num}}\n\n"),
    )  # fmt: skip
    try:
        found = extract_bytes_sync(content, content_type, config)
    except KreuzbergError as error:
        raise Refusal("It is broken, protected by a password, or too large unpacked") from error
    if content_type == SHEETS:
        return _of_sheets(found, most)
    return _of_slides(found.content.split(slide), page_break, most) if content_type == SLIDES else [found.content]


def _of_sheets(found: ExtractionResult, most: int) -> Iterator[str]:
    names = found.metadata.get("sheet_names", [])
    if len(names) > most:
        raise Refusal(f"It has more than {most} sheets")
    for table in found.tables:
        yield from tables.of_rows(table.cells, names[table.page_number - 1])


def _of_slides(slides: list[str], page_break: str, most: int) -> Iterator[str]:
    if len(slides) - 1 > most:
        raise Refusal(f"It has more than {most} slides")
    for number, slide in enumerate(slides[1:]):
        yield (page_break if number else "") + slide.lstrip("0123456789").strip()
