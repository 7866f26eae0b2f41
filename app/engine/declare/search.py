"""Search by words: the text-search vector that a model with ``searchable`` fields keeps, and what is looked for in it.

Text is folded alike on both sides: compatibility forms apart (NFKD, Unicode Standard Annex 15) and without combining
marks, and marks of punctuation part words, so that ``ada@exam`` finds ``ada@example.com``. No extension is needed.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence

# A text-search vector holds 1 MB.
MAX_LENGTH = 100_000
COLUMN = "search_text"
# Combining marks that people leave out: the blocks of general ones, the points of Hebrew and Arabic, voiced kana.
MARKS = (
    r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a"
    r"\ufe20-\ufe2f"
)
MARK = re.compile(f"[{MARKS}]")
PUNCTUATION = string.punctuation
SPACES = str.maketrans(PUNCTUATION, " " * len(PUNCTUATION))


def vector(columns: Sequence[str]) -> str:
    """The SQL of the vector over text ``columns``."""
    text = " || ' ' || ".join(f"coalesce({column}, '')" for column in columns)
    bare = f"regexp_replace(normalize({text}, NFKD), '[{MARKS}]', '', 'g')"
    quoted = PUNCTUATION.replace("'", "''")
    words = f"translate({bare}, '{quoted}', '{' ' * len(PUNCTUATION)}')"
    return f"to_tsvector('simple', left({words}, {MAX_LENGTH}))"


def words_of(asked: str) -> list[str]:
    """The words that ``asked`` consists of, folded; none where it holds no letter and no digit."""
    bare = MARK.sub("", unicodedata.normalize("NFKD", asked))
    return [word for word in bare.translate(SPACES).split() if any(map(str.isalnum, word))]


def prefixes(words: Sequence[str]) -> str:
    """The text of a query that every one of ``words`` has to match as a prefix, for ``to_tsquery``."""
    return " & ".join(f"'{word}':*" for word in words)
