"""Counters: one that falls tells of a copy of the key."""

from __future__ import annotations

import pytest

from tests.auth.passkeys.authenticator import PRESENT, VERIFIED, Authenticator
from tests.auth.passkeys.ceremonies import is_refused, register, request, second, sign_in
from tests.auth.sign_in.visitors import PASSWORD

COPY = "there seems to be a copy of that passkey"


@pytest.fixture
def copy(owner, device):
    """A copy of the owner's passkey, made before it was used twice."""
    copied = device.clone()
    for _ in range(2):
        assert sign_in(owner, device).status_code == 200
    return copied


def copies_told(person):
    return [mail for mail in person.mails("factors-changed") if COPY in " ".join(mail.split())]


def test_a_copy_that_counts_behind_is_refused_noted_and_told(owner, copy):
    assert is_refused(sign_in(owner, copy))
    (noted,) = owner.noted("auth.passkey.clone")
    assert (noted.outcome, noted.target_type) == ("denied", "auth/passkey")
    assert len(copies_told(owner)) == 1


def test_a_counter_that_stands_still_is_one_that_falls(owner, copy):
    assert is_refused(sign_in(owner, copy, counter=2))
    assert len(owner.noted("auth.passkey.clone")) == 1


def test_a_counter_that_goes_back_to_zero_is_one_that_falls(owner, copy):
    assert is_refused(sign_in(owner, copy, counter=0))
    assert len(owner.noted("auth.passkey.clone")) == 1


def test_a_refused_copy_does_not_move_the_counter(owner, device, copy):
    sign_in(owner, copy)
    assert sign_in(owner, device).status_code == 200
    assert len(owner.noted("auth.passkey.clone")) == 1


def test_an_answer_that_proves_nothing_tells_nobody_of_copies(owner, copy):
    assert is_refused(sign_in(owner, copy, counter=1, signature=b"x"))
    assert owner.noted("auth.passkey.clone") == []
    assert copies_told(owner) == []


def test_authenticators_that_do_not_count_are_not_held_to_it(person):
    synchronized = Authenticator(flags=PRESENT | VERIFIED, counts=False)
    register(person, synchronized)
    assert [sign_in(person, synchronized).status_code for _ in range(3)] == [200] * 3


def test_a_copy_is_no_second_factor_and_leaves_the_challenge_good(both, device):
    copied = device.clone()
    sign_in(both, device)
    challenge = both.challenge()
    assert is_refused(second(both, copied, challenge))
    assert len(both.noted("auth.passkey.clone")) == 1
    assert both.answer(challenge).status_code == 200


def test_a_copy_proves_no_session(owner, copy):
    owner.wait()
    answer = copy.get(request(owner.client))
    assert owner.post("/api/auth/reauthenticate", {"response": answer}).status_code == 401
    assert len(owner.noted("auth.passkey.clone")) == 1
    assert len(copies_told(owner)) == 1
    assert owner.post("/api/auth/reauthenticate", {"password": PASSWORD}).status_code == 200
