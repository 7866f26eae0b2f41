"""Step-up: proving once more who one is, and going on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import delete, update

from app.auth.models.identity import AuthAccount, AuthSession
from app.foundation.clock import now
from app.testing.database import transaction
from tests.account.factors import Authenticator, add_passkey
from tests.account.visitors import wrong_with
from tests.auth.sign_in.visitors import PASSWORD, session_of

PAGE, LINKED = "/account/confirm", "/account/linked"


@pytest.fixture
def stale(app, member):
    """Somebody who signed in an hour ago."""
    make_stale(app, member)
    return member


def make_stale(app, visitor):
    own = AuthSession.id == session_of(visitor.client)["session"]["id"]
    with app.app_context(), transaction() as session:
        session.execute(update(AuthSession).where(own).values(authenticated_at=now() - timedelta(hours=1)))


def is_fresh(visitor):
    return visitor.client.post("/api/auth/passkey/register/options", headers=visitor.headers).status_code == 200


def test_the_password_proves_it_and_leads_back(stale):
    assert not is_fresh(stale)
    page = stale.get(f"{PAGE}?next={LINKED}").text
    assert f'name="next" value="{LINKED}"' in page
    assert "/confirm/code" not in page
    assert "data-passkey" not in page
    done = stale.send(f"{PAGE}/password", page=PAGE, password=PASSWORD, next=LINKED)
    assert (done.status_code, done.headers["Location"]) == (303, LINKED)
    assert is_fresh(stale)


def test_a_wrong_password_is_told_beside_its_field_and_keeps_where_to_go(stale):
    refused = stale.send(f"{PAGE}/password", page=PAGE, password="wrong password", next=LINKED)
    assert (refused.status_code, wrong_with(refused, "password")) == (401, "The password is not right.")
    assert f'name="next" value="{LINKED}"' in refused.text
    assert not is_fresh(stale)


def test_a_code_proves_it(app, member):
    authenticator = Authenticator(member)
    make_stale(app, member)
    refused = member.send(f"{PAGE}/code", page=PAGE, code="000000")
    assert (refused.status_code, wrong_with(refused, "code")) == (401, "The code is not valid")
    assert wrong_with(refused, "password") is None
    assert member.send(f"{PAGE}/code", page=PAGE, code=authenticator.code()).headers["Location"] == "/account"
    assert is_fresh(member)


def test_a_passkey_is_offered_to_whoever_has_one(app, stale):
    add_passkey(app, stale)
    page = stale.get(f"{PAGE}?next={LINKED}").text
    assert f'data-passkey="confirm" data-next="{LINKED}"' in page
    assert "passkey-sign-in.js" in page


def test_whoever_has_none_of_them_signs_in_again(app, stale):
    own = AuthAccount.user_id == session_of(stale.client)["user"]["id"]
    with app.app_context(), transaction() as session:
        session.execute(delete(AuthAccount).where(own))
    page = stale.get(f"{PAGE}?next={LINKED}").text
    assert 'type="password"' not in page
    assert f'href="/account/sign-in?again=1&amp;next={LINKED}"' in page


def test_it_leads_nowhere_else(stale):
    done = stale.send(f"{PAGE}/password", page=PAGE, password=PASSWORD, next="//evil.example")
    assert done.headers["Location"] == "/account"
