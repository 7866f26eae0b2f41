"""Messages that arrive: what they look like, where their links lead, and in which language they speak."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from uuid import uuid4

import pytest

from app.auth.accounts import mails
from app.auth.models.identity import AuthUser
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now
from app.foundation.errors import Conflict
from app.testing.cast import Actor
from app.testing.database import transaction, unit_of_work
from app.testing.waiting import work
from tests.auth.sign_in.visitors import PASSWORD, address, sign_up, visit
from tests.mail.conftest import BASE_URL
from tests.mail.letters import LINK, kinds, rows


def bodies(message):
    return [message.get_body([kind]).get_content() for kind in ("plain", "html")]


@pytest.fixture
def arrived(mailing, server):
    """Signs up with some headers and returns the mail that came."""

    def sign_up_with(headers=None, **body):
        email = address()
        answer = visit(mailing).post(
            "/api/auth/signup", json={"email": email, "password": PASSWORD} | body, headers=headers or {}
        )
        assert answer.status_code == 200, answer.json
        work(mailing)
        (message,) = server.to(email)
        return message

    return sign_up_with


def test_the_mail_of_a_sign_up_has_the_headers_of_an_automatic_message(arrived):
    message = arrived()
    (sender,), (to,) = message["From"].addresses, message["To"].addresses
    assert (sender.display_name, sender.addr_spec) == ("Rowgate", "no-reply@rowgate.example")
    assert to.domain == "sign-in.example"
    assert message["Subject"] == "Confirm your address for Rowgate"
    assert abs((parsedate_to_datetime(message["Date"]) - now()).total_seconds()) < 60
    assert message["Message-ID"].endswith("@rowgate.example>")
    assert message["Auto-Submitted"] == "auto-generated"


def test_the_sender_and_the_product_are_those_of_the_settings(build, mailing, server):
    acme = build(mail_url=server.url, mail_from="Harbour Post <post@acme.example>", product_name="Acme")
    email = address()
    sign_up(visit(acme), email=email)
    work(acme)
    (message,) = server.to(email)
    assert str(message["From"]) == "Harbour Post <post@acme.example>"
    assert message["Subject"] == "Confirm your address for Acme"


def test_a_mail_says_the_same_as_text_and_as_html(arrived):
    message = arrived()
    assert message.get_content_type() == "multipart/alternative"
    plain, html = bodies(message)
    (link,) = {found[0] for found in LINK.findall(plain)}
    assert link in html.replace("&amp;", "&")


def test_what_arrived_is_noted_and_its_bodies_are_erased(mailing, arrived):
    (row,) = rows(mailing, arrived()["To"].addresses[0].addr_spec)
    assert (row["status"], row["attempts"], row["error_message"]) == ("sent", 1, None)
    assert row["sent_at"] is not None
    assert (row["text"], row["html"], row["unsubscribe_url"]) == (None, None, None)


def test_bodies_are_encrypted_while_they_wait(mailing):
    email = address()
    sign_up(visit(mailing), email=email)
    (row,) = rows(mailing, email)
    assert row["status"] == "pending"
    for body in (row["text"], row["html"]):
        assert body.startswith("gAAAA")
        assert "token" not in body


@pytest.mark.parametrize(
    ("proxies", "forged"),
    [
        (0, {"Host": "evil.example"}),
        (0, {"Host": "rowgate.example:8443"}),
        (0, {"X-Forwarded-Host": "evil.example"}),
        (1, {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http", "X-Forwarded-For": "203.0.113.9"}),
        (1, {"Forwarded": "host=evil.example;proto=http"}),
    ],
)
def test_v7_links_begin_with_the_configured_address_whatever_a_request_says(build, mailing, server, forged, proxies):
    behind = build(mail_url=server.url, base_url=BASE_URL, trusted_proxies=proxies)
    email = address()
    answer = visit(behind).post("/api/auth/signup", json={"email": email, "password": PASSWORD}, headers=forged)
    assert answer.status_code == 200
    work(mailing)
    (message,) = server.to(email)
    plain, html = bodies(message)
    assert LINK.search(plain)[1].startswith(f"{BASE_URL}/account/verify?token=")
    assert "evil.example" not in message.as_string() + plain + html
    assert "8443" not in message["Message-ID"]


@pytest.mark.parametrize(
    ("asked", "subject"),
    [
        ("de", "Bestätigen Sie Ihre Adresse für Rowgate"),
        ("de-AT, en;q=0.5", "Bestätigen Sie Ihre Adresse für Rowgate"),
        ("en, de;q=0.5", "Confirm your address for Rowgate"),
        ("fr", "Confirm your address for Rowgate"),
        ("", "Confirm your address for Rowgate"),
    ],
)
def test_a_mail_speaks_the_language_that_was_asked_for(arrived, asked, subject):
    assert arrived({"Accept-Language": asked})["Subject"] == subject


def test_a_mail_of_a_job_speaks_the_language_of_the_last_sign_in(mailing, server):
    email = address()
    sign_up(visit(mailing), email=email)
    credentials = {"email": email, "password": PASSWORD}
    assert visit(mailing).post("/api/auth/signin", json=credentials, headers={"Accept-Language": "de"}).json["token"]
    visit(mailing).post("/api/auth/forgot-password", json={"email": email}, headers={"Accept-Language": "en"})
    work(mailing)
    assert server.to(email)[-1]["Subject"] == "Neues Passwort für Rowgate wählen"


@pytest.mark.parametrize(
    "name", ["Ada\r\nBcc: all@evil.example", "Ada\nBcc: all@evil.example\n\nBody", "Ada\u2028Bcc: x"]
)
def test_a_name_with_line_breaks_adds_no_header_and_no_recipient(mailing, server, cast, name):
    person = cast.user()
    with mailing.app_context(), transaction() as session:
        user = session.get_one(AuthUser, person.user_id)
        user.name, email = name, user.email
    visit(mailing).post("/api/auth/forgot-password", json={"email": email})
    work(mailing)
    (message,) = server.to(email)
    assert message.get_all("Bcc") is None
    assert server.recipients == [[email]]
    assert message["Subject"] == "Choose a new password for Rowgate"


def test_an_organization_with_line_breaks_in_its_name_adds_nothing_to_the_subject_of_an_invitation(
    mailing, server, cast
):
    owner = Actor(mailing, cast.user().token)
    home = owner.post("/api/v1/auth/organization", {"name": "Acme\r\nBcc: all@evil.example"}).json
    email = address()
    assert owner.post("/api/v1/auth/invitation", {"email": email, "organizationId": home["id"]}).status_code == 201
    work(mailing)
    (message,) = server.to(email)
    assert message.get_all("Bcc") is None
    assert "Acme Bcc: all@evil. example" in message["Subject"]
    assert server.recipients == [[email]]


def test_two_causes_are_two_mails_and_one_cause_is_one(mailing, server, cast):
    person = cast.user()
    first, second = uuid4(), uuid4()
    for cause in (first, second, first):
        with mailing.app_context(), unit_of_work() as unit:
            user = unit.session.get_one(AuthUser, person.user_id)
            mails.send_account_mail(unit, user, "password-changed", mails.FORGOT, cause=cause)
            email = user.email
    work(mailing)
    assert kinds(mailing, email) == ["password-changed"] * 2
    assert len(server.to(email)) == 2


def test_a_mail_is_not_sent_where_its_cause_comes_to_nothing(mailing, server, cast):
    person = cast.user()

    def fail(unit):
        mails.send_account_mail(unit, unit.session.get_one(AuthUser, person.user_id), "password-changed", mails.FORGOT)
        raise Conflict

    with mailing.app_context(), pytest.raises(Conflict):
        run_unit(SYSTEM, fail)
    work(mailing)
    assert server.received == []


def test_an_address_that_is_not_ascii_is_written_to_where_the_server_can(mailing, server):
    email = f"jörg{uuid4().hex}@sign-in.example"
    assert sign_up(visit(mailing), email=email).status_code == 200
    work(mailing)
    assert [row["status"] for row in rows(mailing, email)] == ["sent"]
    assert server.recipients == [[email]]
