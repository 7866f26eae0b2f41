"""German is complete: each model, field, value and domain of the service has a word. Texts that miss do not compile.
English has no text that nobody reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.dictionary import dictionary
from config import ROOT

SOURCES = ROOT / "studio" / "src"
GERMAN = SOURCES / "i18n" / "languages" / "de"
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


# Where it is said what is wrong with records. Account pages and the routes of clients speak for themselves.
REFUSING = (
    "app/*/*hooks.py",
    "app/engine/**/*.py",
    "app/storage/*.py",
    "app/foundation/errors.py",
    "app/auth/errors.py",
    "app/auth/api_keys.py",
    "app/platform/saved_views.py",
    "schemas/fields.py",
    "schemas/kinds.py",
    "schemas/derive.py",
    "schemas/api_keys.py",
    "schemas/views.py",
)
REFUSALS = {"Forbidden", "Conflict", "Invalid", "ValidationError", "require"}


def said(node: ast.AST) -> str:
    """The text that a literal is, with {} for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def literals(node: ast.AST) -> Iterator[str]:
    """The texts in a part of a module."""
    if text := said(node):
        yield text
    else:
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


def refusals(path: Path) -> Iterator[str]:
    """The sentences by which a module refuses something."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            is_refusal = getattr(node.func, "id", getattr(node.func, "attr", "")) in REFUSALS
            told = [each.value for each in node.keywords if each.arg == "error"]
            for given in (*(node.args if is_refusal else ()), *told):
                yield from literals(given)


def test_each_refusal_of_a_record_is_said_in_german():
    german = (GERMAN / "refusals.ts").read_text()
    found = {
        text.replace("{choices}", "{}")
        for pattern in REFUSING
        for path in ROOT.glob(pattern)
        for text in refusals(path)
    }
    sentences = {text for text in found if re.match(r"[A-Za-z{].* ", text)}
    assert len(sentences) > 90
    assert {text for text in sentences if f'"{text}": ' not in german} == set()


def texts() -> set[str]:
    """The keys of the studio's own texts, such as `list.filter`."""
    found = set()
    for path in sorted((SOURCES / "i18n" / "languages" / "en").glob("*.ts")):
        group = ""
        for line in path.read_text().splitlines():
            opened = re.match(r"  (\w+): \{", line)
            group = f"{opened[1]}." if opened else "" if re.match(r"  \w|  \}", line) else group
            found |= {
                f"{group}{name}" for name in re.findall(r'(?:^|[,{\s])(\w+): ["`]', re.sub(r'"[^"]*"', '"', line))
            }
    return found


def test_no_text_is_left_that_nobody_reads():
    code = "".join(path.read_text() for path in SOURCES.rglob("*.ts*") if "languages" not in path.parts)
    parts = [re.escape(each) for each in re.findall(r"`studio\.([\w.]*)\$\{", code)]
    made = re.compile("|".join(rf"{each}\w+" for each in parts))
    keys = texts()
    assert len(keys) > 300
    assert {key for key in keys if f"studio.{key}" not in code and not made.fullmatch(key)} == set()
