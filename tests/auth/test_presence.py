"""Whether work that lasts may go on for the caller who began it."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from app.auth.credentials import credentials, presence
from app.auth.models.identity import AuthSession
from app.auth.models.keys import AuthApiKey
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import Unavailable
from app.testing.cast import Cast
from app.testing.database import transaction
from tests import gone


def lasts(app, principal):
    with app.test_request_context():
        return presence.is_still_authorized(principal)


@pytest.mark.parametrize("way", [gone.banned, gone.deleted, gone.removed, gone.demoted, gone.signed_out])
def test_work_lasts_until_its_caller_goes_or_loses_a_right(app, cast, owner, way):
    member = cast.colleague(owner, role="admin")
    principal = member.principal
    assert lasts(app, principal)
    way(cast, owner, member)
    assert not lasts(app, principal)


def test_work_lasts_no_longer_than_its_session(app, owner):
    principal = owner.principal
    with app.test_request_context(), transaction() as session:
        session.execute(update(AuthSession).where(AuthSession.id == principal.credential_id).values(expires_at=now()))
    assert not lasts(app, principal)


@pytest.mark.parametrize("change", [{"revoked_at": now()}, {"enabled": False}, {"ip_allow_list": ["10.0.0.0/8"]}])
@pytest.mark.parametrize("whose", ["of somebody", "anonymous"])
def test_work_lasts_until_its_key_ends(app, cast, owner, whose, change):
    key = cast.key(owner, "read") if whose == "of somebody" else Cast(app).anonymous
    with app.test_request_context(environ_base={"REMOTE_ADDR": "127.0.0.1"}):
        principal = credentials.key_principal(vault().digest(key.token), from_query=False)
        assert presence.is_still_authorized(principal)
        with transaction() as session:
            session.execute(update(AuthApiKey).where(AuthApiKey.id == principal.credential_id).values(**change))
        assert not presence.is_still_authorized(principal)


def test_work_lasts_until_its_key_is_narrowed(app, cast, owner):
    key = cast.key(owner, "write")
    with app.test_request_context():
        principal = credentials.key_principal(vault().digest(key.token), from_query=False)
        with transaction() as session:
            narrowed = update(AuthApiKey).where(AuthApiKey.id == principal.credential_id)
            session.execute(narrowed.values(scopes=["read"]))
        assert not presence.is_still_authorized(principal)


def test_a_right_that_is_added_ends_nothing(app, cast, owner):
    member = cast.colleague(owner)
    principal = member.principal
    changed = owner.patch(f"{gone.MEMBER}/{gone.membership(owner, member)}", {"role": "admin"})
    assert changed.status_code == 200
    assert lasts(app, principal)


def test_a_database_that_is_away_for_a_moment_ends_nothing(app, owner, monkeypatch):
    def away(principal):
        raise Unavailable()

    monkeypatch.setattr(presence, "reload_principal", away)
    assert lasts(app, owner.principal)
