"""E-mail addresses: one person, one spelling."""

from __future__ import annotations

import pytest
from flask_migrate import downgrade, upgrade
from sqlalchemy import text

from app.extensions import db
from app.foundation.addresses import normalized
from tests.auth.sign_in.visitors import PASSWORD, sign_up, visit

INSERT = text(
    """
    INSERT INTO auth_user (id, email, name, role, email_verified, banned, two_factor_enabled, created_at, updated_at)
    VALUES (:id, :email, 'N', 'user', false, false, false, now(), now())
    """
)
UNSEEN = ["a\u200bb@example.com", "ab@exam\u00adple.com", "\u202eab@example.com", "ab@example\ufeff.com"]


@pytest.mark.parametrize("address", UNSEEN, ids=ascii)
def test_characters_that_are_not_seen_are_refused(app, cast, address):
    refused = sign_up(visit(app), email=address)
    assert (refused.status_code, refused.json["code"]) == (400, "INVALID_EMAIL")
    person = {"firstName": "A", "lastName": "B", "email": address}
    assert cast.user().post("/api/v1/crm/contact", person).status_code == 400


@pytest.mark.parametrize("domain", [
    "[127.0.0.1]", "[10.0.0.10]", "10.0.0.10", "127.0.0.001", "\uff11\uff12\uff17.0.0.\uff11\uff10",
    "10\u30020\u30020\u300210", "example.123", "[IPv6:::1]", "[example.com]",
])  # fmt: skip
def test_the_number_of_a_host_is_no_domain(app, cast, domain):
    address = f"a@{domain}"
    refused = sign_up(visit(app), email=address)
    assert (refused.status_code, refused.json["code"]) == (400, "INVALID_EMAIL")
    person = {"firstName": "Ada", "lastName": "King", "email": address}
    answer = cast.user().post("/api/v1/crm/contact", person)
    assert "email" in answer.json["details"]["fields"]


@pytest.mark.parametrize(
    "address", ["a@1.example.com", "a@127-0-0-1.example", "a@localhost", "a@xn--bcher-kva.example"]
)
def test_names_that_hold_digits_are_names(address):
    assert normalized(address) == address


def test_a_domain_is_stored_as_the_name_system_has_it_and_found_in_either_spelling(app):
    made = sign_up(visit(app), email="Jörg@BÜCHER.example")
    assert made.json["user"]["email"] == "jörg@xn--bcher-kva.example"
    assert (
        sign_up(visit(app), email="jörg@xn--bcher-kva.example").json["code"]
        == sign_up(visit(app), email="jörg@bücher.example").json["code"]
    )
    body = {"email": "jörg@bücher.example", "password": PASSWORD}
    assert visit(app).post("/api/auth/signin", json=body).status_code == 200


def test_a_filter_takes_either_spelling_of_a_domain(cast):
    owner = cast.user()
    company = owner.post("/api/v1/crm/company", {"name": "Bücher"}).json["id"]
    person = {"firstName": "A", "lastName": "B", "email": "a@bücher.example", "companyId": company}
    assert owner.post("/api/v1/crm/contact", person).status_code == 201
    for domain in ("bücher.example", "BÜCHER.example", "xn--bcher-kva.example"):
        assert owner.get(f"/api/v1/crm/contact?email=a@{domain}").json["meta"]["count"] == 1


@pytest.fixture
def earlier(empty):
    """A database of the release before, in which the same domain may be there in two spellings."""
    with empty.app_context():
        upgrade(revision="0004")
        with db.engine.begin() as connection:
            for number, address in enumerate(["a@bücher.example", "b@bücher.example", "b@xn--bcher-kva.example"]):
                values = {"id": f"00000000-0000-7000-8000-00000000000{number}", "email": address}
                connection.execute(INSERT, values)
    return empty


@pytest.mark.full
def test_stored_domains_are_rewritten_and_clashes_are_listed(earlier, caplog):
    with earlier.app_context():
        upgrade()
        with db.engine.connect() as connection:
            stored = set(connection.execute(text("SELECT email FROM auth_user")).scalars())
    assert stored == {"a@xn--bcher-kva.example", "b@bücher.example", "b@xn--bcher-kva.example"}
    with earlier.app_context():
        downgrade(revision="base")
