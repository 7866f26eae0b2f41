"""Entity tags as they are written (RFC 9110, section 8.8.3): ours are the version of the row and a digest of the body,
``"7-1f0c53d2a6b4e890"``."""

from __future__ import annotations

import re

from app.engine.write.preconditions import Precondition
from app.foundation.errors import Invalid

TAG = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
# Each blank has one place to belong to, so that a malformed list is refused in the time it takes to read it.
TAGS = re.compile(rf"(?:{TAG.pattern}[ \t]*)?(?:,[ \t]*(?:{TAG.pattern}[ \t]*)?)*")
OURS = re.compile(r"([1-9][0-9]{0,17})(-[0-9a-f]{16})?", re.ASCII)
NOT_TAGS = "Must be entity tags in quotes, or *."


def read(text: str, name: str) -> Precondition:
    """The versions that ``text`` names, as a parameter may without quotes. A weak tag counts in our own form alone,
    which a proxy that compresses makes weak. Raises Invalid."""
    text = text.strip(" \t")
    if text == "*":
        return Precondition()
    if OURS.fullmatch(text):
        text = f'"{text}"' if name != "If-Match" else text
    if '"' not in text or not TAGS.fullmatch(text):
        raise Invalid({name: [NOT_TAGS]})
    named = ((weak, OURS.fullmatch(value)) for weak, value in TAG.findall(text))
    return Precondition(frozenset(int(found[1]) for weak, found in named if found and (not weak or found[2])))


def known(text: str) -> frozenset[str]:
    """The tags in If-None-Match, without quotes. What is no tag matches none: to send the answer again does no harm."""
    text = text.strip(" \t")
    if text == "*" or OURS.fullmatch(text):
        return frozenset([text])
    return frozenset(value for _, value in TAG.findall(text)) - {"*"}  # in quotes it is a tag, and none of ours
