"""Mails about keys: one was made, and one ends in a week."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from app.auth.accounts import mails
from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKey
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now

AHEAD = timedelta(days=7)
BATCH_SIZE = 500


def tell_of_new(unit: Unit, key: AuthApiKey) -> None:
    """Tell the owner of a key that it was made."""
    owner = unit.session.get_one(AuthUser, key.user_id)
    mails.send_account_mail(unit, owner, "key-created", mails.KEYS, cause=key.id, key=key.name, start=key.start)


def tell_of_connection(unit: Unit, key: AuthApiKey, client: str) -> None:
    """Tell a person that a client was connected to their account, and may act by ``key``."""
    owner = unit.session.get_one(AuthUser, key.user_id)
    mails.send_account_mail(unit, owner, "client-connected", mails.CLIENTS, cause=key.id, client=client)


def tell_of_ends() -> None:
    """Tell the owners of keys that end within a week, once for each key. A key that was made for less than a week ends
    as its owner knows."""
    model = AuthApiKey
    ends = (model.expires_at > now(), model.expires_at <= now() + AHEAD, model.expires_at - model.created_at > AHEAD)
    in_use = (model.revoked_at.is_(None), model.enabled, model.rotated_to_id.is_(None), model.user_id.is_not(None))
    last = None
    while True:
        with reading() as session:
            wanted = select(model).where(*ends, *in_use, *([model.id > last] if last else []))
            found = list(session.scalars(wanted.order_by(model.id).limit(BATCH_SIZE)))
        for key in found:
            run_unit(SYSTEM, _tell_of_end, key)
        if len(found) < BATCH_SIZE:
            return
        last = found[-1].id


def _tell_of_end(unit: Unit, key: AuthApiKey) -> None:
    owner = unit.session.get(AuthUser, key.user_id)
    if owner is not None:
        mails.send_account_mail(
            unit, owner, "key-expires", mails.KEYS, cause=key.id, key=key.name, start=key.start, until=key.expires_at
        )
