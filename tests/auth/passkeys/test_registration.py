"""Registering passkeys, and what does not become one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import cbor2
import pytest

from app.auth.models.identity import AuthVerification
from app.auth.sign_in.passkeys import keeping
from app.foundation.clock import now
from tests.auth.passkeys.authenticator import (
    BACKED_UP,
    ELIGIBLE,
    ORIGIN,
    PRESENT,
    VERIFIED,
    Authenticator,
    changed,
    decoded,
    encoded,
)
from tests.auth.passkeys.ceremonies import PASSKEY, creation, is_refused, keep, register, request, sign_in
from tests.auth.sign_in.visitors import PASSWORD


def test_the_options_ask_for_a_passkey_of_this_service_and_this_person(person):
    began = person.post(f"{PASSKEY}/register/options")
    assert began.headers["Cache-Control"] == "no-store"
    options = began.json
    assert (options["rp"]["id"], options["rp"]["name"]) == ("localhost", "Rowgate")
    assert options["user"]["name"] == person.email
    assert options["authenticatorSelection"]["residentKey"] == "required"
    assert options["attestation"] == "none"
    assert len(decoded(options["challenge"])) >= 32


def test_a_passkey_is_registered_listed_and_told_to_its_owner(person, device):
    kept = keep(person, device.create(creation(person)), name="Laptop")
    assert kept.status_code == 200
    assert set(kept.json) == {
        "id", "name", "deviceType", "backedUp", "transports", "aaguid", "lastUsedAt", "createdAt",
    }  # fmt: skip
    assert (kept.json["name"], kept.json["transports"]) == ("Laptop", ["internal"])
    assert (kept.json["deviceType"], kept.json["backedUp"]) == ("single_device", False)
    assert person.get(PASSKEY).json == {"data": [kept.json]}
    assert "passkey was added" in person.mails("factors-changed")[0]


def test_a_passkey_that_is_synchronized_says_so(person):
    synchronized = Authenticator(flags=PRESENT | VERIFIED | ELIGIBLE | BACKED_UP, counts=False)
    made = register(person, synchronized)
    assert (made["deviceType"], made["backedUp"]) == ("multi_device", True)


def test_no_key_material_is_read_or_audited(owner, device, cast):
    (row,) = owner.get("/api/v1/auth/passkey").json["data"]
    assert not {"publicKey", "credentialId", "credentialID", "counter"} & set(row)
    log = cast.admin.get("/api/v1/platform/audit-log", query_string={"targetId": row["id"]})
    assert [entry["action"] for entry in log.json["data"]] == ["auth.passkey.create"]
    for secret in (encoded(device.credentials[0].id), encoded(device.credentials[0].cose_key())):
        assert secret not in log.get_data(as_text=True)


@pytest.mark.parametrize("route", ["options", "verify"])
def test_registering_wants_recent_proof(person, device, route):
    options = creation(person)
    body = {"response": device.create(options)} if route == "verify" else {}
    person.wait()
    refused = person.post(f"{PASSKEY}/register/{route}", body)
    assert (refused.status_code, refused.json["code"]) == (403, "REAUTHENTICATION_REQUIRED")
    person.post("/api/auth/reauthenticate", {"password": PASSWORD})
    assert person.post(f"{PASSKEY}/register/{route}", body).status_code == 200


def test_an_authenticator_is_told_which_passkeys_there_are(owner, device):
    assert [decoded(each["id"]) for each in creation(owner)["excludeCredentials"]] == [device.credentials[0].id]
    with pytest.raises(ValueError):
        device.create(creation(owner))


def test_a_credential_is_registered_once(owner, other, device):
    known = device.credentials[0].id
    for person in (owner, other):
        refused = keep(person, Authenticator().create(creation(person), id=known))
        assert (refused.status_code, refused.json["code"]) == (400, "INVALID_TOKEN")
    assert len(owner.get(PASSKEY).json["data"]) == 1
    assert other.get(PASSKEY).json["data"] == []


def test_a_challenge_registers_one_passkey(person):
    options = creation(person)
    assert keep(person, Authenticator().create(options)).status_code == 200
    assert keep(person, Authenticator().create(options)).status_code == 400


def test_of_twenty_answers_at_once_one_is_registered(person, device):
    answer = device.create(creation(person))
    with ThreadPoolExecutor(20) as pool:
        statuses = sorted(kept.status_code for kept in pool.map(lambda _: keep(person, answer), range(20)))
    assert statuses == [200] + [400] * 19
    assert len(person.get(PASSKEY).json["data"]) == 1


def test_a_refused_answer_uses_its_challenge_up(person, device):
    options = creation(person)
    assert keep(person, device.create(options, client_data={"origin": "https://evil.example"})).status_code == 400
    assert keep(person, Authenticator().create(options)).status_code == 400


def test_a_challenge_is_over_after_five_minutes(person, device):
    answer = device.create(creation(person))
    person.change(AuthVerification, expires_at=now() - timedelta(seconds=1))
    assert keep(person, answer).status_code == 400


def test_a_challenge_is_for_its_own_account(person, other, device):
    assert keep(other, device.create(creation(person))).status_code == 400


def test_a_challenge_of_a_sign_in_registers_nothing(person, device):
    options = creation(person) | {"challenge": request(person.client)["challenge"]}
    assert keep(person, device.create(options)).status_code == 400


WRONG = {
    "another origin": {"client_data": {"origin": "https://evil.example"}},
    "an origin below ours": {"client_data": {"origin": f"{ORIGIN}.evil.example"}},
    "another port": {"client_data": {"origin": "http://localhost:3002"}},
    "another scheme": {"client_data": {"origin": "https://localhost:3001"}},
    "no origin": {"client_data": {"origin": None}},
    "another relying party": {"rp_id": "evil.example"},
    "another challenge": {"client_data": {"challenge": encoded(b"x" * 32)}},
    "a challenge that is none": {"client_data": {"challenge": 7}},
    "the other ceremony": {"client_data": {"type": "webauthn.get"}},
    "nobody there": {"flags": VERIFIED},
    "backed up but not eligible": {"flags": PRESENT | BACKED_UP},
    "no key": {"cose_key": b""},
    "a key that is none": {"cose_key": cbor2.dumps("key")},
    "a key of another kind": {"cose_key": cbor2.dumps({1: 99, 3: -7})},
    "a point that is on no curve": {"cose_key": cbor2.dumps({1: 2, 3: -7, -1: 1, -2: b"x" * 32, -3: b"y" * 32})},
    "something after the key": {"cose_key": cbor2.dumps({1: 2}) + b"more"},
    "an empty id": {"id": b""},
    "an id that is too long": {"id": b"x" * 1100},
    "an id as long as can be": {"id": b"x" * 65535},
}


@pytest.mark.parametrize("why", WRONG)
def test_an_answer_that_is_wrong_registers_nothing(person, device, why):
    refused = keep(person, device.create(creation(person), **WRONG[why]))
    assert (refused.status_code, refused.json["code"]) == (400, "INVALID_TOKEN")
    assert person.get(PASSKEY).json["data"] == []


def test_an_attestation_that_is_not_none_is_looked_at(person, device):
    answer = device.create(creation(person))
    said = cbor2.loads(decoded(answer["response"]["attestationObject"]))
    for form in ("packed", "fido-u2f", "tpm", "android-key", "unheard-of", 5, None):
        answer = device.create(creation(person))
        forged = cbor2.dumps(said | {"fmt": form})
        assert keep(person, changed(answer, attestationObject=encoded(forged))).status_code == 400


@pytest.mark.parametrize("counter", [0, 2**31, 2**32 - 2])
def test_a_counter_may_begin_anywhere(person, device, counter):
    register(person, device, counter=counter)
    assert is_refused(sign_in(person, device, counter=counter)) == (counter > 0)
    assert sign_in(person, device, counter=counter + 1).status_code == 200


def test_an_id_may_have_1023_bytes(person, device):
    register(person, device, id=b"x" * 999 + person.id.encode()[:24])
    assert sign_in(person, device).status_code == 200


def test_an_account_has_at_most_fifty(person, monkeypatch):
    monkeypatch.setattr(keeping, "MAX_PASSKEYS", 2)
    for _ in range(2):
        register(person, Authenticator())
    assert keep(person, Authenticator().create(creation(person))).status_code == 409


def test_transports_that_are_unheard_of_are_left_out(person, device):
    for sent in (["usb", "telepathy", 5, {"a": 1}], "usb", {"usb": 1}, 5, None):
        answer = Authenticator().create(creation(person))
        kept = keep(person, changed(answer, transports=sent))
        assert kept.status_code == 200
        assert kept.json["transports"] == (["usb"] if isinstance(sent, list) else [])


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "a\u202eb", 5, None])
def test_a_name_is_readable_text(person, device, name):
    assert keep(person, device.create(creation(person)), name=name).status_code == 400
