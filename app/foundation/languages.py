"""Languages of texts for people: which one a request asks for, and the texts in it.

Texts stand in the code in English; ``app/translations/<language>.po`` holds the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import LazyProxy
from flask import has_request_context, request, session

from config import ROOT

DEFAULT = "en"
# What each language calls itself.
LANGUAGES = {"en": "English", "de": "Deutsch"}
FOLDER = ROOT / "app" / "translations"
MAX_HEADER = 500
# Both in the query and in Flask's session.
CHOICE, CHOSEN = "lang", "language"


@cache
def translations(language: str) -> NullTranslations:
    """The texts of a language, read once in a process."""
    if language == DEFAULT:
        return NullTranslations()
    with (FOLDER / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)


def current() -> str:
    """The language of the running request: the one in its query, the one chosen before, the browser's first that there
    is, or English."""
    if not has_request_context():
        return DEFAULT
    for chosen in (request.args.get(CHOICE), session.get(CHOSEN)):
        if chosen in LANGUAGES:
            return str(chosen)
    return accepted(LANGUAGES)


def accepted(offered: Collection[str]) -> str:
    """The one of the ``offered`` languages that the browser of the running request likes best, English where it likes
    none."""
    if len(request.headers.get("Accept-Language", "")) > MAX_HEADER:
        return DEFAULT
    # Werkzeug's best_match prefers an exact tag to an earlier one: "de-AT, en;q=0.5" would be answered in English.
    wanted = (re.split("[-_]", tag.lower())[0] for tag, quality in request.accept_languages if quality > 0)
    return next((language for language in wanted if language in offered), DEFAULT)


def remember() -> None:
    """Keep the language that the query of the request names, for the requests that follow."""
    chosen = request.args.get(CHOICE)
    if chosen in LANGUAGES and session.get(CHOSEN) != chosen:
        session[CHOSEN] = chosen


def gettext(text: str) -> str:
    """``text`` in the language of the running request."""
    return translations(current()).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """``one`` or ``many``, as ``number`` has it, in the language of the running request."""
    return translations(current()).ngettext(one, many, number)


def lazy(text: str) -> LazyProxy:
    """``text`` for a declaration: in the language of the request that shows it."""
    return LazyProxy(gettext, text, enable_cache=False)


def marked(text: str) -> str:
    """``text`` as it is, found by whoever collects what is to be translated."""
    return text
