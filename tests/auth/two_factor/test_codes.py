"""Codes: how often each works, how far clocks may be off, and what is stored of them."""

from __future__ import annotations

import json

import orjson
import pytest

from tests.auth.people import TWO_FACTOR
from tests.auth.sign_in.visitors import PASSWORD

REAUTHENTICATE = "/api/auth/reauthenticate"
LISTED = "/api/v1/auth/two-factor"


def test_a_code_opens_one_session(ada):
    code = ada.code()
    assert ada.answer(ada.challenge(), code=code).status_code == 200
    assert ada.answer(ada.challenge(), code=code).status_code == 401


def test_the_code_that_switched_the_factor_on_signs_nobody_in(ada):
    assert ada.answer(ada.challenge(), code=ada.code(-1)).status_code == 401


def test_a_code_of_a_sign_in_proves_nothing_again(ada):
    code = ada.code()
    ada.answer(ada.challenge(), code=code)
    assert ada.post(REAUTHENTICATE, {"code": code}).status_code == 401
    assert ada.post(f"{TWO_FACTOR}/disable", {"password": PASSWORD, "code": code}).status_code == 401


def test_a_code_of_a_reauthentication_signs_nobody_in(ada):
    code = ada.code()
    assert ada.post(REAUTHENTICATE, {"code": code}).status_code == 200
    assert ada.answer(ada.challenge(), code=code).status_code == 401


def test_a_code_before_one_that_was_used_is_refused(ada):
    ada.clock.forward(5)
    assert ada.answer(ada.challenge(), code=ada.code()).status_code == 200
    assert ada.answer(ada.challenge(), code=ada.code(-1)).status_code == 401
    assert ada.answer(ada.challenge(), code=ada.code(1)).status_code == 200


@pytest.mark.parametrize(("off", "status"), [(-2, 401), (-1, 200), (0, 200), (1, 200), (2, 401)])
def test_a_clock_may_be_thirty_seconds_off_and_no_more(ada, off, status):
    ada.clock.forward(5)
    assert ada.answer(ada.challenge(), code=ada.code(off)).status_code == status


@pytest.mark.parametrize("shown", ["{0}{1} {2}", " {0}{1}{2} ", "{0}-{1}-{2}"])
def test_a_code_may_be_typed_with_blanks_and_dashes(ada, shown):
    code = ada.code()
    assert ada.answer(ada.challenge(), code=shown.format(code[:2], code[2:3], code[3:])).status_code == 200


@pytest.mark.parametrize("code", ["000000000000", "١٢٣٤٥٦", "\U0001f511", "-", " ", "-1", "1e5", "x" * 40])
def test_what_is_no_code_is_a_wrong_one(ada, code):
    assert ada.answer(ada.challenge(), code=code).status_code == 401
    assert ada.answer(ada.challenge(), recoveryCode=code).status_code == 401


def test_each_recovery_code_works_once(ada):
    for code in ada.recovery:
        assert ada.answer(ada.challenge(), recoveryCode=code).status_code == 200
        assert ada.answer(ada.challenge(), recoveryCode=code).status_code == 401


def test_recovery_is_offered_while_codes_are_left(ada):
    for code in ada.recovery[:9]:
        ada.answer(ada.challenge(), recoveryCode=code)
    assert ada.sign_in().json["methods"] == ["totp", "recovery"]
    ada.answer(ada.challenge(), recoveryCode=ada.recovery[9])
    assert ada.sign_in().json["methods"] == ["totp"]


@pytest.mark.parametrize("shown", ["{0} {1}", "{0}-{1}", " {0}{1} ", "{0} - {1}"])
def test_a_recovery_code_may_be_typed_with_blanks_dashes_and_capitals(ada, shown):
    code = ada.recovery[4].upper()
    assert ada.answer(ada.challenge(), recoveryCode=shown.format(code[:5], code[5:])).status_code == 200


def test_a_code_of_one_kind_is_none_of_the_other(ada):
    assert ada.answer(ada.challenge(), code=ada.recovery[0]).status_code == 401
    assert ada.answer(ada.challenge(), recoveryCode=ada.code()).status_code == 401


def test_a_code_of_the_authenticator_renews_the_proof_of_the_session(ada):
    ada.wait()
    assert ada.post(f"{TWO_FACTOR}/recovery-codes").status_code == 403
    assert ada.post(REAUTHENTICATE, {"code": ada.code()}).status_code == 200
    assert ada.post(f"{TWO_FACTOR}/recovery-codes").status_code == 200


def test_an_unconfirmed_factor_proves_nothing(person):
    person.secret = person.post(f"{TWO_FACTOR}/enroll").json["secret"]
    assert person.post(REAUTHENTICATE, {"code": person.code()}).status_code == 401


def test_recovery_codes_are_stored_as_digests_alone(ada):
    stored = orjson.loads(ada.factor().backup_codes)
    assert len(stored) == 10
    assert all(len(digest) == 64 and int(digest, 16) for digest in stored)
    assert not any(code in digest for code in ada.recovery for digest in stored)


def test_the_secret_is_encrypted_at_rest(ada):
    stored = ada.factor().secret
    assert stored.startswith("gAAAA")
    assert ada.secret not in stored


def test_nothing_of_the_secrets_is_read_or_audited(ada, cast):
    ada.answer(ada.challenge(), recoveryCode=ada.recovery[0])
    (row,) = ada.get(LISTED).json["data"]
    assert set(row) == {"id", "userId", "verified", "createdAt", "updatedAt"}
    log = cast.admin.get("/api/v1/platform/audit-log", query_string={"targetId": row["id"]}).json["data"]
    assert [entry["action"] for entry in log] == ["auth.two_factor.update"]
    factor = ada.factor()
    for secret in (ada.secret, factor.secret, *ada.recovery, *orjson.loads(factor.backup_codes)):
        assert secret not in json.dumps([row, log])
