"""Password and address on the page of security."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import delete, select, update

from app.auth.models.identity import AuthAccount, AuthPasskey, AuthSession, AuthUser
from app.foundation.clock import now
from app.testing.database import transaction
from tests.account.visitors import Visitor, alerts_of, said_by, wrong_with
from tests.auth.sign_in.visitors import PASSWORD, session_of

SECURITY = "/account/security"
NEW = "a wise old heron"


def id_of(visitor):
    return session_of(visitor.client)["user"]["id"]


def make_stale(app, visitor):
    """Let the last proof of a visitor's session be an hour old."""
    own = AuthSession.id == session_of(visitor.client)["session"]["id"]
    with app.app_context(), transaction() as session:
        session.execute(update(AuthSession).where(own).values(authenticated_at=now() - timedelta(hours=1)))


def change(visitor, **fields):
    given = {"currentPassword": PASSWORD, "newPassword": NEW} | fields
    return visitor.send(f"{SECURITY}/password", page=SECURITY, **given)


def test_the_password_is_changed_and_other_devices_stay_unless_they_are_to_go(app, member):
    other = Visitor(app)
    other.sign_in(email=member.email)
    assert change(member).headers["Location"] == SECURITY
    assert said_by(member.get(SECURITY)) == ["Your password is changed."]
    assert session_of(other.client) is not None
    change(member, currentPassword=NEW, newPassword=PASSWORD, revokeOtherSessions="y")
    assert session_of(other.client) is None
    assert session_of(member.client) is not None
    assert Visitor(app).sign_in(email=member.email).status_code == 303


@pytest.mark.parametrize(
    ("fields", "status", "field", "text"),
    [
        ({"currentPassword": "wrong"}, 401, "currentPassword", "This is not your password."),
        ({"currentPassword": ""}, 400, "currentPassword", "This field is required."),
        ({"newPassword": "short"}, 400, "newPassword", "Use at least 8 characters."),
        ({"newPassword": "password1"}, 400, "newPassword", "Is among the first that are guessed."),
    ],
)
def test_what_is_wrong_with_a_change_is_said_beside_its_field(member, fields, status, field, text):
    response = change(member, **fields)
    assert (response.status_code, wrong_with(response, field)) == (status, text)
    assert alerts_of(response) == ["Check what is marked below."]
    assert NEW not in response.text
    assert change(member).status_code == 303


def test_an_account_without_a_password_gets_one_on_recent_proof(app, member):
    own = AuthAccount.user_id == id_of(member)
    with app.app_context(), transaction() as session:
        session.execute(delete(AuthAccount).where(own))
    page = member.get(SECURITY).text
    assert "You have no password yet." in page
    assert "currentPassword" not in page
    make_stale(app, member)
    refused = member.send(f"{SECURITY}/password", page=SECURITY, newPassword=NEW)
    assert refused.status_code == 403
    assert alerts_of(refused) == ["This needs a recent sign-in: sign in again, then try once more."]
    assert f"next={SECURITY}" in refused.text
    with app.app_context(), transaction() as session:
        session.execute(update(AuthSession).values(authenticated_at=now()))
    assert member.send(f"{SECURITY}/password", page=SECURITY, newPassword=NEW).status_code == 303
    assert Visitor(app).sign_in(email=member.email, password=NEW).status_code == 303


def test_a_new_address_is_asked_for_in_the_same_words_whosever_it_is(app, member, monkeypatch):
    asked = []
    monkeypatch.setattr("app.auth.accounts.verification.ask_for_mail", lambda *given, **more: asked.append(given[1]))
    other = Visitor(app).sign_up()
    for address in (other.email, "free@sign-in.example"):
        response = member.send(f"{SECURITY}/address", page=SECURITY, email=f" {address} ")
        assert response.headers["Location"] == SECURITY
        (said,) = said_by(member.get(SECURITY))
        assert said == "A link is on its way to the new address. Open it to make the address yours."
    assert asked == [other.email, "free@sign-in.example"]
    assert session_of(member.client)["user"]["email"] == member.email


def test_an_address_that_is_none_and_a_proof_that_is_old_are_refused(app, member):
    response = member.send(f"{SECURITY}/address", page=SECURITY, email="ada@example")
    assert (response.status_code, wrong_with(response, "email")) == (400, "Not a valid email address.")
    make_stale(app, member)
    response = member.send(f"{SECURITY}/address", page=SECURITY, email="new@sign-in.example")
    assert response.status_code == 403
    assert 'value="new@sign-in.example"' in response.text


def test_the_link_is_sent_again_while_the_address_is_not_confirmed(app, member):
    assert "Send the link again" in member.get(SECURITY).text
    response = member.send(f"{SECURITY}/address/resend", page=SECURITY)
    assert response.status_code == 303
    assert said_by(member.get(SECURITY)) == ["A link is on its way to your address."]
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.email == member.email).values(email_verified=True))
    assert "Send the link again" not in member.get(SECURITY).text


@pytest.fixture
def passkeys(app, member):
    """Two passkeys of a member, by their ids."""
    user_id = id_of(member)
    made = [
        AuthPasskey(
            user_id=user_id, name=name, public_key="-", credential_id=f"{name} of {member.email}", counter=0,
            device_type="multi_device", backed_up=name == "Laptop", transports=["internal"],
        )
        for name in ("Laptop", "Key <ring>")
    ]  # fmt: skip
    with app.app_context(), transaction() as session:
        session.add_all(made)
        session.flush()
        return [str(each.id) for each in made]


def test_passkeys_are_listed_named_and_removed(app, member, passkeys):
    page = member.get(SECURITY).text
    found = [page.index(text) for text in ("Laptop", "Synchronized", "Key &lt;ring&gt;", "On one device")]
    assert found == sorted(found)
    place = f"{SECURITY}/passkeys/{passkeys[1]}"
    assert member.send(f"{place}/rename", page=SECURITY, name=" Key ").status_code == 303
    page = member.get(SECURITY)
    assert said_by(page) == ["The passkey has its new name."]
    assert '<strong class="long">Key</strong>' in page.text
    for name in ("", " ", "x" * 101):
        assert member.send(f"{place}/rename", page=SECURITY, name=name).status_code == 400
    assert member.send(f"{place}/remove", page=SECURITY).status_code == 303
    assert member.send(f"{place}/remove", page=SECURITY).status_code == 404


def test_the_last_way_in_stays_and_removing_wants_a_recent_proof(app, member, passkeys):
    own = AuthAccount.user_id == id_of(member)
    with app.app_context(), transaction() as session:
        session.execute(delete(AuthAccount).where(own))
    first, last = (f"{SECURITY}/passkeys/{each}/remove" for each in passkeys)
    assert member.send(first, page=SECURITY).status_code == 303
    refused = member.send(last, page=SECURITY)
    assert (refused.status_code, alerts_of(refused)) == (409, ["The last way to sign in stays"])
    make_stale(app, member)
    assert member.send(last, page=SECURITY).status_code == 403


def test_a_passkey_of_somebody_else_is_not_there(app, passkeys):
    other = Visitor(app).sign_up()
    for act in ("rename", "remove"):
        assert other.send(f"{SECURITY}/passkeys/{passkeys[0]}/{act}", page=SECURITY, name="Mine").status_code == 404
    with app.app_context(), transaction() as session:
        assert session.scalar(select(AuthPasskey.name).where(AuthPasskey.id == passkeys[0])) == "Laptop"


def test_the_page_of_security_speaks_german_and_holds_no_scripts_of_its_own(app):
    page = Visitor(app, language="de").sign_up().get(SECURITY).text
    for text in ("Sicherheit", "Passwort ändern", "Zweiter Faktor", "Passkeys"):
        assert text in page
    assert not re.search(r"<style|<script(?! src=)|\sstyle=|\son\w+=", page)
