"""What was measured, in the page of the documentation that speaks of it."""

from __future__ import annotations

import re
from pathlib import Path

from config import ROOT

PAGE = ROOT / "docs" / "performance.md"


def fill(name: str, content: str, page: Path = PAGE) -> None:
    """Write what ``make NAME`` measured between its marks."""
    page.write_text(filled(page.read_text(), name, content))


def filled(text: str, name: str, content: str) -> str:
    """The text with ``content`` between the marks of ``name``."""
    begin, end = f"<!-- measured by make {name} -->", f"<!-- end of make {name} -->"
    marked = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    return marked.sub(lambda _: f"{begin}\n\n{content}\n\n{end}", text)
