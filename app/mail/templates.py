"""Templates of mails: one per kind and language, put together as plain text and as HTML by two layouts.

A kind's template says sentences in blocks. They are rendered as plain text, and the HTML layout escapes what came of
it, so a value is escaped once, wherever it stands.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape

from app.extension_points import MAIL_FOLDERS
from app.foundation.languages import DEFAULT

FOLDER = Path(__file__).parents[1] / "templates" / "mail"
# What every kind says alike, such as the greeting; a kind's own block takes its place.
SHARED = "shared"

MAX_SUBJECT = 110
MAX_LINE = 200
MAX_BODY = 4000
MAX_URL = 2000
MAX_ITEMS = 200

_URL = re.compile(r'https?://[^\s"<>\\]+', re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n\s*\n")
# What a reader's program makes a link of by itself: schemes, and dots that a name follows, in whatever script. The dots
# of other scripts are those that browsers take for one.
_SCHEME = re.compile(r"(?<=:)(?=//)")
_DOTTED = re.compile(r"(?<=\S[.\u3002\uff0e\uff61])(?=[^\W\d_])")
# Values that are no words of people.
_OURS = ("link", "unsubscribe", "address")
# They turn the direction of the text around them, so a name could rewrite the sentence that it stands in.
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class Library:
    """All templates: ours, and behind them those of plugins, by their kind and language."""

    environment: Environment
    found: frozenset[tuple[str, str]]

    def spoken(self, kind: str, language: str) -> str:
        """The language that a kind is in for whoever speaks ``language``."""
        return language if (kind, language) in self.found else DEFAULT


@cache
def _library(folders: tuple[Path, ...]) -> Library:
    environment = Environment(
        loader=FileSystemLoader(folders),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    named = (path.name.split(".") for folder in folders for path in folder.glob("*.*.txt"))
    return Library(environment, frozenset((kind, language) for kind, language, _ in named))


def library() -> Library:
    """The templates of everything that is loaded."""
    return _library(tuple(MAIL_FOLDERS))


def kinds() -> list[str]:
    """The kinds of mail that there are."""
    return sorted({kind for kind, _ in library().found} - {SHARED})


# In which the service itself speaks.
LANGUAGES = (DEFAULT, *sorted(language for kind, language in _library((FOLDER,)).found
                              if kind == SHARED and language != DEFAULT))  # fmt: skip


@dataclass(frozen=True)
class Rendered:
    """A mail in words: what its subject and its two bodies say."""

    subject: str
    text: str
    html: str


def render(kind: str, language: str, values: Mapping[str, Any], *, product: str, logo: str = "") -> Rendered:
    """A mail of ``kind`` in ``language``, in English where there is no translation.

    Raises LookupError for an unknown kind and for a kind that needs a link and got none, and jinja2's UndefinedError
    for any other missing value. A link that is not http or https is left out.
    """
    known_templates = library()
    if kind == SHARED or (kind, DEFAULT) not in known_templates.found:
        raise LookupError(f"There is no mail of the kind {kind}")
    environment, spoken = known_templates.environment, known_templates.spoken(kind, language)
    own = environment.get_template(f"{kind}.{spoken}.txt")
    shared = environment.get_template(f"{SHARED}.{known_templates.spoken(SHARED, spoken)}.txt")
    known = {name: _cleaned(name, value) for name, value in values.items()} | {"product": _line(product, MAX_LINE)}
    said = {name: _block(own, name, known) or _block(shared, name, known) for name in {*own.blocks, *shared.blocks}}
    subject = _line(said["subject"], MAX_SUBJECT)
    parts = said | {
        "subject": subject,
        "language": spoken,
        "product": known["product"],
        "logo": _url(logo),
        "paragraphs": [each.splitlines() for each in _BLANK_LINES.split(said["text"]) if each.strip()],
        # A kind that names its button makes no sense without a link.
        "link": _url(values["link"] if "label" in own.blocks else values.get("link")),
        "unsubscribe": _url(values.get("unsubscribe")),
    }
    text = environment.get_template("layout.txt").render(parts)
    # One of a plugin's own extends the layout.
    html = environment.select_template([f"{kind}.{spoken}.html", "layout.html"]).render(known | parts)
    return Rendered(subject, text.strip() + "\n", html.strip() + "\n")


def _block(template: Template, name: str, values: Mapping[str, Any]) -> str:
    """What a block says; nothing where the template has no such block."""
    if name not in template.blocks:
        return ""
    return "".join(template.blocks[name](template.new_context(dict(values)))).strip()


def _cleaned(name: str, value: Any) -> Any:
    """A value as a template may write it; a body alone has more than one line. Lists and objects are cleaned within."""
    if isinstance(value, bool):
        return value
    if isinstance(value, list | tuple):
        return [_cleaned(name, each) for each in value[:MAX_ITEMS]]
    if isinstance(value, dict):
        return {key: _cleaned(str(key), each) for key, each in value.items()}
    text = "" if value is None else str(value)
    clean = _seen if name in _OURS else _unlinked
    if name != "body":
        return _cut(clean(text), MAX_LINE)
    return _cut("\n".join(map(clean, text.strip().splitlines())), MAX_BODY)


def _unlinked(text: str) -> str:
    """A line that people have typed, with a space in what would become a link: a mail says names, and leads where the
    service wants."""
    return _DOTTED.sub(" ", _SCHEME.sub(" ", _seen(text)))


def _line(text: str, length: int) -> str:
    """One line of at most ``length`` characters."""
    return _cut(_seen(text), length)


def _seen(text: str) -> str:
    """One line of characters that are seen, or needed by those beside them."""
    # Control characters and halves of surrogate pairs cannot be sent; those that are whitespace part words.
    seen = (
        character
        for character in " ".join(text.split())
        if unicodedata.category(character) not in ("Cc", "Cs") and character not in _DIRECTIONS
    )
    return " ".join("".join(seen).split())


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _url(value: object) -> str:
    """An address as it may stand in a link; nothing of one that is not http or https."""
    text = str(value or "")
    return text if len(text) <= MAX_URL and text.isprintable() and _URL.fullmatch(text) else ""
