"""Keeping passkeys: names, removal up to the last way in, and proving a session anew."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.auth.passkeys.authenticator import Authenticator
from tests.auth.passkeys.ceremonies import PASSKEY, creation, is_refused, register, request, sign_in
from tests.auth.sign_in.visitors import PASSWORD

ACCOUNTS = "/api/v1/auth/account"
REAUTHENTICATE = "/api/auth/reauthenticate"
NOBODYS = "01a1fedd-47f3-7536-a333-810773c4a6d4"


def only(person):
    (row,) = person.get(PASSKEY).json["data"]
    return f"{PASSKEY}/{row['id']}"


def password_of(person):
    """The path of the password among the ways in."""
    (row,) = person.get(ACCOUNTS).json["data"]
    return f"{ACCOUNTS}/{row['id']}"


def is_last(answer):
    return answer.status_code == 409 and answer.json["code"] == "LAST_SIGN_IN_METHOD"


def test_a_passkey_is_renamed(owner):
    renamed = owner.send("PATCH", only(owner), {"name": "Phone"})
    assert (renamed.status_code, renamed.json["name"]) == (200, "Phone")
    assert owner.get(PASSKEY).json["data"] == [renamed.json]


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "x" * 101}, {"name": "a", "counter": 0}, {"name": 5}])
def test_a_passkey_gets_no_other_name_and_nothing_else(owner, body):
    assert owner.send("PATCH", only(owner), body).status_code == 400


def test_a_passkey_is_removed_and_its_owner_told(owner, device):
    path = only(owner)
    assert owner.send("DELETE", path).json["deleted"] is True
    assert owner.send("DELETE", path).status_code == 404
    assert is_refused(sign_in(owner, device))
    assert "passkey was removed" in owner.mails("factors-changed")[-1]
    assert len(owner.noted("auth.passkey.delete")) == 1


def test_removing_wants_recent_proof(owner):
    owner.wait()
    refused = owner.send("DELETE", only(owner))
    assert (refused.status_code, refused.json["code"]) == (403, "REAUTHENTICATION_REQUIRED")
    owner.post(REAUTHENTICATE, {"password": PASSWORD})
    assert owner.send("DELETE", only(owner)).status_code == 200


@pytest.mark.parametrize(("verb", "body"), [("PATCH", {"name": "Mine"}), ("DELETE", None)])
def test_v16_a_passkey_of_somebody_else_is_none(owner, other, verb, body):
    unknown = other.send(verb, f"{PASSKEY}/{NOBODYS}", body)
    foreign = other.send(verb, only(owner), body)
    assert (foreign.status_code, foreign.json) == (404, unknown.json)
    assert other.send(verb, f"{PASSKEY}/nonsense", body).status_code == 404
    assert [row["name"] for row in owner.get(PASSKEY).json["data"]] == ["Passkey"]


def test_v16_everybody_lists_their_own(owner, other, cast):
    assert other.get(PASSKEY).json["data"] == []
    assert cast.admin.get(PASSKEY).json["data"] == []


def test_the_last_passkey_goes_while_there_is_a_password(owner):
    assert owner.send("DELETE", only(owner)).status_code == 200
    assert is_last(owner.send("DELETE", password_of(owner)))


def test_the_password_goes_while_there_is_a_passkey(owner, device):
    assert owner.send("DELETE", password_of(owner)).status_code == 200
    assert is_last(owner.send("DELETE", only(owner)))
    assert owner.sign_in().status_code == 401
    assert sign_in(owner, device).status_code == 200


def together(person, *paths):
    with ThreadPoolExecutor(len(paths)) as pool:
        return sorted(answer.status_code for answer in pool.map(lambda path: person.send("DELETE", path), paths))


@pytest.mark.parametrize("attempt", range(3))
def test_of_two_passkeys_removed_at_once_the_last_stays(owner, attempt):
    register(owner, Authenticator())
    owner.send("DELETE", password_of(owner))
    paths = [f"{PASSKEY}/{row['id']}" for row in owner.get(PASSKEY).json["data"]]
    assert together(owner, *paths) == [200, 409]
    assert len(owner.get(PASSKEY).json["data"]) == 1


@pytest.mark.parametrize("attempt", range(3))
def test_of_password_and_passkey_removed_at_once_one_stays(owner, attempt):
    assert together(owner, only(owner), password_of(owner)) == [200, 409]


def test_a_passkey_proves_the_session_anew(owner, device):
    owner.wait()
    assert owner.post(f"{PASSKEY}/register/options").status_code == 403
    proved = owner.post(REAUTHENTICATE, {"response": device.get(request(owner.client))})
    assert (proved.status_code, set(proved.json)) == (200, {"authenticatedAt"})
    assert owner.post(f"{PASSKEY}/register/options").status_code == 200


def test_the_passkey_of_somebody_else_proves_no_session(owner, other):
    foreign = Authenticator()
    register(other, foreign)
    owner.wait()
    assert owner.post(REAUTHENTICATE, {"response": foreign.get(request(owner.client))}).status_code == 401
    assert owner.post(f"{PASSKEY}/register/options").status_code == 403


def test_an_answer_proves_a_session_once(owner, device):
    answer = device.get(request(owner.client))
    assert owner.post(REAUTHENTICATE, {"response": answer}).status_code == 200
    assert owner.post(REAUTHENTICATE, {"response": answer}).status_code == 401


def test_a_challenge_of_a_registration_proves_no_session(owner, device):
    options = request(owner.client) | {"challenge": creation(owner)["challenge"]}
    assert owner.post(REAUTHENTICATE, {"response": device.get(options)}).status_code == 401


def test_an_answer_of_a_sign_in_with_a_challenge_proves_no_session(both, device):
    options = request(both.client, challenge=both.challenge())
    assert both.post(REAUTHENTICATE, {"response": device.get(options)}).status_code == 401
