"""Proofs: secrets that work once, for one purpose, for one account, and for a while. Only their digests are stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import ColumnElement, delete, select

from app.auth.errors import InvalidToken
from app.auth.models.identity import AuthVerification
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation import crypto
from app.foundation.clock import now
from app.foundation.errors import require_found

VERIFY, RESET = "email_verification", "password_reset"
CHANGE, REVERT = "change_email", "change_email_revert"
CHALLENGE, PASSKEY = "two_factor_challenge", "passkey_challenge"
LIFETIME = {
    VERIFY: timedelta(hours=24),
    RESET: timedelta(minutes=30),
    CHANGE: timedelta(hours=24),
    REVERT: timedelta(days=7),
    CHALLENGE: timedelta(minutes=10),
    PASSKEY: timedelta(minutes=5),
}
# The longest secret is shorter by far.
MAX_SECRET_LENGTH = 200


@dataclass(frozen=True)
class Proof:
    """What a secret stands for; ``context`` says what exactly is proved, such as the address."""

    id: UUID
    purpose: str
    user_id: UUID | None
    context: dict[str, Any]
    created_at: datetime
    expires_at: datetime


def issue(
    unit: Unit,
    purpose: str,
    user_id: UUID | None,
    *,
    secret: str = "",
    subject: str = "",
    lasts: timedelta | None = None,
    **context: Any,
) -> tuple[Proof, str]:
    """Store a proof and return it with its secret. ``subject`` is what its identifier is made of besides the purpose,
    the account unless another is named."""
    secret = secret or crypto.link_secret()
    made = AuthVerification(
        purpose=purpose, user_id=user_id, identifier=identifier(purpose, subject or str(user_id)),
        value=crypto.vault().digest(secret), context=crypto.vault().encrypt(orjson.dumps(context).decode()),
        expires_at=now() + (lasts or LIFETIME[purpose]),
    )  # fmt: skip
    unit.store(made)
    return _proof(made), secret


def redeem(unit: Unit, secret: str, *purposes: str) -> Proof:
    """Use a proof up; of several callers at the same time one gets it. Raises InvalidToken."""
    used = unit.bookkeep_returning(delete(AuthVerification).where(*_live(secret, purposes)).returning(AuthVerification))
    row = require_found(used.scalar_one_or_none(), InvalidToken)
    unit.session.expunge(row)
    return _proof(row)


def get_for_update(unit: Unit, secret: str, *purposes: str) -> AuthVerification:
    """The row of a proof, locked until the end, for answers that do not use it up; raises InvalidToken."""
    live = select(AuthVerification).where(*_live(secret, purposes))
    return require_found(unit.session.scalar(live.with_for_update()), InvalidToken)


def peek(unit: Unit, secret: str, *purposes: str) -> Proof:
    """What a proof stands for, without using it; raises InvalidToken."""
    live = select(AuthVerification).where(*_live(secret, purposes))
    return _proof(require_found(unit.session.scalar(live), InvalidToken))


def preview(secret: str, *purposes: str) -> Proof:
    """What a proof stands for, for a page that asks before it is used; raises InvalidToken."""
    return run_unit(SYSTEM, peek, secret, *purposes)


def void(unit: Unit, user_id: UUID, *purposes: str, since: UUID | None = None) -> None:
    """Forget the proofs of an account that are for any of ``purposes``; only those that were made ``since`` another,
    where one is named."""
    own = [AuthVerification.user_id == user_id, AuthVerification.purpose.in_(purposes)]
    if since is not None:
        own.append(AuthVerification.id > since)
    unit.bookkeep(delete(AuthVerification).where(*own))


def identifier(purpose: str, subject: str) -> str:
    """What a proof can be found by without its secret."""
    return crypto.vault().digest(f"{purpose}:{subject}")


def context_of(row: AuthVerification) -> dict[str, Any]:
    """What the row of a proof says that is proved."""
    return orjson.loads(crypto.vault().decrypt(row.context or ""))


def _live(secret: str, purposes: tuple[str, ...]) -> list[ColumnElement[bool]]:
    digest = crypto.vault().digest(secret if len(secret) <= MAX_SECRET_LENGTH else "")
    model = AuthVerification
    return [model.value == digest, model.purpose.in_(purposes), model.expires_at > now()]


def _proof(row: AuthVerification) -> Proof:
    return Proof(row.id, row.purpose, row.user_id, context_of(row), row.created_at, row.expires_at)
