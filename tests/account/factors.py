"""Second factors of the tests: an authenticator, and a passkey that nobody holds."""

from __future__ import annotations

import time
from uuid import uuid4

import pyotp
from sqlalchemy import select

from app.auth.models.identity import AuthPasskey, AuthUser
from app.auth.sign_in.two_factor.codes import STEP
from app.testing.database import transaction


class Authenticator:
    """What makes codes: each of them one that was not used yet."""

    def __init__(self, visitor):
        begun = visitor.client.post("/api/auth/two-factor/enroll", headers=visitor.headers).json
        self.totp, self.step = pyotp.TOTP(begun["secret"]), int(time.time()) // STEP - 1
        confirmed = visitor.client.post(
            "/api/auth/two-factor/confirm", json={"code": self.code()}, headers=visitor.headers
        )
        self.recovery_codes = confirmed.json["recoveryCodes"]

    def code(self):
        """One step further each time: codes of steps nearby count as well."""
        made = self.totp.at(self.step * STEP)
        self.step += 1
        return made


def add_passkey(app, visitor):
    """Give somebody a passkey in the database alone."""
    with app.app_context(), transaction() as session:
        user = session.scalar(select(AuthUser).where(AuthUser.email == visitor.email))
        session.add(
            AuthPasskey(
                user_id=user.id, name="Laptop", credential_id=uuid4().hex, public_key="AAAA", counter=0,
                device_type="single_device", backed_up=False, transports=[],
            )
        )  # fmt: skip
