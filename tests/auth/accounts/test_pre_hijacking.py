"""Accounts that somebody made with the address of somebody else: whoever first proves the address owns the account."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import select

from app.auth.models.identity import AuthAccount, AuthPasskey, AuthTwoFactor
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.accounts.people import NEW_PASSWORD, PASSWORD, RESET, VERIFY, sign_up_person
from tests.auth.oauth.conftest import configured, google, openid, servers
from tests.auth.oauth.journey import error_of, travel, user_of
from tests.auth.sign_in.visitors import CONTACTS, address, session_of, visit
from tests.mail import letters

__all__ = ["configured", "google", "openid", "servers"]


@pytest.fixture
def attacker(app):
    """Somebody who signed up with the address of somebody else."""
    return sign_up_person(app, verified=False)


def take_over(owner_of_the_mailbox):
    """What the holder of the address does: ask for a link, and choose a password."""
    asked = owner_of_the_mailbox
    assert asked.asks("forgot-password", email=asked.email).status_code == 202
    return asked.asks("reset-password", token=asked.secret(RESET), password=NEW_PASSWORD)


def left(app, model, user_id):
    with app.app_context(), transaction() as session:
        return list(session.scalars(select(model.id).where(model.user_id == user_id)))


def personal(person):
    """The personal organization of somebody."""
    found = person.actor.get("/api/v1/auth/organization").json["data"]
    return found[0]["id"]


def invited(app, inviter, organization, email):
    """Invite an address, and give the secret of the mail."""
    made = inviter.actor.post("/api/v1/auth/invitation", {"email": email, "organizationId": organization})
    assert made.status_code == 201, made.json
    return letters.secret(app, email, "invitation")


def test_v5_proving_the_mailbox_ends_the_password_and_the_sessions_that_were_there(attacker):
    second = Actor(attacker.app, attacker.sign_in().json["token"])
    assert take_over(attacker).status_code == 200
    assert attacker.sign_in(PASSWORD).status_code == 401
    assert not attacker.is_signed_in()
    assert second.get(CONTACTS).status_code == 401
    assert session_of(attacker.browser) is None
    assert attacker.sign_in(NEW_PASSWORD).status_code == 200


def test_v5_proving_the_mailbox_ends_the_keys_that_were_there(attacker):
    key = Actor(attacker.app, attacker.actor.post("/api/v1/auth/api-key", {"name": "back door"}).json["key"])
    assert key.get(CONTACTS).status_code == 200
    take_over(attacker)
    assert key.get(CONTACTS).status_code == 401


def test_v5_proving_the_mailbox_takes_factors_passkeys_and_linked_identities_away(attacker):
    app = attacker.app
    attacker.add_factor()
    with app.app_context(), transaction() as session:
        linked = AuthAccount(user_id=attacker.id, provider_id="github", issuer="https://github.com")
        linked.account_id = uuid4().hex
        passkey = AuthPasskey(
            user_id=attacker.id, public_key="x", credential_id=uuid4().hex, device_type="single_device"
        )  # fmt: skip
        session.add_all([linked, passkey])
    assert take_over(attacker).status_code == 200
    assert (left(app, AuthTwoFactor, attacker.id), left(app, AuthPasskey, attacker.id)) == ([], [])
    assert len(left(app, AuthAccount, attacker.id)) == 1
    assert attacker.sign_in(NEW_PASSWORD).json["token"]


def test_v5_proving_the_mailbox_puts_those_out_whom_somebody_else_let_in(app, attacker):
    accomplice, home = sign_up_person(app), personal(attacker)
    mailed = [invited(app, attacker, home, to) for to in (accomplice.email, address())]
    assert accomplice.post("invitation/accept", token=mailed[0]).status_code == 200
    assert accomplice.post("session/organization", organizationId=home).status_code == 200
    key = Actor(app, accomplice.actor.post("/api/v1/auth/api-key", {"name": "inside"}).json["key"])
    sees = f"/api/v1/auth/organization/{home}"
    assert [who.get(sees).status_code for who in (accomplice.actor, key)] == [200, 200]
    assert take_over(attacker).status_code == 200
    assert [who.get(sees).status_code for who in (accomplice.actor, key)] == [404, 401]
    late = accomplice.asks("invitation/accept", token=mailed[1], name="Late", password=NEW_PASSWORD)
    assert late.json["code"] == "INVALID_TOKEN"
    assert accomplice.is_signed_in()


def test_v5_a_later_reset_puts_nobody_out(app, ada):
    friend, home = sign_up_person(app), personal(ada)
    assert friend.post("invitation/accept", token=invited(app, ada, home, friend.email)).status_code == 200
    mailed = invited(app, ada, home, address())
    assert take_over(ada).status_code == 200
    assert friend.actor.get(f"/api/v1/auth/organization/{home}").status_code == 200
    assert ada.asks("invitation", token=mailed).status_code == 200


def test_v5_a_link_that_was_asked_for_earlier_lets_nobody_back_in(attacker):
    earlier = attacker.secret(VERIFY)
    assert take_over(attacker).status_code == 200
    refused = attacker.asks("verify-email", token=earlier, password=PASSWORD)
    assert refused.json["code"] == "INVALID_TOKEN"


def test_v5_a_change_of_address_that_was_begun_earlier_comes_to_nothing(attacker):
    own = address()
    attacker.post("change-email", email=own)
    secret = attacker.secret("change-address", to=own)
    assert take_over(attacker).status_code == 200
    for password in (PASSWORD, NEW_PASSWORD):
        refused = attacker.asks("verify-email", token=secret, password=password)
        assert refused.json["code"] == "INVALID_TOKEN"
    assert attacker.row().email == attacker.email


def test_v5_a_later_reset_takes_nothing_else_away(ada):
    ada.add_factor()
    key = Actor(ada.app, ada.actor.post("/api/v1/auth/api-key", {"name": "mine"}).json["key"])
    assert take_over(ada).status_code == 200
    assert len(left(ada.app, AuthTwoFactor, ada.id)) == 1
    assert key.get(CONTACTS).status_code == 200


def test_v2_a_sign_in_elsewhere_opens_nothing_until_the_mailbox_is_proved(google, openid):
    attacker = sign_up_person(google, verified=False, email=openid.claims["email"])
    owner = visit(google)
    assert error_of(travel(owner, "google")) == "account_not_linked"
    assert user_of(owner) is None
    assert len(left(google, AuthAccount, attacker.id)) == 1
    assert take_over(attacker).status_code == 200
    assert not attacker.is_signed_in()
    assert attacker.sign_in(PASSWORD).status_code == 401
    assert error_of(travel(owner, "google")) is None
    assert user_of(owner)["id"] == attacker.id


def test_an_identity_gets_no_account_with_an_address_that_can_be_taken_back(google, openid):
    holder = sign_up_person(google, email=openid.claims["email"])
    new = address()
    holder.post("change-email", email=new)
    assert holder.post("verify-email", token=holder.secret("change-address", to=new)).status_code == 200
    stranger = visit(google)
    assert error_of(travel(stranger, "google")) is not None
    assert user_of(stranger) is None


def test_v13_an_invitation_is_not_for_whoever_merely_wrote_its_address_down(app, cast, attacker):
    owner = cast.user()
    made = owner.post("/api/v1/auth/invitation", {"email": attacker.email}).json
    refused = attacker.actor.put(f"/api/v1/auth/invitation/{made['id']}", {"status": "accepted"})
    assert refused.status_code == 404
    assert attacker.post("invitation/accept", token="x" * 43).json["code"] == "INVALID_TOKEN"
    members = owner.get("/api/v1/auth/member", query_string={"userId": attacker.id}).json
    assert members["meta"]["count"] == 0


@pytest.mark.parametrize("end", ["reset", "revert", "ban", "delete"])
def test_v18_what_ended_the_sessions_ended_the_making_of_keys(ada, cast, end):
    def key():
        return ada.actor.post("/api/v1/auth/api-key", {"name": "late"}).status_code

    assert key() == 201
    if end == "reset":
        take_over(ada)
    elif end == "revert":
        new = address()
        ada.post("change-email", email=new)
        ada.post("verify-email", token=ada.secret("change-address", to=new))
        ada.asks("change-email/revert", token=ada.secret("address-changed"))
    elif end == "ban":
        cast.admin.put(f"/api/v1/auth/user/{ada.id}", {"banned": True})
    else:
        cast.admin.delete(f"/api/v1/auth/user/{ada.id}")
    assert key() == 401
