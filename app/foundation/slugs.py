"""Texts as parts of addresses."""

from __future__ import annotations

import re
import unicodedata

APART = re.compile(r"[^a-z0-9]+")


def slug_of(text: str, length: int = 200) -> str:
    """Return a text in lower-case letters of ASCII and digits, joined by dashes; empty where it has none."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return APART.sub("-", plain).strip("-")[:length].strip("-")
