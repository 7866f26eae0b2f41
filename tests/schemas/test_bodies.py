"""What a body may not be: each rule sent over HTTP, with the answer, and no row more or less than before."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.crm.models import CrmCompany
from app.testing.workshop import Workshop

CONTACTS = "/api/v1/crm/contact"
PERSON = {"firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.com"}


@pytest.fixture(scope="module")
def owner(cast):
    return cast.user()


@pytest.fixture(scope="module")
def company(cast, owner):
    return Workshop(cast, owner).make(CrmCompany)["id"]


def count(actor, path=CONTACTS):
    return actor.get(path).json["meta"]["count"]


def send(actor, data, content_type="application/json", path=CONTACTS):
    return actor.send("POST", path, data=data, content_type=content_type)


DEEP = b'{"firstName":' + b"[" * 40 + b"]" * 40 + b"}"
BAD_JSON = {
    "malformed": b'{"firstName": "Ada"',
    "empty": b"",
    "a string": b'"x"',
    "null": b"null",
    "NaN": b'{"firstName": NaN}',
    "Infinity": b'{"firstName": Infinity}',
    "a number that overflows": b'{"firstName": 1e999}',
    "a NUL character": b'{"firstName": "a\\u0000b"}',
    "a NUL character in a key": b'{"a\\u0000b": 1}',
    "a lone surrogate": b'{"firstName": "\\ud800"}',
    "an integer beyond 64 bits": b'{"firstName": 9223372036854775808}',
    "a very long integer": b'{"firstName": ' + b"9" * 5000 + b"}",
    "a key twice": b'{"firstName": "a", "firstName": "b"}',
    "a key twice further down": b'{"firstName": {"a": 1, "a": 2}}',
    "too deep": DEEP,
    "bytes that are no UTF-8": b'{"firstName": "\xff"}',
    "a comment": b'{"firstName": "a"} // x',
}


@pytest.mark.parametrize("data", BAD_JSON.values(), ids=BAD_JSON.keys())
def test_what_is_no_strict_json_object_is_refused(owner, data):
    before = count(owner)
    response = send(owner, data)
    assert (response.status_code, response.json["code"]) == (400, "INVALID_JSON"), response.json
    assert count(owner) == before


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/json"])
def test_another_content_type_is_refused(owner, kind):
    before = count(owner)
    response = send(owner, b"{}", kind)
    assert (response.status_code, response.json["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert count(owner) == before


def test_a_body_over_the_limit_is_refused(owner):
    response = send(owner, json.dumps({**PERSON, "title": "x" * 1024 * 1024}).encode())
    assert (response.status_code, response.json["code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_a_body_with_a_charset_is_read(owner, company):
    body = json.dumps({**PERSON, "email": "charset@example.com", "companyId": company}).encode()
    assert send(owner, body, "application/json; charset=utf-8").status_code == 201


WRONG_FIELDS = {
    "an unknown field": ({"nickname": "A"}, "nickname", "Unknown field."),
    "a number for a string": ({"firstName": 3}, "firstName", "Not a valid string."),
    "null for a required string": ({"firstName": None}, "firstName", "Field may not be null."),
    "blanks for a required string": ({"firstName": "   "}, "firstName", "Must not be blank."),
    "an empty required string": ({"firstName": ""}, "firstName", None),
    "a string that is too long": ({"firstName": "x" * 101}, "firstName", "Length must be between 1 and 100."),
    "no e-mail address": ({"email": "ada"}, "email", "Not a valid email address."),
    "a look-alike of the at sign": ({"email": "ada\uff20example.com"}, "email", "Not a valid email address."),
    "a field of the server": ({"createdById": "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"}, "createdById", "Unknown field."),
    "an id": ({"id": "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"}, "id", "Unknown field."),
    "a reference of the wrong type": ({"companyId": 5}, "companyId", "Not a valid string."),
}


@pytest.mark.parametrize(("wrong", "field", "message"), WRONG_FIELDS.values(), ids=WRONG_FIELDS.keys())
def test_a_field_that_breaks_a_rule_is_named(owner, company, wrong, field, message):
    before = count(owner)
    response = owner.post(CONTACTS, {**PERSON, "companyId": company, **wrong})
    assert (response.status_code, response.json["code"]) == (400, "VALIDATION_ERROR")
    messages = response.json["details"]["fields"][field]
    assert message is None or message in messages
    assert count(owner) == before


TYPES = {
    "a string for an integer": ("/api/v1/crm/deal", {"amount": "3"}, "amount"),
    "a fraction for an integer": ("/api/v1/crm/deal", {"amount": 3.5}, "amount"),
    "true for an integer": ("/api/v1/crm/deal", {"amount": True}, "amount"),
    "an integer below its minimum": ("/api/v1/crm/deal", {"amount": -1}, "amount"),
    "an unknown member of an enumeration": ("/api/v1/crm/deal", {"stage": "maybe"}, "stage"),
    "a time without a zone": ("/api/v1/crm/deal", {"expectedCloseAt": "2026-01-01T00:00:00"}, "expectedCloseAt"),
    "a date alone": ("/api/v1/crm/deal", {"expectedCloseAt": "2026-01-01"}, "expectedCloseAt"),
    "a thirteenth month": ("/api/v1/crm/deal", {"expectedCloseAt": "2026-13-01T00:00:00Z"}, "expectedCloseAt"),
    "a pattern that is missed": ("/api/v1/crm/deal", {"currency": "usd"}, "currency"),
    "a line break after a pattern": ("/api/v1/crm/deal", {"currency": "USD\n"}, "currency"),
    "1 for true": ("/api/v1/ai/vote", {"isUpvoted": 1}, "isUpvoted"),
    "a list for an object": ("/api/v1/ai/chat", {"metadata": []}, "metadata"),
    "an object that is too large": ("/api/v1/ai/chat", {"metadata": {"a": "x" * 20000}}, "metadata"),
    "an object for a list": ("/api/v1/ai/message", {"parts": {}}, "parts"),
    "a foreign item in a list": ("/api/v1/ai/chain", {"retryOn": ["boredom"]}, "retryOn"),
    "too many items": ("/api/v1/storage/document", {"tags": ["a"] * 51}, "tags"),
    "an item that is too long": ("/api/v1/storage/document", {"tags": ["a" * 51]}, "tags"),
    "a string in a vector": ("/api/v1/ai-rag/embedding", {"vector": ["1"]}, "vector"),
    "an address without a scheme": ("/api/v1/auth/organization", {"logo": "example.com/a.png"}, "logo"),
    "an address of another scheme": ("/api/v1/auth/organization", {"logo": "javascript://x/%0aalert(1)"}, "logo"),
    "what is no base64": ("/api/v1/storage/upload", {"filename": "a", "contentBase64": "%%%"}, "contentBase64"),
}


@pytest.mark.parametrize(("path", "wrong", "field"), TYPES.values(), ids=TYPES.keys())
def test_a_value_of_another_type_is_refused(owner, path, wrong, field):
    before = count(owner, path)
    response = owner.post(path, wrong)
    assert response.status_code == 400
    assert field in response.json["details"]["fields"], response.json
    assert count(owner, path) == before


def test_references_to_missing_and_to_invisible_records_read_the_same(cast, owner):
    foreign = Workshop(cast, cast.user()).make(CrmCompany)["id"]
    answers = [
        owner.post(CONTACTS, {**PERSON, "companyId": identifier})
        for identifier in (foreign, "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11", "nonsense")
    ]
    assert {response.status_code for response in answers} == {400}
    assert len({response.data for response in answers}) == 1
    assert answers[0].json["code"] == "FOREIGN_KEY_VIOLATION"
    assert "companyId" in answers[0].json["details"]["fields"]


def test_a_taken_value_names_the_field_and_never_the_value(owner, company):
    body = {**PERSON, "email": "Taken@Example.com", "companyId": company}
    assert owner.post(CONTACTS, body).status_code == 201
    response = owner.post(CONTACTS, body | {"email": "taken@example.COM"})
    assert (response.status_code, response.json["code"]) == (409, "UNIQUE_VIOLATION")
    assert "email" in response.json["details"]["fields"]
    text = response.get_data(as_text=True).lower()
    assert not any(word in text for word in ("taken@", "uq_", "insert", "key ("))


@pytest.mark.parametrize("number", [1.7976931348623157e308, 2.5e20, 5e-324, -0.5, 9223372036854775807, 0.1])
def test_a_number_inside_json_comes_back_as_it_was(owner, number):
    made = owner.post("/api/v1/ai/chat", {"metadata": {"n": [number]}})
    assert made.status_code == 201
    assert owner.get(f"/api/v1/ai/chat/{made.json['id']}").json["metadata"] == {"n": [number]}


@pytest.mark.parametrize(("before", "after"), [(1, True), (True, 1), (0, False)])
def test_inside_json_a_number_and_a_truth_are_two_values(owner, before, after):
    chat = owner.post("/api/v1/ai/chat", {"metadata": {"n": before}}).json
    changed = owner.put(f"/api/v1/ai/chat/{chat['id']}", {"metadata": {"n": after}}).json["metadata"]["n"]
    assert (type(changed), changed) == (type(after), after)


@pytest.mark.parametrize("kind", ["text/html\r\nX-Evil: 1", "<script>", "text", "text/html; charset=x", "\u00e9vil/x"])
def test_a_content_type_is_type_and_subtype(owner, kind):
    body = {"filename": "a", "contentBase64": "SGVsbG8=", "contentType": kind}
    assert "contentType" in owner.post("/api/v1/storage/upload", body).json["details"]["fields"]


def test_an_empty_update_is_valid_and_changes_nothing(owner, company):
    made = owner.post(CONTACTS, {**PERSON, "email": "empty@example.com", "companyId": company}).json
    assert owner.put(f"{CONTACTS}/{made['id']}", {}).json == made
    assert owner.patch(f"{CONTACTS}/{made['id']}", {}).json == made


@given(
    body=st.dictionaries(
        st.sampled_from(["firstName", "lastName", "email", "phone", "companyId", "organizationId", "x"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
            max_leaves=6,
        ),
    )
)
@settings(max_examples=120)
def test_no_body_makes_the_service_fail(owner, body):
    data = json.dumps(body).encode("utf-8", "surrogatepass")
    assert send(owner, data).status_code in (400, 409)


@given(data=st.binary(max_size=200))
@settings(max_examples=120)
def test_no_bytes_make_the_service_fail(owner, data):
    assert send(owner, data).status_code == 400
