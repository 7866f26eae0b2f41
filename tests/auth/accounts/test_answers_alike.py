"""What is asked about an address is answered alike, whatever is known of it: in text, status, headers and work done."""

from __future__ import annotations

import time
from statistics import quantiles

import pytest

from app.auth.accounts import mail_requests, passwords
from tests.auth.accounts.people import PASSWORD, VERIFY, sign_up_person
from tests.auth.sign_in.visitors import address, visit

FORGOT, RESEND = "forgot-password", "verify-email/resend"
# They differ from one answer to the next, whoever asks.
OF_THE_MOMENT = ("X-Request-Id", "Date", "RateLimit", "X-RateLimit-Reset", "X-RateLimit-Remaining")


@pytest.fixture
def addresses(app):
    """An address of every sort."""
    verified, unverified, banned, without = (sign_up_person(app, verified=each < 3) for each in (1, 3, 1, 1))
    banned.set(banned=True)
    without.set(email_verified=True)
    return {
        "unknown": address(), "verified": verified.email, "unverified": unverified.email, "banned": banned.email,
        "malformed": "no address at all", "look-alike": "ada\uff20example.com", "empty": " ", "long": "x" * 5000,
        "upper case": verified.email.upper() + "x", "not ascii": f"j\u00f6rg-{address()}",
    }  # fmt: skip


def answer_to(client, route, email, **more):
    response = client.post(f"/api/auth/{route}", json={"email": email, **more})
    headers = sorted((name, value) for name, value in response.headers if name not in OF_THE_MOMENT)
    return response.status_code, response.data, headers


@pytest.mark.parametrize("route", [FORGOT, RESEND])
def test_mail_is_promised_to_every_address_in_the_same_words(app, addresses, route):
    answers = {sort: answer_to(visit(app), route, email) for sort, email in addresses.items()}
    assert set(map(str, answers.values())) == {str(answers["unknown"])}
    assert answers["unknown"][:2] == (202, b"{}")


@pytest.mark.parametrize("route", [FORGOT, RESEND])
def test_mail_is_promised_to_every_address_with_the_same_statements(app, addresses, route, counting):
    visit(app).post(f"/api/auth/{route}", json={"email": address()})  # what is compiled and connected once
    asked = {}
    for sort, email in addresses.items():
        with counting() as statements:
            answer_to(visit(app), route, email)
        asked[sort] = [str(statement) for statement in statements]
    assert len(asked["unknown"]) >= 1
    assert {sort: said for sort, said in asked.items() if said != asked["unknown"]} == {}


@pytest.mark.alone
@pytest.mark.parametrize("route", [FORGOT, RESEND])
def test_mail_is_promised_to_every_address_in_the_same_time(app, addresses, route, monkeypatch):
    monkeypatch.setattr(mail_requests, "MAX_JOBS", 1000)
    client, times = app.test_client(), {}
    for _ in range(60):
        for sort in ("unknown", "verified", "unverified", "malformed"):
            email = f"{address()}x" if sort == "unknown" else addresses[sort]
            began = time.perf_counter()
            client.post(f"/api/auth/{route}", json={"email": email})
            times.setdefault(sort, []).append(time.perf_counter() - began)
    # What else runs on the machine makes some slower, and none faster.
    typical = {sort: quantiles(each)[0] for sort, each in times.items()}
    assert max(typical.values()) < 1.5 * min(typical.values()), typical


def test_a_sign_in_is_refused_to_every_address_in_the_same_words(app, addresses):
    given = {
        sort: answer_to(visit(app), "signin", email, password="not the password") for sort, email in addresses.items()
    }
    assert set(map(str, given.values())) == {str(given["unknown"])}
    assert given["unknown"][0] == 401


def test_a_sign_in_does_the_same_work_for_every_address(app, addresses, counting, monkeypatch):
    hashes, work = [], passwords._verify
    monkeypatch.setattr(passwords, "_verify", lambda *given: hashes.append(1) or work(*given))
    done = {}
    for sort, email in addresses.items():
        hashes.clear()
        with counting() as statements:
            answer_to(visit(app), "signin", email, password="not the password")
        done[sort] = (len(hashes), len(statements))
    assert set(done.values()) == {(1, done["unknown"][1])}


def test_a_banned_account_is_refused_like_one_with_another_password(app, addresses):
    right = answer_to(visit(app), "signin", addresses["banned"], password=PASSWORD)
    assert right == answer_to(visit(app), "signin", addresses["unknown"], password=PASSWORD)


def test_wanting_to_change_to_an_address_tells_nothing_of_it(app, addresses, counting):
    asked = {}
    for sort in ("unknown", "verified", "unverified", "banned"):
        person = sign_up_person(app)
        person.post("change-email", email=address())
        with counting() as statements:
            answer = person.post("change-email", email=addresses[sort])
        asked[sort] = (answer.status_code, answer.data, len(statements))
    assert set(asked.values()) == {asked["unknown"]}


def test_a_sign_up_alone_tells_that_an_address_is_known(app, addresses):
    answer = visit(app).post("/api/auth/signup", json={"email": addresses["banned"], "password": PASSWORD})
    assert (answer.status_code, answer.json["code"]) == (422, "USER_ALREADY_EXISTS")


@pytest.mark.parametrize("known", [True, False])
def test_who_holds_the_mail_of_a_wrong_link_learns_nothing_of_addresses(app, ada, known):
    body = {"token": "x" * 43, "password": PASSWORD}
    answer = (ada if known else visit(app)).post
    given = answer("verify-email", **body) if known else answer("/api/auth/verify-email", json=body)
    assert (given.status_code, given.json["code"]) == (400, "INVALID_TOKEN")


@pytest.mark.parametrize("email", ["ada\uff20example.com@example.com", "a@b\ufe52example.com", "ada@exam\u200bple.com"])
def test_v29_a_look_alike_of_an_address_is_no_address_on_any_route(app, ada, email):
    for route in (FORGOT, RESEND):
        assert visit(app).post(f"/api/auth/{route}", json={"email": email}).status_code == 202
    assert ada.post("change-email", email=email).json["code"] == "INVALID_EMAIL"
    invited = ada.actor.post("/api/v1/auth/invitation", {"email": email})
    assert invited.status_code == 400
    assert ada.mails() == [VERIFY]


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer \udcff", "Basic !", "\x7f", "Bearer " + "x" * 5000, "bearer rg_sess_\u00e9"]
)
def test_v29_a_garbage_header_never_fails_on_routes_of_accounts(app, header):
    client, headers = visit(app), {"Authorization": header.encode("utf-8", "surrogateescape").decode("latin-1")}
    for route in ("change-password", "change-email", "reauthenticate", "account/delete", "impersonate"):
        assert client.post(f"/api/auth/{route}", json={}, headers=headers).status_code == 401
    body = {"token": "x" * 43, "password": PASSWORD}
    assert client.post("/api/auth/verify-email", json=body, headers=headers).json["code"] == "INVALID_TOKEN"
