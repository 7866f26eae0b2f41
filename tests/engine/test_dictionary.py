"""The published data dictionary, kept as data beside the tests, against what the catalogue declares."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.engine.declare.dictionary import dictionary

PUBLISHED = json.loads((Path(__file__).parent / "data_dictionary.json").read_text())
DECLARED = {
    f"{domain['name']}/{model['name']}": model for domain in dictionary()["domains"] for model in domain["models"]
}
ENTRIES = [(domain["name"], model) for domain in PUBLISHED["domains"] for model in domain["models"]]
KEYS = ("unique", "indexes")
every = pytest.mark.parametrize(
    ("domain", "entry"), ENTRIES, ids=[f"{domain}/{model['name']}" for domain, model in ENTRIES]
)


def test_the_domains_are_the_published_ones():
    published = [(domain["name"], domain["summary"]) for domain in PUBLISHED["domains"]]
    assert [(domain["name"], domain["summary"]) for domain in dictionary()["domains"]] == published
    assert set(DECLARED) == {f"{domain}/{model['name']}" for domain, model in ENTRIES}


@pytest.mark.parametrize(
    ("domain", "entry"), ENTRIES, ids=lambda value: value if isinstance(value, str) else value["name"]
)
def test_a_model_is_declared_as_published(domain, entry):
    declared = DECLARED[f"{domain}/{entry['name']}"]
    for name, value in entry.items():
        if name not in ("fields", *KEYS):
            assert declared.get(name) == value, name
    fields = {field["name"]: field for field in declared["fields"]}
    stamps = {"id", "createdAt", "updatedAt"}
    assert [name for name in fields if name not in stamps] == [field["name"] for field in entry["fields"]]
    for field in PUBLISHED["commonFields"] + entry["fields"]:
        for name, value in (PUBLISHED["fieldDefaults"] | field).items():
            if not (field["name"] in stamps and name == "note"):
                assert comparable(fields[field["name"]].get(name)) == comparable(value), (field["name"], name)


def comparable(value):
    """The members of an enumeration in any order: plugins bring some of them."""
    return sorted(value[5:-1].split(",")) if isinstance(value, str) and value.startswith("enum[") else value


@pytest.mark.parametrize(
    ("domain", "entry"), ENTRIES, ids=lambda value: value if isinstance(value, str) else value["name"]
)
def test_its_indexes_and_unique_rules_are_declared(domain, entry):
    declared = DECLARED[f"{domain}/{entry['name']}"]
    known = {json.dumps(key["fields"]): key for kind in KEYS for key in declared.get(kind, [])}
    for kind in KEYS:
        for key in entry.get(kind, []):
            wanted = {"fields": key} if isinstance(key, list) else key
            if wanted.get("using") == "hnsw":
                continue  # one for each knowledge base, made when it is built
            found = known[json.dumps(wanted["fields"])]
            assert {name: found.get(name) for name in wanted if name != "note"} == {
                name: value for name, value in wanted.items() if name != "note"
            }
