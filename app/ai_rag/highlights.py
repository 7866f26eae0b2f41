"""Highlights: where in a passage the words of a question stand, in any of their forms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.orm import Session

WORD = re.compile(r"\w+")
FORMS = text(
    "SELECT word FROM unnest(CAST(:words AS text[])) AS word, unnest(CAST(:configurations AS text[])) AS configuration"
    " WHERE tsvector_to_array(to_tsvector(CAST(configuration AS regconfig), word)) && CAST(:lexemes AS text[])"
)


def places(
    session: Session,
    passages: Sequence[str],
    lexemes: Sequence[str],
    prefixes: Sequence[str],
    configurations: Sequence[str],
) -> list[list[tuple[int, int]]]:
    """Where each passage holds a word of these ``lexemes`` or ``prefixes``: from which character until before which."""
    words = {found[0].lower() for passage in passages for found in WORD.finditer(passage)}
    asked = {"words": sorted(words), "lexemes": list(lexemes), "configurations": list(configurations)}
    meant = set(session.scalars(FORMS, asked))
    if prefixes:
        meant.update(word for word in words if word.startswith(tuple(prefixes)))
    return [[found.span() for found in WORD.finditer(passage) if found[0].lower() in meant] for passage in passages]
