"""Texts for people: every one has its German, and the catalogue holds nothing else."""

from __future__ import annotations

import re

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from app.foundation import languages
from config import ROOT

# What text passes through; ``_`` stands for any of them.
WORDS = {"_": None, "gettext": None, "lazy": None, "marked": None, "ngettext": (1, 2)}
SOURCES = {"app": [("**.html", "jinja2"), ("**.py", "python")], "blueprints": [("pages/**.py", "python")]}
PLACE = re.compile(r"%\(\w+\)s")


def used():
    """Every text that is marked for translation, in the singular."""
    found = set()
    for folder, methods in SOURCES.items():
        for _, _, message, _, _ in extract_from_dir(ROOT / folder, methods, keywords=WORDS):
            found.add(message if isinstance(message, str) else message[0])
    return found


@pytest.fixture(scope="module", params=[each for each in languages.LANGUAGES if each != languages.DEFAULT])
def catalogue(request):
    with (languages.FOLDER / f"{request.param}.po").open("rb") as file:
        return read_po(file, locale=request.param)


def ids(message):
    return message.id if isinstance(message.id, str) else message.id[0]


def test_every_text_has_a_translation_and_every_translation_a_text(catalogue):
    done = [each for each in catalogue if each.id and each.string and all(each.string) and not each.fuzzy]
    assert sorted(used() - {ids(message) for message in done}) == []
    assert sorted({ids(message) for message in catalogue if message.id} - used()) == []


def places(texts):
    """The names of what is filled into a text, in any of its forms."""
    return {name for each in ([texts] if isinstance(texts, str) else texts) for name in PLACE.findall(each)}


def test_what_is_filled_into_a_text_is_filled_into_its_translation(catalogue):
    assert [message.id for message in catalogue if message.id and places(message.id) != places(message.string)] == []
