"""Sign-ins that meet the moment in which the second factor is switched on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text, update

from app.auth.models.identity import AuthTwoFactor, AuthUser
from app.testing.database import transaction
from app.testing.waiting import await_true
from tests.auth.passkeys.authenticator import PRESENT, Authenticator
from tests.auth.passkeys.ceremonies import register
from tests.auth.passkeys.ceremonies import sign_in as with_passkey
from tests.auth.people import TWO_FACTOR
from tests.auth.sign_in.visitors import visit

WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


def by_password(person):
    return lambda: person.sign_in(visit(person.app))


def by_passkey(person):
    device = Authenticator(flags=PRESENT)
    register(person, device)
    return lambda: with_passkey(person, device)


@pytest.mark.parametrize("way", [by_password, by_passkey])
def test_a_sign_in_that_waits_for_the_confirmation_is_asked_for_the_code(person, way):
    person.post(f"{TWO_FACTOR}/enroll")
    sign_in = way(person)
    with ThreadPoolExecutor(1) as pool, person.app.app_context(), transaction() as session:
        session.get_one(AuthUser, person.id, with_for_update={"key_share": True})  # as the confirmation does
        meeting = pool.submit(sign_in)
        await_true(lambda: session.scalar(WAITING))
        session.execute(update(AuthTwoFactor).where(AuthTwoFactor.user_id == person.id).values(verified=True))
        session.commit()
        assert meeting.result().json.get("twoFactorRequired") is True
