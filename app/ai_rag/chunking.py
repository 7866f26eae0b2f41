"""Chunking: a text is cut into overlapping chunks at paragraphs, lines, sentences or words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

# Where a chunk had better end, best first.
BOUNDARIES = ("\n\n", "\n", ". ", " ")


@dataclass(frozen=True)
class Chunk:
    """A piece of a text, from ``start`` until before ``end``."""

    start: int
    end: int
    content: str


def cut(text: str, size: int, overlap: int) -> Iterator[Chunk]:
    """Cut ``text`` into chunks of at most ``size`` characters, each of which begins up to ``overlap``, and half of
    ``size`` at most, before the end of the one before. Blank chunks are left out."""
    start, overlap = 0, min(overlap, size // 2)
    while start < len(text):
        end = _end(text, start, size)
        content = text[start:end].strip()
        if content:
            yield Chunk(start, end, content)
        if end == len(text):
            return
        start = _start(text, start, end, overlap)


def _end(text: str, start: int, size: int) -> int:
    latest = start + size
    if latest >= len(text):
        return len(text)
    for boundary in BOUNDARIES:
        found = text.rfind(boundary, start + size // 2, latest)
        if found != -1:
            return found + len(boundary)
    return latest


def _start(text: str, before: int, end: int, overlap: int) -> int:
    """Begin inside the overlap, at a word; always further on than the passage before."""
    earliest = max(end - overlap, before + 1)
    word = text.find(" ", earliest, end)
    return word + 1 if word != -1 else end if overlap == 0 else earliest
