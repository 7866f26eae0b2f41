"""Answers that no authenticator gives: whatever comes is refused, and nothing breaks."""

from __future__ import annotations

import json
from copy import deepcopy

import cbor2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.auth.passkeys.authenticator import Authenticator, changed, decoded, encoded
from tests.auth.passkeys.ceremonies import creation, keep, request, verify

# Requests from loopback are not counted in development, so made-up ones do not meet the limits of a network.
HERE = {"REMOTE_ADDR": "127.0.0.1"}
NAMES = st.sampled_from(
    ["id", "rawId", "type", "response", "clientDataJSON", "authenticatorData", "attestationObject", "signature",
     "userHandle", "transports", "challenge", "origin", "crossOrigin", "tokenBinding", "authenticatorAttachment"]
) | st.text(max_size=5)  # fmt: skip
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    PLAIN, lambda each: st.lists(each, max_size=4) | st.dictionaries(NAMES, each, max_size=4), max_leaves=10
)
CBOR = st.recursive(
    PLAIN | st.binary(max_size=40),
    lambda each: st.lists(each, max_size=4) | st.dictionaries(st.integers(-4, 4) | st.text(max_size=8), each),
    max_leaves=10,
).map(cbor2.dumps)
JSON = VALUES.map(lambda value: json.dumps(value).encode())
CONTENT = st.binary(max_size=200) | CBOR | JSON
MANY = settings(max_examples=80)
LOAD_BEARING = (
    "id", "rawId", "type", "response", "clientDataJSON", "authenticatorData", "attestationObject", "signature",
)  # fmt: skip


@pytest.fixture
def page(app):
    client = app.test_client()
    client.environ_base |= HERE
    return client


def came_to_nothing(answer):
    assert answer.status_code in (400, 401), answer.get_data(as_text=True)
    assert answer.is_json
    assert "Set-Cookie" not in answer.headers


@MANY
@given(response=VALUES)
def test_any_json_signs_nobody_in(page, response):
    came_to_nothing(verify(page, response))


@MANY
@given(response=VALUES)
def test_any_json_registers_nothing(person, response):
    person.client.environ_base |= HERE
    came_to_nothing(keep(person, response))


@MANY
@given(response=VALUES)
def test_any_json_proves_no_session(person, response):
    person.client.environ_base |= HERE
    came_to_nothing(person.post("/api/auth/reauthenticate", {"response": response}))


@MANY
@given(data=st.data())
def test_an_answer_with_any_other_part_signs_nobody_in(owner, device, page, data):
    answer = deepcopy(device.get(request(page)))
    place = data.draw(st.sampled_from([answer, answer["response"]]))
    part = data.draw(st.sampled_from([name for name in place if name in LOAD_BEARING]))
    other = data.draw(VALUES | CONTENT.map(encoded))
    if other != place[part]:
        place[part] = other
        came_to_nothing(verify(page, answer))


@MANY
@given(content=CONTENT)
def test_any_client_data_signs_nobody_in_where_only_its_challenge_is_right(owner, device, page, content):
    options = request(page)
    try:
        said = json.loads(content)
    except ValueError:
        said = content.decode("latin-1")
    said = said if isinstance(said, dict) else {"type": said, "origin": said, "tokenBinding": said}
    forged = json.dumps(said | {"challenge": options["challenge"]}).encode()
    came_to_nothing(verify(page, changed(device.get(options), clientDataJSON=encoded(forged))))


@MANY
@given(content=CONTENT)
def test_any_attestation_registers_nothing(person, content):
    person.client.environ_base |= HERE
    answer = Authenticator().create(creation(person))
    came_to_nothing(keep(person, changed(answer, attestationObject=encoded(content))))


@MANY
@given(content=CONTENT, flags=st.integers(0, 255))
def test_any_data_behind_good_ones_breaks_nothing(person, content, flags):
    person.client.environ_base |= HERE
    answer = Authenticator().create(creation(person))
    said = cbor2.loads(decoded(answer["response"]["attestationObject"]))
    data = bytearray(said["authData"])
    data[32] = flags
    forged = cbor2.dumps(said | {"authData": bytes(data[:55]) + content})
    came_to_nothing(keep(person, changed(answer, attestationObject=encoded(forged))))


BOMBS = {
    "an array that is said to be endless": b"\x9b" + b"\xff" * 8,
    "an array of 2^40": b"\x9b\x00\x00\x01" + bytes(5),
    "a text of 2^40": b"\x7b\x00\x00\x01" + bytes(5),
    "bytes of 2^62": b"\x5b\x3f" + b"\xff" * 7,
    "a map of 2^32": b"\xbb\x00\x00\x00\x01" + bytes(4),
    "arrays in arrays": b"\x81" * 200_000,
    "tags on tags": b"\xc1" * 200_000,
    "a list that holds itself": bytes.fromhex("d81c81d81d00"),
    "a number with an endless exponent": bytes.fromhex("c5821b7fffffffffffffff03"),
    "a decimal with an endless exponent": bytes.fromhex("c4821b7fffffffffffffff03"),
    "an expression that never ends": cbor2.dumps(cbor2.CBORTag(35, "(a+)+$")),
    "nothing": b"",
}


@pytest.mark.parametrize("why", BOMBS)
def test_cbor_that_blows_up_registers_nothing(person, why):
    answer = Authenticator().create(creation(person))
    came_to_nothing(keep(person, changed(answer, attestationObject=encoded(BOMBS[why]))))
    came_to_nothing(keep(person, Authenticator().create(creation(person), cose_key=BOMBS[why])))


@pytest.mark.parametrize("why", BOMBS)
def test_cbor_that_blows_up_signs_nobody_in(owner, device, why):
    answer = device.get(request(owner.client))
    data = decoded(answer["response"]["authenticatorData"])
    extended = data[:32] + bytes([data[32] | 128]) + data[33:] + BOMBS[why]
    came_to_nothing(verify(owner.client, changed(answer, authenticatorData=encoded(extended))))


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"challenge":' * 50_000, b"\xff\xfe", b'"\\ud800"', b"null"])
def test_client_data_that_are_no_object_sign_nobody_in(owner, device, content):
    answer = device.get(request(owner.client))
    came_to_nothing(verify(owner.client, changed(answer, clientDataJSON=encoded(content))))


def test_an_answer_has_few_parts(owner, device):
    answer = device.get(request(owner.client)) | {f"part{number}": 1 for number in range(30)}
    assert verify(owner.client, answer).status_code == 400
