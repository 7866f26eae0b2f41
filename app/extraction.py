"""Text out of files: plain text, Markdown, HTML and PDF."""

from __future__ import annotations

import io
import re

from bs4 import BeautifulSoup
from pypdf import PdfReader
from pypdf.errors import PyPdfError

HTML, PDF = ("text/html", "application/xhtml+xml"), "application/pdf"
READABLE = ("text/", "application/json", *HTML, PDF)
UNSEEN = ("script", "style", "noscript", "template", "head")
LONGEST = 1_000_000


class Unreadable(Exception):
    """A file that holds no text, or none that can be got at."""


def is_readable(content_type: str) -> bool:
    """Whether text can be read from files of this type."""
    return content_type.startswith(READABLE)


def text_of(content: bytes, content_type: str) -> str:
    """The text in ``content``, cut after a million characters; raises Unreadable."""
    if content_type == PDF:
        text = _of_pdf(content)
    elif content_type in HTML:
        text = _of_html(content)
    else:
        text = content.decode("utf-8", errors="replace")
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if not text:
        raise Unreadable("The file holds no text")
    return text[:LONGEST]


def _of_pdf(content: bytes) -> str:
    try:
        reader = PdfReader(io.BytesIO(content))
        return "\n\n".join(page.extract_text() for page in reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unreadable("The file is no PDF that can be read") from error


def _of_html(content: bytes) -> str:
    page = BeautifulSoup(content, "html.parser")
    for unseen in page(UNSEEN):
        unseen.decompose()
    return re.sub(r"\n\s*\n+", "\n\n", page.get_text("\n"))
