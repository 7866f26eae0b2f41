"""Text extraction from plain text, Markdown, HTML, PDF, tables and office documents, in the sandbox."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

from app.runtime import sandbox
from app.runtime.sandboxed import Refusal
from app.storage import office, tables

if TYPE_CHECKING:  # the child process needs no settings
    from config import Settings

HTML, PDF, CSV = ("text/html", "application/xhtml+xml"), "application/pdf", ("text/csv", "text/tab-separated-values")
READABLE = ("text/", "application/json", *HTML, PDF)
# Stands before each page but the first, as in plain text that is printed.
PAGE_BREAK = "\f"
UNSEEN = ("script", "style", "noscript", "template", "head")
# What stands around the text of a page.
AROUND = ("nav", "aside")


class Unreadable(Refusal):
    """A file that holds no text, none that can be got at, or too much of it."""


def is_readable(content_type: str) -> bool:
    """Whether text can be read from files of this type."""
    return content_type.startswith(READABLE) or office.is_readable(content_type)


def extract(
    source: IO[bytes], content_type: str, settings: Settings, charset: str | None = None, seconds: int | None = None
) -> str:
    """The text in the file ``source``, read in ``charset`` where its sender names one; raises Unreadable, also when to
    read it takes more than the settings, or ``seconds`` of a processor, allow."""
    try:
        return sandbox.run(
            "app.storage.extraction:text_of", source,
            seconds=seconds or settings.extraction_seconds, memory=settings.extraction_memory,
            content_type=content_type, pages=settings.extraction_pages, characters=settings.extraction_characters,
            charset=charset,
        )  # fmt: skip
    except Refusal as refusal:
        raise Unreadable(f"The text of the file cannot be had: {refusal}") from None


def text_of(content: bytes, content_type: str, pages: int, characters: int, charset: str | None = None) -> str:
    """The text in ``content``; raises Unreadable."""
    if content_type == PDF:
        pieces = _of_pdf(content, pages)
    elif content_type in HTML:
        pieces = [_of_html(content, charset)]
    elif content_type in CSV:
        pieces = _of_csv(_decoded(content, charset))
    elif office.is_readable(content_type):
        pieces = office.pieces_of(content, content_type, PAGE_BREAK, pages)
    else:
        pieces = [_decoded(content, charset)]
    text = _joined(pieces, characters).replace("\x00", "").replace("\r\n", "\n").strip(" \t\r\n" + tables.ROW_BREAK)
    if not text.strip():
        raise Unreadable("It holds no text")
    return text


def _joined(pieces: Iterable[str], characters: int) -> str:
    kept, length = [], 0
    for piece in pieces:
        kept.append(piece)
        length += len(piece)
        if length > characters:
            raise Unreadable(f"It holds more than {characters} characters")
    return "\n\n".join(kept)


def _of_pdf(content: bytes, most: int) -> Iterable[str]:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(content))
        if len(reader.pages) > most:
            raise Unreadable(f"It has more than {most} pages")
        for number, page in enumerate(reader.pages):
            yield (PAGE_BREAK if number else "") + page.extract_text()
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unreadable("It is no PDF that can be read") from error


def _of_csv(text: str) -> Iterable[str]:
    try:
        yield from tables.of_csv(text)
    except csv.Error as error:
        raise Unreadable("It is no table that can be read") from error


def _decoded(content: bytes, charset: str | None) -> str:
    return content.decode(_known(charset), errors="replace").removeprefix("\ufeff")


def _known(charset: str | None) -> str:
    try:
        return codecs.lookup(charset or "utf-8").name
    except LookupError:
        return "utf-8"


def _of_html(content: bytes, charset: str | None) -> str:
    """The main text of a page: what it marks as such, and else all but what stands around it."""
    from bs4 import BeautifulSoup

    page = BeautifulSoup(content, "html.parser", from_encoding=charset)
    articles = page("article", limit=2)
    main = page.find("main") or (articles[0] if len(articles) == 1 else None)
    for unseen in page(UNSEEN):
        unseen.decompose()
    whole = page.get_text("\n")
    for around in (main or page)(AROUND if main else (*AROUND, "header", "footer")):
        around.decompose()
    text = (main or page).get_text("\n")
    return re.sub(r"\n\s*\n+", "\n\n", text if text.strip() else whole)
