"""How a question is put: what it is about, and what its operators ask of passages.

    ferry "leaves at noon" -summer harb*

Passages have to hold the phrases, and must not hold what has a minus; a star stands for any end of a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# The most operators of a question that are heeded; others are left out.
MAX_OPERATORS = 20
OPERATOR = re.compile(r'(?<!\S)(?:(?P<minus>-?)"(?P<phrase>[^"]+)"|-(?P<without>\w\S*)|(?P<prefix>\w{2,100})\*(?!\S))')


@dataclass(frozen=True)
class Wording:
    """The text of a question without its operators, and these."""

    text: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()


def parsed(question: str) -> Wording:
    """Read the operators of a question."""
    phrases, without, prefixes, rest, place = [], [], [], [], 0
    for number, found in enumerate(OPERATOR.finditer(question)):
        rest.append(question[place : found.start()])
        place = found.end()
        if number >= MAX_OPERATORS:
            continue
        if found["prefix"]:
            prefixes.append(found["prefix"].lower())
        elif found["without"] or found["minus"]:
            without.append(found["without"] or found["phrase"])
        else:
            phrases.append(found["phrase"])
            rest.append(found["phrase"])
    text = " ".join(filter(None, (each.strip() for each in (*rest, question[place:]))))
    return Wording(text, tuple(phrases), tuple(without), tuple(prefixes))
