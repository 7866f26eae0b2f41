"""Secrets of links: each works once, for its purpose, for its account, and for a while; otherwise all answer alike."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from app.auth.accounts import proofs
from app.auth.models.identity import AuthVerification
from app.auth.models.organizations import AuthMember
from app.foundation import crypto
from app.foundation.clock import now
from app.mail import outbox
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.accounts.people import CHANGE, CHANGED, NEW_PASSWORD, PASSWORD, RESET, VERIFY, at_once, sign_up_person
from tests.auth.accounts.test_change_of_address import change
from tests.auth.sign_in.visitors import address, visit

INVITATION = "invitation"
ROUTES = {
    VERIFY: ("verify-email", {"password": PASSWORD}),
    CHANGE: ("verify-email", {"password": PASSWORD}),
    RESET: ("reset-password", {"password": NEW_PASSWORD}),
    CHANGED: ("change-email/revert", {}),
    INVITATION: ("invitation/accept", {"name": "Ada", "password": NEW_PASSWORD}),
    "shown invitation": ("invitation", {}),
    "declined invitation": ("invitation/reject", {}),
}
REFUSAL = {"error": "The link is not valid any more", "code": "INVALID_TOKEN", "details": {}}


@pytest.fixture
def issued(app, monkeypatch, cast):
    """Has a link of each kind sent to somebody new, and returns whom and its secret."""
    monkeypatch.setattr(outbox, "PAUSE", timedelta(0))

    def issue(kind):
        person = sign_up_person(app, verified=kind != VERIFY)
        if kind == VERIFY:
            return person, person.secret(VERIFY)
        if kind == RESET:
            person.asks("forgot-password", email=person.email)
            return person, person.secret(RESET)
        if kind == CHANGE:
            new = address()
            person.post("change-email", email=new)
            return person, person.secret(CHANGE, to=new)
        if kind == CHANGED:
            return person, person.secret(CHANGED, to=change(person))
        owner, guest = cast.user(), address()
        owner.post("/api/v1/auth/invitation", {"email": guest, "organizationId": str(owner.organization_id)})
        return person, person.secret(INVITATION, to=guest)

    return issue


def use(app, kind, secret):
    route, body = ROUTES[kind]
    return visit(app).post(f"/api/auth/{route}", json={"token": secret} | body)


def refused(answer):
    return (answer.status_code, answer.json) == (400, REFUSAL)


WRONG = ["x", "x" * 43, "x" * 200, "\U0001f600" * 20, "rg_sess_" + "0" * 49]


@pytest.mark.parametrize("kind", ROUTES)
def test_a_wrong_secret_is_refused(app, kind):
    assert all(refused(use(app, kind, secret)) for secret in [*WRONG, crypto.link_secret()])


@pytest.mark.parametrize("kind", [VERIFY, RESET, CHANGE, CHANGED, INVITATION, "declined invitation"])
def test_a_secret_works_once(app, issued, kind):
    _, secret = issued(kind)
    assert use(app, kind, secret).status_code == 200
    assert refused(use(app, kind, secret))


@pytest.mark.parametrize("kind", [VERIFY, RESET, CHANGE, CHANGED])
def test_a_secret_works_for_a_while(app, issued, kind):
    person, secret = issued(kind)
    with app.app_context(), transaction() as session:
        digest = AuthVerification.value == crypto.vault().digest(secret)
        session.execute(update(AuthVerification).where(digest).values(expires_at=now()))
    assert refused(use(app, kind, secret))
    assert person.sign_in().status_code == 200


@pytest.mark.parametrize("kind", [VERIFY, RESET, CHANGE, CHANGED, INVITATION])
def test_a_secret_works_for_its_purpose(app, issued, kind):
    _, secret = issued(kind)
    same = {each for each in ROUTES if ROUTES[each][0].partition("/")[0] == ROUTES[kind][0].partition("/")[0]}
    assert all(refused(use(app, other, secret)) for other in ROUTES.keys() - same)
    assert use(app, kind, secret).status_code == 200


@pytest.mark.parametrize("kind", [VERIFY, CHANGE])
def test_a_secret_works_for_its_account(app, issued, ada, kind):
    person, secret = issued(kind)
    answer = ada.post("verify-email", token=secret, password="not the password")
    assert answer.status_code == 401
    assert ada.post("verify-email", token=secret).status_code == 401
    assert (ada.row().email, person.row().email) == (ada.email, person.email)


@pytest.mark.parametrize("kind", [RESET, VERIFY])
def test_a_secret_for_an_address_is_worth_nothing_once_the_address_has_changed(app, issued, kind):
    person, secret = issued(kind)
    change(person)
    assert refused(use(app, kind, secret))
    assert person.sign_in().status_code == 200


def test_a_secret_stays_worthless_when_the_address_comes_back(app, issued):
    person, secret = issued(RESET)
    change(person, change(person))
    assert refused(use(app, RESET, secret))
    assert person.sign_in().status_code == 200


@pytest.mark.parametrize("kind", [RESET, VERIFY])
def test_a_secret_is_bound_to_its_address_even_where_nobody_forgot_it(app, issued, kind):
    person, secret = issued(kind)
    verified = person.is_verified()
    person.set(email=address())
    assert refused(use(app, kind, secret))
    assert person.is_verified() is verified


def test_a_secret_goes_with_its_account(app, issued, cast):
    person, secret = issued(RESET)
    assert cast.admin.delete(f"/api/v1/auth/user/{person.id}").status_code == 200
    assert refused(use(app, RESET, secret))


def test_v19_of_twenty_resets_at_once_one_works(app, issued):
    person, secret = issued(RESET)
    passwords = [f"{NEW_PASSWORD} {number}" for number in range(20)]
    left = iter(passwords)

    def reset():
        password = next(left)
        return password, visit(app).post("/api/auth/reset-password", json={"token": secret, "password": password})

    answers = at_once(20, reset)
    worked = [password for password, answer in answers if answer.status_code == 200]
    assert len(worked) == 1
    assert all(refused(answer) for password, answer in answers if password not in worked)
    assert person.sign_in(worked[0]).status_code == 200


@pytest.mark.parametrize("kind", [VERIFY, CHANGE])
def test_v19_of_twenty_verifications_at_once_one_works(issued, kind):
    person, secret = issued(kind)
    answers = at_once(20, lambda: person.post("verify-email", token=secret))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 19
    assert all(refused(answer) for answer in answers if answer.status_code == 400)
    assert person.row().email_verified


def test_v19_of_twenty_reverts_at_once_one_works(app, issued):
    person, secret = issued(CHANGED)
    answers = at_once(20, lambda: use(app, CHANGED, secret))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 19
    old = person.row().email
    assert person.mails(to=old).count(RESET) == 1


def test_v19_of_twenty_people_who_take_one_invitation_one_gets_in(app, issued):
    _, secret = issued(INVITATION)
    answers = at_once(20, lambda: use(app, INVITATION, secret))
    assert [answer.status_code for answer in answers].count(200) == 1
    assert {answer.status_code for answer in answers} <= {200, 400, 422}


def test_v19_of_twenty_accepts_with_a_session_one_works(app, cast):
    owner, guest = cast.user(), sign_up_person(app)
    owner.post("/api/v1/auth/invitation", {"email": guest.email, "organizationId": str(owner.organization_id)})
    secret = guest.secret(INVITATION)
    answers = at_once(20, lambda: guest.post("invitation/accept", token=secret))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 19
    with app.app_context(), transaction() as session:
        own = (AuthMember.organization_id == owner.organization_id, AuthMember.user_id == guest.id)
        assert session.scalar(select(func.count()).select_from(AuthMember).where(*own)) == 1


def test_secrets_show_nowhere_but_in_mails(app, cast, issued):
    _, secret = issued(RESET)
    listed = cast.admin.get("/api/v1/auth/verification", query_string={"take": 100})
    assert listed.status_code == 200
    with app.app_context():
        digest = crypto.vault().digest(secret)
    assert secret not in listed.text
    assert digest not in listed.text
    assert {row["purpose"] for row in listed.json["data"]} & {proofs.RESET}
    assert Actor(app).get("/api/v1/auth/verification").status_code == 401
