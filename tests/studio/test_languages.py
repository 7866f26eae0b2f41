"""German is complete: each model, field, value and domain of the service has a word. Texts that miss do not compile."""

from __future__ import annotations

import re

import pytest

from app.engine.dictionary import dictionary
from config import ROOT

GERMAN = ROOT / "studio" / "src" / "i18n" / "languages" / "de"
NAMES = (GERMAN / "names.ts").read_text()


def words(section: str) -> set[str]:
    """The names that a part of the file has words for."""
    (_, rest) = NAMES.split(f"  {section}: {{", 1)
    return set(re.findall(r'(?:^|[,{\s])"?([\w./-]+)"?: (?=["\[])', rest.split("\n  },", 1)[0]))


@pytest.fixture(scope="module")
def models(app):
    with app.app_context():
        domains = dictionary()["domains"]
    return {f"{domain['name']}/{model['name']}": model for domain in domains for model in domain["models"]}


def test_each_domain_and_model_has_a_german_name(models):
    assert {name.split("/")[0] for name in models} <= words("domains")
    assert set(models) <= words("models")


def test_each_field_has_a_german_name(models):
    assert {field["name"] for model in models.values() for field in model["fields"]} <= words("fields")


def test_each_value_of_an_enumeration_has_a_german_name(models):
    kinds = [field["type"] for model in models.values() for field in model["fields"]]
    values = {value for kind in kinds for found in re.findall(r"enum\[(.*?)\]", kind) for value in found.split(",")}
    assert len(values) > 100
    assert values <= words("values")


def test_each_note_of_a_field_that_is_entered_is_said_in_german(cast):
    models = [model for domain in cast.admin.get("/api/v1/_catalogue").json["domains"] for model in domain["models"]]
    entered = {field.get("note") for model in models for field in model["fields"] if field["settable"]} - {None}
    assert len(entered) > 80
    notes = (GERMAN / "notes.ts").read_text()
    assert {note for note in entered if f'"{note}":' not in notes and f"  {note}:" not in notes} == set()
