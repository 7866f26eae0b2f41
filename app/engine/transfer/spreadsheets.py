"""The guard of texts in CSV against spreadsheets, which run a cell as a formula that begins with = + - or @.

Which cells a file has depends on who reads it: programs of some countries part them at semicolons, others at tabs, and
those know nothing of our quotes, so that a line may end within one. So an apostrophe stands in front of what begins a
formula wherever a cell may begin, and in front of an apostrophe there, by which the guard can be taken away again.
"""

from __future__ import annotations

import re

# Full-width forms count as the signs themselves in some programs; quotes in front may be taken for those of a cell.
SIGNS = r"=+@'\uFF1D\uFF0B\uFF0D\uFF20-"
# Where a text begins, tabs and ends of lines go unseen, too. PostgreSQL and Python read these alike.
AT_BEGINNING, WITHIN = rf'(?="*[\t\r\n{SIGNS}])', rf'(?="*[{SIGNS}])'
PLACES = rf"^{AT_BEGINNING}|(?<=[;\t\r\n]){WITHIN}"
_PLACE, _GUARD = re.compile(PLACES), re.compile(rf"^'{AT_BEGINNING}|(?<=[;\t\r\n])'{WITHIN}")
# By their first character and what they hold most texts need no closer look, which takes five times as long.
_FIRST = ", ".join(str(ord(each)) for each in "\t\r\n\"'=+-@\uff1d\uff0b\uff0d\uff20")
_SUSPECT = rf"ascii({{0}}) IN ({_FIRST}) OR {{0}} ~ '[;\t\r\n]'"
_IN_PLACES = "regexp_replace({0}, '" + PLACES.replace("'", "''") + "', '''', 'g')"
_GUARDED = f"CASE WHEN {_SUSPECT} THEN {_IN_PLACES} ELSE {{0}} END"


def guard(text: str) -> str:
    """Return a text with the guard."""
    return _PLACE.sub("'", text)


def bare(text: str) -> str:
    """Return a text without the guard."""
    return _GUARD.sub("", text)


def guarded(text: str) -> str:
    """Return the SQL of a text with the guard, from that of the text."""
    return _GUARDED.format(text)


def guarded_json(value: str) -> str:
    """Return the same of JSON, in which only a string can hold a semicolon, and can be written without."""
    return rf"replace(({value})::text, ';', '\u003b')"
