"""Changing the address: the new one confirms, the old one is told and can take it back for a week."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from app.auth.accounts import proofs
from app.auth.models.identity import AuthVerification
from app.foundation.clock import now
from app.mail import outbox
from app.testing.database import transaction
from tests.auth.accounts.people import CHANGE, CHANGED, NEW_PASSWORD, PASSWORD, RESET, VERIFY, sign_up_person
from tests.auth.sign_in.visitors import address, sign_up, visit

INVALID = (400, "INVALID_TOKEN")


def told(answer):
    return answer.status_code, answer.json["code"]


def change(person, new=""):
    """Move a person to a new address."""
    new = new or address()
    asked = person.post("change-email", email=new)
    assert (asked.status_code, asked.json) == (202, {})
    confirmed = person.post("verify-email", token=person.secret(CHANGE, to=new))
    assert confirmed.status_code == 200, confirmed.json
    assert confirmed.json["user"]["email"] == new
    old, person.email = person.email, new
    return old


def test_the_address_is_changed_once_the_new_one_confirms(ada):
    new = address()
    ada.post("change-email", email=new)
    assert ada.row().email == ada.email
    change(ada, address())
    assert ada.row().email == ada.email
    assert ada.row().email_verified
    assert ada.sign_in().status_code == 200


def test_the_password_and_the_mail_confirm_a_new_address_as_well(ada):
    new = address()
    ada.post("change-email", email=new)
    secret = ada.secret(CHANGE, to=new)
    assert told(ada.asks("verify-email", token=secret)) == (401, "INVALID_EMAIL_OR_PASSWORD")
    assert ada.asks("verify-email", token=secret, password=PASSWORD).json["user"]["email"] == new


def test_a_change_wants_recent_proof(ada):
    ada.grow_stale()
    assert told(ada.post("change-email", email=address())) == (403, "REAUTHENTICATION_REQUIRED")


def test_the_old_address_is_told_and_not_shown_to_others(ada):
    old = change(ada)
    assert ada.mails(to=old)[-1] == CHANGED
    assert ada.mails() == [CHANGE]


def test_the_old_address_takes_the_change_back_and_chooses_a_new_password(ada):
    new, old = ada, change(ada)
    secret = ada.secret(CHANGED, to=old)
    assert visit(ada.app).post("/api/auth/change-email/revert", json={"token": secret}).json == {}
    assert (ada.row().email, ada.row().email_verified) == (old, True)
    assert not new.is_signed_in()
    assert ada.browser.get("/api/auth/session").json is None
    ada.email = old
    assert ada.asks("reset-password", token=ada.secret(RESET), password=NEW_PASSWORD).status_code == 200
    assert ada.sign_in(NEW_PASSWORD).status_code == 200


def test_whoever_knew_the_password_is_out_once_the_change_is_taken_back(ada):
    old = change(ada)
    assert ada.asks("change-email/revert", token=ada.secret(CHANGED, to=old)).status_code == 200
    ada.email = old
    assert told(ada.sign_in()) == (401, "INVALID_EMAIL_OR_PASSWORD")


def test_the_old_address_can_take_the_change_back_for_seven_days(ada):
    old = change(ada)
    secret = ada.secret(CHANGED, to=old)
    own = (AuthVerification.user_id == ada.id, AuthVerification.purpose == proofs.REVERT)
    with ada.app.app_context(), transaction() as session:
        left = session.scalar(
            AuthVerification.__table__.select().with_only_columns(AuthVerification.expires_at).where(*own)
        )
        assert timedelta(days=6, hours=23) < left - now() <= timedelta(days=7)
        session.execute(update(AuthVerification).where(*own).values(expires_at=now()))
    assert told(ada.asks("change-email/revert", token=secret)) == INVALID


def test_who_took_the_account_cannot_keep_the_old_address_from_taking_it_back(ada, monkeypatch):
    monkeypatch.setattr(outbox, "PAUSE", timedelta(0))
    first = change(ada)
    second = change(ada)
    mine, theirs = ada.secret(CHANGED, to=first), ada.secret(CHANGED, to=second)
    assert ada.asks("change-email/revert", token=theirs).status_code == 200
    assert ada.row().email == second
    assert ada.asks("change-email/revert", token=mine).status_code == 200
    assert ada.row().email == first


def test_taking_a_change_back_makes_later_ones_worthless(ada, monkeypatch):
    monkeypatch.setattr(outbox, "PAUSE", timedelta(0))
    first = change(ada)
    second = change(ada)
    pending = address()
    ada.post("change-email", email=pending)
    waiting = ada.secret(CHANGE, to=pending)
    theirs = ada.secret(CHANGED, to=second)
    assert ada.asks("change-email/revert", token=ada.secret(CHANGED, to=first)).status_code == 200
    assert told(ada.asks("change-email/revert", token=theirs)) == INVALID
    assert told(ada.asks("verify-email", token=waiting, password=PASSWORD)) == INVALID
    assert ada.row().email == first


@pytest.fixture
def kept(ada):
    """An address that was changed, and can be taken back."""
    return change(ada)


def test_a_sign_up_does_not_get_an_address_that_can_be_taken_back(app, kept):
    refused = sign_up(visit(app), email=kept.upper())
    assert told(refused) == (422, "USER_ALREADY_EXISTS")


def test_an_admin_gives_nobody_an_address_that_can_be_taken_back(cast, kept):
    assert cast.admin.post("/api/v1/auth/user", {"name": "New", "email": kept}).status_code == 409


def test_the_command_line_gives_nobody_an_address_that_can_be_taken_back(app, kept):
    words = ["users", "create", "--email", kept, "--password", NEW_PASSWORD]
    assert app.test_cli_runner().invoke(args=words).exit_code == 1


def test_nobody_changes_to_an_address_that_can_be_taken_back(app, kept):
    other = sign_up_person(app)
    assert other.post("change-email", email=kept).status_code == 202
    assert CHANGE not in other.mails(to=kept)


def test_a_change_that_was_begun_before_an_address_was_kept_comes_to_nothing(app, ada, monkeypatch):
    monkeypatch.setattr(outbox, "PAUSE", timedelta(0))
    wanted, other = address(), sign_up_person(app)
    other.post("change-email", email=wanted)
    secret = other.secret(CHANGE, to=wanted)
    change(ada, wanted)
    change(ada)
    assert other.post("verify-email", token=secret).status_code == 409
    assert other.row().email == other.email


def test_the_account_itself_can_go_back_to_its_old_address(ada, kept):
    change(ada, kept)
    assert ada.row().email == kept


def test_after_a_week_the_old_address_is_anybodys(app, ada, kept):
    with app.app_context(), transaction() as session:
        own = (AuthVerification.user_id == ada.id, AuthVerification.purpose == proofs.REVERT)
        session.execute(update(AuthVerification).where(*own).values(expires_at=now()))
    assert sign_up(visit(app), email=kept).status_code == 200


def test_an_address_that_was_never_proved_is_kept_for_nobody(app, newcomer):
    old = change(newcomer)
    assert newcomer.mails(to=old) == [VERIFY]
    assert sign_up(visit(app), email=old).status_code == 200


@pytest.mark.parametrize("whose", ["an account's", "nobody's"])
def test_who_has_an_address_is_not_told_to_whoever_wants_to_change_to_it(app, ada, whose):
    email = sign_up_person(app).email if whose == "an account's" else address()
    answer = ada.post("change-email", email=email)
    assert (answer.status_code, answer.json) == (202, {})
    assert (CHANGE in ada.mails(to=email)) is (whose == "nobody's")


def test_a_second_change_makes_the_link_of_the_first_worthless(ada, monkeypatch):
    monkeypatch.setattr(outbox, "PAUSE", timedelta(0))
    first, second = address(), address()
    ada.post("change-email", email=first)
    earlier = ada.secret(CHANGE, to=first)
    ada.post("change-email", email=second)
    ada.secret(CHANGE, to=second)
    assert told(ada.post("verify-email", token=earlier)) == INVALID


def test_what_is_no_address_is_refused_by_name(ada):
    assert told(ada.post("change-email", email="no address")) == (400, "INVALID_EMAIL")
