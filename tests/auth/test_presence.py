"""Whether work that lasts may go on for the caller who began it."""

from __future__ import annotations

import pytest

from app.auth import presence
from app.foundation.errors import Unavailable
from tests import gone


def lasts(app, principal):
    with app.test_request_context():
        return presence.lasts(principal)


@pytest.mark.parametrize("way", [gone.banned, gone.deleted, gone.removed, gone.demoted, gone.signed_out])
def test_work_lasts_until_its_caller_goes_or_loses_a_right(app, cast, owner, way):
    member = cast.colleague(owner, role="admin")
    principal = member.principal
    assert lasts(app, principal)
    way(cast, owner, member)
    assert not lasts(app, principal)


def test_a_right_that_is_added_ends_nothing(app, cast, owner):
    member = cast.colleague(owner)
    principal = member.principal
    changed = owner.patch(f"{gone.MEMBER}/{gone.membership(owner, member)}", {"role": "admin"})
    assert changed.status_code == 200
    assert lasts(app, principal)


def test_a_database_that_is_away_for_a_moment_ends_nothing(app, owner, monkeypatch):
    def away(principal):
        raise Unavailable()

    monkeypatch.setattr(presence, "renewed", away)
    assert lasts(app, owner.principal)
