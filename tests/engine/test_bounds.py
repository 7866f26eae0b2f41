"""Input is refused by its size before any other look at it, and what callers choose among is bounded."""

from __future__ import annotations

import tempfile
from types import SimpleNamespace

import pytest

from app.ai_agent import output_schemas
from app.engine.read import statements
from app.engine.write import references
from app.foundation import addresses, strict_json
from app.runtime import sandbox
from app.runtime.sandboxed import OutOfBounds, Refusal
from schemas import fields

MARKS = "a" + "\u0301\u0323" * 5000 + "@example.com"
COMPANY = "/api/v1/crm/company"


@pytest.fixture
def _without_a_look(monkeypatch):
    """Fails the test when something looks at the input beyond its length."""

    def look(*arguments):
        raise AssertionError("the input was looked at")

    monkeypatch.setattr(addresses, "unicodedata", SimpleNamespace(normalize=look))
    monkeypatch.setattr(fields, "urlsplit", look)
    monkeypatch.setattr(fields, "quote", look)


@pytest.mark.usefixtures("_without_a_look")
def test_long_addresses_are_refused_by_their_length(owner, cast):
    assert cast.nobody.post("/api/auth/signup", {"email": MARKS, "password": "correct horse"}).status_code == 400
    assert cast.nobody.post("/api/auth/signin", {"email": MARKS, "password": "correct horse"}).status_code == 401
    assert owner.post("/api/v1/crm/contact", {"email": MARKS}).status_code == 400


@pytest.mark.usefixtures("_without_a_look")
def test_long_urls_are_refused_by_their_length(owner):
    answer = owner.post(COMPANY, {"name": "Harbour", "website": "https://" + "\u0301" * 100_000})
    assert answer.json["details"] == [{"field": "website", "message": "Longer than maximum length 2048."}]


def test_long_arrays_are_refused_before_their_items_are_looked_at(owner, cast, monkeypatch):
    monkeypatch.setattr(fields.Text, "_deserialize", lambda *a, **k: pytest.fail("an item was looked at"))
    many = ["x"] * 3000
    tags = owner.post("/api/v1/storage/document", {"tags": many})
    assert "Longer than maximum length 50." in str(tags.json["details"])
    said = owner.post("/api/chat", {"messages": [{"role": "user", "content": "x"}] * 3000})
    assert said.json["details"]["fields"]["messages"] == ["Send 1 to 1000."]
    scopes = owner.post("/api/v1/auth/api-key", {"scopes": many})
    assert "Longer than maximum length" in str(scopes.json["details"]["fields"]["scopes"])


@pytest.mark.parametrize(
    "document",
    [
        b"[" + b"1," * strict_json.MAX_VALUES + b"1]",
        b"{" + b",".join(b'"%d":1' % number for number in range(strict_json.MAX_VALUES)) + b"}",
        b"[" + b"[]," * strict_json.MAX_VALUES + b"[]]",
    ],
    ids=["numbers", "keys", "arrays"],
)
def test_a_body_of_too_many_values_is_refused(owner, document):
    answer = owner.send("POST", "/api/v1/crm/contact", data=document, content_type="application/json")
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_JSON")
    assert "more than 50000 values" in answer.json["error"]


def test_what_is_compiled_for_callers_is_kept_for_a_bounded_number_of_choices():
    assert references.statement.cache_info().maxsize is not None
    kept = statements.StatementCache(3)
    assert [kept.get(shape, lambda shape=shape: shape) for shape in "abcabd"] == list("abcabd")
    assert len(kept) == 3


@pytest.mark.parametrize(
    "schema",
    [
        {"$schema": "http://json-schema.org/draft-07/schema#", "enum": [{"n": number} for number in range(600)]},
        {"properties": {f"p{number}": {} for number in range(501)}},
        {"allOf": [{"allOf": [{"const": number} for number in range(100)]} for _ in range(60)]},
    ],
)
def test_output_schemas_of_too_many_parts_are_refused(owner, schema):
    body = {"name": "Writer", "instructions": "Write.", "outputSchema": schema}
    answer = owner.post("/api/v1/ai-agent/config", body)
    assert (answer.status_code, list(answer.json["details"]["fields"])) == (400, ["outputSchema"])


def test_an_output_schema_whose_parts_multiply_is_given_up(monkeypatch):
    monkeypatch.setattr(output_schemas, "FIT_SECONDS", 1)
    levels = {f"l{n}": {"anyOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(40)}
    schema = {"$defs": {**levels, "l40": {"type": "string"}}, "$ref": "#/$defs/l0"}
    with pytest.raises(output_schemas.SchemaMismatch, match="longer than"):
        output_schemas.fit(1, schema)


def in_child(work: str, content: bytes = b""):
    with tempfile.TemporaryFile() as source:
        source.write(content)
        source.seek(0)
        return sandbox.run(f"tests.child_work:{work}", source, seconds=2, memory=256)


def test_a_child_process_works_within_its_limits_and_without_the_environment():
    assert in_child("echo", b"text") == "text"
    assert set(in_child("environment")) <= {"PYTHONUTF8", "LC_CTYPE"}
    with pytest.raises(OutOfBounds, match="longer than"):
        in_child("compute_for_ever")
    with pytest.raises(OutOfBounds, match="256 MiB"):
        in_child("take_all_memory")
    with pytest.raises(Refusal, match="It is not for us"):
        in_child("refuse")


def test_a_child_process_that_fails_leaves_its_traceback_in_the_log(caplog):
    with pytest.raises(Refusal, match="cannot be read"):
        in_child("fail")
    assert "a bug" in caplog.text
