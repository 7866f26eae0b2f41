"""Accounts by code: what plugins make, change and follow through ``rowgate.accounts``."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy import update

from app.auth.accounts import passwords, proofs, verification
from app.auth.credentials.sessions import sign_out_elsewhere
from app.auth.errors import InsufficientScope, InvalidEmailOrPassword, InvalidToken, PasswordTooCommon
from app.auth.models.identity import AuthSession, AuthUser
from app.crm.models import CrmCompany
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Forbidden, NotFound, Unauthenticated, UniqueViolation
from app.foundation.events import Event
from app.testing.database import transaction
from config import SettingError
from rowgate import SYSTEM, aggregate, count, find, get, run_unit
from rowgate.accounts import (
    account_deleted,
    acting_as,
    address_changed,
    anonymous,
    change_address,
    change_password,
    check_password,
    make_account,
    new_password_hash,
    principal_of,
    set_password,
    sign_in,
    sign_in_with_password,
    sign_out,
    signed_in,
    signed_out,
    signed_up,
)
from tests.auth.sign_in.visitors import sign_up, visit
from tests.mail.letters import kinds

PASSWORD, ANOTHER = "a wise old heron", "another fine password"


@pytest.fixture
def inside(app):
    """Within a request, as routes are."""
    with app.test_request_context():
        yield


@contextmanager
def heard(event: Event, monkeypatch):
    """What is emitted meanwhile, without the unit."""
    told = []
    with monkeypatch.context() as patch:
        patch.setattr(event, "_reactions", [*event._reactions, lambda unit, *about: told.append(about)])
        yield told


def somebody(password=PASSWORD, **more):
    hashed = new_password_hash(password) if password else None
    email = f"{uuid4().hex}@example.com"
    return run_unit(SYSTEM, make_account, email=email, password_hash=hashed, **more)


def test_a_follower_of_sign_ups_that_meets_a_taken_value_refuses_the_sign_up(app, monkeypatch):
    def refuse(unit, user):
        raise UniqueViolation.on(["username"])

    monkeypatch.setattr(signed_up, "_reactions", [*signed_up._reactions, refuse])
    answer = sign_up(visit(app))
    assert (answer.status_code, answer.json["details"]) == (409, {"fields": {"username": ["Is already taken."]}})


def test_an_account_is_made_with_its_home_and_its_person_signs_in(inside, app):
    user = somebody(name="Ada", verified=True)
    signed = sign_in_with_password(user.email, PASSWORD)
    client = app.test_client()
    headers = {"Authorization": f"Bearer {signed.token}"}
    found = client.get("/api/auth/session", headers=headers).json
    assert (found["user"]["name"], found["user"]["emailVerified"]) == ("Ada", True)
    (home,) = client.get("/api/v1/auth/organization", headers=headers).json["data"]
    assert home["isPersonal"] is True


def test_an_address_has_one_account(inside):
    user = somebody(password=None)
    with pytest.raises(UniqueViolation):
        run_unit(SYSTEM, make_account, email=user.email.upper())


def test_a_password_is_proved_changed_and_set(inside):
    user = somebody()
    principal = principal_of(sign_in_with_password(user.email, PASSWORD).token)
    check_password(principal, PASSWORD)
    with pytest.raises(InvalidEmailOrPassword):
        check_password(principal, ANOTHER)
    token = change_password(principal, PASSWORD, ANOTHER, elsewhere=True)
    set_password(user.id, PASSWORD)
    sign_in_with_password(user.email, PASSWORD)
    with pytest.raises(Unauthenticated):
        principal_of(token)
    with pytest.raises(PasswordTooCommon):
        set_password(user.id, "password123")
    with pytest.raises(NotFound):
        set_password(uuid4(), PASSWORD)


def test_a_password_that_is_set_is_told_to_its_person(inside, app):
    user = somebody()
    set_password(user.id, ANOTHER)
    assert kinds(app, user.email) == ["password-changed"]


def test_a_token_is_resolved_and_one_of_nobody_refused(inside, cast):
    person = cast.user()
    key = cast.key(person, "read")
    assert principal_of(person.token).user_id == principal_of(key.token).user_id == person.user_id
    for token in ("", "rg_sess_nonsense", person.token[:-1]):
        with pytest.raises(Unauthenticated):
            principal_of(token)


def test_code_acts_as_a_user_without_the_rights_of_an_admin(inside, cast):
    admin = cast.user(role="admin")
    found = acting_as(admin.user_id)
    assert (found.user_id, found.is_admin) == (admin.user_id, False)
    assert [each["id"] for each in find(AuthUser, found, {"id": admin.user_id}).records] == [admin.user_id]
    with pytest.raises(Unauthenticated):
        acting_as(uuid4())


def test_code_acts_as_nobody(inside):
    assert anonymous().is_nobody


def test_nobody_is_signed_in_who_is_banned_or_has_to_verify_first(inside, app, monkeypatch):
    user = somebody()
    with transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.id == user.id).values(banned=True))
    with pytest.raises(Unauthenticated):
        run_unit(SYSTEM, sign_in, user)
    settings = replace(app.config["SETTINGS"], require_email_verification=True)
    monkeypatch.setitem(app.config, "SETTINGS", settings)
    with pytest.raises(Forbidden):
        run_unit(SYSTEM, sign_in, somebody())


def test_a_token_is_resolved_for_what_it_may_do(inside, cast):
    key = cast.key(cast.user(), "read")
    with pytest.raises(InsufficientScope):
        principal_of(key.token, "write")


def test_a_key_reads_no_more_by_code_than_by_requests(inside, cast):
    person = cast.user()
    grants = [{"models": ["crm/deal"], "operations": ["list"]}]
    for key, model in ((cast.key(person, "read"), AuthSession), (cast.key(person, "read", access=grants), CrmCompany)):
        principal = principal_of(key.token)
        assert key.get(model.collection_path()).status_code == 403
        for ask in (find, count, aggregate):
            with pytest.raises(Forbidden):
                ask(model, principal)
        with pytest.raises(Forbidden):
            get(model, principal, person.user_id)


def test_an_address_that_is_set_ends_changes_that_wait_and_the_same_one_changes_nothing(inside, monkeypatch):
    user = somebody(verified=True)
    with heard(address_changed, monkeypatch) as moved:
        run_unit(SYSTEM, lambda unit: change_address(unit, unit.get(AuthUser, user.id, lock=True), user.email))
    assert moved == []
    _, secret = run_unit(SYSTEM, proofs.issue, proofs.CHANGE, user.id, email="elsewhere@example.com")
    address = f"{uuid4().hex}@example.com"
    run_unit(SYSTEM, lambda unit: change_address(unit, unit.get(AuthUser, user.id, lock=True), address))
    with pytest.raises(InvalidToken):
        verification.verify(secret, PASSWORD, None)


def test_every_end_of_a_session_by_its_person_is_told(inside, app, cast, monkeypatch):
    user = somebody()
    first, second, third = (sign_in_with_password(user.email, PASSWORD) for _ in range(3))
    with heard(signed_out, monkeypatch) as ended:
        run_unit(principal_of(first.token), sign_out_elsewhere)
    assert {session.id for (session,) in ended} == {second.session.id, third.session.id}
    with heard(signed_out, monkeypatch) as ended:
        run_unit(principal_of(first.token), Unit.delete, AuthSession, first.session.id)
    assert [session.id for (session,) in ended] == [first.session.id]


def test_what_happens_to_accounts_is_told(inside, monkeypatch):
    with heard(signed_up, monkeypatch) as made:
        user = somebody()
    assert [each.id for (each,) in made] == [user.id]
    with heard(signed_in, monkeypatch) as opened:
        signed = run_unit(SYSTEM, sign_in, user, method="oauth")
    assert [(who.id, session.sign_in_method) for who, session in opened] == [(user.id, "oauth")]
    with heard(signed_out, monkeypatch) as ended:
        run_unit(principal_of(signed.token), sign_out)
    assert [session.id for (session,) in ended] == [signed.session.id]
    address = f"{uuid4().hex}@example.com"
    with heard(address_changed, monkeypatch) as moved:
        run_unit(SYSTEM, lambda unit: change_address(unit, unit.get(AuthUser, user.id, lock=True), address))
    assert [(who.email, former) for who, former in moved] == [(address, user.email)]
    with heard(account_deleted, monkeypatch) as gone:
        run_unit(SYSTEM, lambda unit: unit.delete(AuthUser, user.id))
    assert [each.id for (each,) in gone] == [user.id]


def test_a_list_of_ones_own_says_which_passwords_nobody_chooses(app, monkeypatch, tmp_path):
    own = tmp_path / "refused.txt"
    own.write_text("Correct Horse\nwombat wombat\n")
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], common_passwords=str(own)))
    with app.app_context():
        passwords.init_app(app)
        with pytest.raises(PasswordTooCommon):
            new_password_hash("correct horse")
        new_password_hash("password123")
        monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], common_passwords="/nowhere"))
        with pytest.raises(SettingError, match="COMMON_PASSWORDS: /nowhere cannot be read"):
            passwords.init_app(app)
