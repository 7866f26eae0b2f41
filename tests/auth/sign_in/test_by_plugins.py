"""Ways of signing in that plugins bring: through the same door, with the same locks and second factors."""

from __future__ import annotations

from itertools import count

import pytest
from sqlalchemy import update

from app.auth.models.identity import AuthUser
from app.extension_points import SIGN_INS, ProvenIdentity, SignIn
from app.foundation.errors import Unavailable
from app.testing.database import transaction
from tests.account.visitors import Visitor
from tests.auth.people import CHALLENGE
from tests.auth.sign_in.visitors import address, sign_up, visit

numbers = count(1)
SECRET = "a secret of the company"
AT_COMPANY = "/api/auth/signin/company"


class Directory:
    """A service that knows people by their names, all with the same password."""

    def __init__(self):
        self.people, self.asked, self.is_away = {}, [], False

    def know(self, *, email=None, email_verified=True):
        login = f"employee{next(numbers)}"
        self.people[login] = ProvenIdentity(f"id-{login}", email or address(), "Ada Byron", email_verified)
        return login

    def prove(self, login, password):
        self.asked.append(login)
        if self.is_away:
            raise Unavailable("The directory")
        return self.people.get(login) if password == SECRET else None


@pytest.fixture
def directory(monkeypatch):
    made = Directory()
    monkeypatch.setitem(SIGN_INS, "company", SignIn("Company account", made.prove))
    return made


def enter(app, login, password=SECRET, client=None):
    return (client or visit(app)).post(AT_COMPANY, json={"login": login, "password": password})


def test_somebody_new_gets_an_account_and_the_same_the_next_time(app, directory):
    login = directory.know()
    first, again = enter(app, login), enter(app, login)
    assert (first.status_code, first.json["user"]["name"]) == (200, "Ada Byron")
    assert first.json["user"]["emailVerified"] is True
    assert again.json["user"]["id"] == first.json["user"]["id"]


def test_an_identity_stays_somebodys_whatever_address_it_has_by_now(app, directory):
    login = directory.know()
    first = enter(app, login).json["user"]
    directory.people[login] = ProvenIdentity(f"id-{login}", address(), "Ada", email_verified=True)
    assert enter(app, login).json["user"]["id"] == first["id"]


@pytest.mark.parametrize(("ours", "theirs", "status"), [(True, True, 200), (True, False, 403), (False, True, 403)])
def test_an_account_with_the_address_is_theirs_where_both_sides_have_verified_it(app, directory, ours, theirs, status):
    email = address()
    user = sign_up(visit(app), email=email).json["user"]
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.email == email).values(email_verified=ours))
    answer = enter(app, directory.know(email=email, email_verified=theirs))
    assert answer.status_code == status
    if status == 200:
        assert answer.json["user"]["id"] == user["id"]
    else:
        assert answer.json["details"] == {"reason": "account_not_linked"}


def test_a_second_factor_is_asked_for(app, directory, ada):
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.id == ada.id).values(email_verified=True))
    login = directory.know(email=ada.email)
    asked = enter(app, login)
    assert asked.json["twoFactorRequired"] is True
    assert "token" not in asked.json
    ada.clock.forward()
    client = visit(app)
    answered = client.post(CHALLENGE, json={"challenge": asked.json["challenge"], "code": ada.code()})
    assert answered.status_code == 200, answered.json
    assert answered.json["user"]["id"] == ada.id


@pytest.mark.parametrize("password", ["wrong", "", "x" * 129])
def test_a_wrong_password_is_refused_like_one_of_ours(app, directory, password):
    refused = enter(app, directory.know(), password)
    assert (refused.status_code, refused.json["code"]) == (401, "INVALID_EMAIL_OR_PASSWORD")


def test_an_empty_password_is_never_asked_about(app, directory):
    enter(app, directory.know(), "")
    assert directory.asked == []


@pytest.mark.parametrize("login", ["", " ", "\u00ad", "x" * 255, "\ufdfa" * 10_000])
def test_a_name_that_nobody_has_is_never_asked_about(app, directory, login):
    assert enter(app, login).status_code == 401
    assert directory.asked == []


def test_somebody_who_is_banned_stays_out(app, directory):
    login = directory.know()
    user = enter(app, login).json["user"]
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.id == user["id"]).values(banned=True))
    refused = enter(app, login)
    assert (refused.status_code, refused.json["details"]) == (403, {"reason": "account_not_available"})


def test_guesses_lock_a_name_and_then_the_right_password_is_not_heard(app, directory):
    login = directory.know()
    for _ in range(app.config["SETTINGS"].sign_in_failures):
        assert enter(app, login, "guess").status_code == 401
    assert enter(app, login).status_code == 401


def test_a_service_that_is_away_counts_as_no_guess(app, directory):
    login, directory.is_away = directory.know(), True
    for _ in range(app.config["SETTINGS"].sign_in_failures + 1):
        assert enter(app, login).status_code == 503
    directory.is_away = False
    assert enter(app, login).status_code == 200


@pytest.mark.parametrize("subject", ["", "x" * 256, "a\x00b"])
def test_an_identity_without_a_lasting_name_is_nobodys(app, directory, subject):
    first, second = directory.know(), directory.know()
    for login in (first, second):
        directory.people[login] = ProvenIdentity(subject, address(), "Ada", email_verified=True)
        refused = enter(app, login)
        assert (refused.status_code, refused.json["details"]) == (403, {"reason": "identity_incomplete"})


def test_a_way_that_there_is_not_is_not_found(app):
    refused = visit(app).post("/api/auth/signin/nowhere", json={"login": "a", "password": "b"})
    assert refused.status_code == 404


def test_people_sign_in_on_a_page_of_its_own(app, directory):
    visitor, login = Visitor(app), directory.know()
    assert "Continue with Company account" in visitor.get("/account/sign-in").text
    assert "Sign in with Company account" in visitor.get("/account/sign-in/company").text
    wrong = visitor.send("/account/sign-in/company", login=login, password="wrong")
    assert wrong.status_code == 401
    entered = visitor.send("/account/sign-in/company", login=login, password=SECRET)
    assert (entered.status_code, entered.headers["Location"]) == (303, "/account")
    assert "Ada Byron" in visitor.get("/account").text


def test_the_page_says_why_somebody_may_not_come_in(app, directory):
    email = address()
    sign_up(visit(app), email=email)
    visitor, login = Visitor(app), directory.know(email=email, email_verified=False)
    visitor.get("/account/sign-in/company")
    refused = visitor.send("/account/sign-in/company", login=login, password=SECRET)
    assert refused.status_code == 403
    assert "There is an account" in refused.text
