"""Chunking: a text is cut into overlapping chunks where its structure, or else its language, has an end.

Structure is what plain text shows: form feeds between pages, record separators between rows, headings and fenced
blocks of code as in Markdown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

# What ends a chunk, and behind what it had better end, best first, where no heading follows.
PAGE, ROW, PARAGRAPHS = "\f", "\x1e", ("\n\n", "\n", ". ", " ")
# Characters in rows that share a chunk, as what is shorter says too little by itself.
SHORT = 100
HEADING = re.compile(r"^[\f\x1e]?#{1,6} +(\S.*)$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~)(.*)$", re.MULTILINE)
MAX_HEADING = 300


@dataclass(frozen=True)
class Chunk:
    """A piece of a text, from ``start`` until before ``end``, with the heading that its middle stands under, and the
    page, from 1, where the text has pages."""

    start: int
    end: int
    content: str
    heading: str | None = None
    page: int | None = None


class _Structure:
    """Where the pages, headings and blocks of code of a text begin."""

    def __init__(self, text: str) -> None:
        self._blocks = list(_blocks(text))
        self._pages = [found.start() for found in re.finditer(PAGE, text)]
        headings = [found for found in HEADING.finditer(text) if self.block_around(found.start()) is None]
        self._headings = [found.start() for found in headings]
        self._titles = [found[1].rstrip(" #")[:MAX_HEADING] for found in headings]

    def block_around(self, place: int) -> int | None:
        """The beginning of the block of code that a place is inside of."""
        number = bisect_right(self._blocks, place, key=itemgetter(0)) - 1
        if number < 0:
            return None
        start, end = self._blocks[number]
        return start if start < place < end else None

    def last_heading(self, after: int, until: int) -> int | None:
        """The beginning of the last heading behind a place, until another."""
        number = bisect_right(self._headings, until) - 1
        return self._headings[number] if number >= 0 and self._headings[number] > after else None

    def heading_at(self, place: int) -> str | None:
        number = bisect_right(self._headings, place) - 1
        return self._titles[number] if number >= 0 else None

    def page_at(self, place: int) -> int | None:
        return bisect_right(self._pages, place) + 1 if self._pages else None


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where blocks of code begin and end; one that is never closed is none."""
    opened: re.Match[str] | None = None
    for found in FENCE.finditer(text):
        if opened is None:
            opened = found
        elif found[1] == opened[1] and not found[2].strip():
            yield opened.start(), found.end()
            opened = None


def cut(text: str, size: int, overlap: int) -> Iterator[Chunk]:
    """Cut ``text`` into chunks of at most ``size`` characters, each of which begins up to ``overlap``, and half of
    ``size`` at most, before the end of the one before. Blank chunks are left out."""
    structure = _Structure(text)
    start, overlap = 0, min(overlap, size // 2)
    while start < len(text):
        end = _end(text, structure, start, size)
        content = text[start:end].strip()
        if content:
            middle = (start + end) // 2
            yield Chunk(start, end, content, structure.heading_at(middle), structure.page_at(middle))
        if end == len(text):
            return
        start = _start(text, structure, start, end, overlap)


def _end(text: str, structure: _Structure, start: int, size: int) -> int:
    latest, half = start + size, start + size // 2
    page = text.find(PAGE, start + 1, latest)
    row = text.find(ROW, start + min(SHORT, size // 2), latest if page == -1 else page)
    if page != -1 or row != -1:
        return page if row == -1 else row
    if latest >= len(text):
        return len(text)
    heading = structure.last_heading(half, latest)
    if heading is not None:
        return heading
    block = structure.block_around(latest)
    if block is not None and block > half:
        return block
    for boundary in PARAGRAPHS:
        found = text.rfind(boundary, half, latest)
        if found != -1:
            return found + len(boundary)
    return latest


def _start(text: str, structure: _Structure, before: int, end: int, overlap: int) -> int:
    """Begin inside the overlap, at a word, or with the page, the row or the heading that follows; always further on
    than the passage before."""
    if text[end] in (PAGE, ROW) or structure.last_heading(end - 1, end) is not None:
        return end
    earliest = max(end - overlap, before + 1)
    word = text.find(" ", earliest, end)
    return word + 1 if word != -1 else end if overlap == 0 else earliest
