"""The second factor on the pages: set up, recovery codes, switched off, trusted devices."""

from __future__ import annotations

import re
from html import unescape

import pyotp
import pytest
from sqlalchemy import select

from app.auth.models.identity import AuthTrustedDevice, AuthTwoFactor
from app.testing.database import transaction
from tests.account.test_security import SECURITY, id_of, make_stale
from tests.account.visitors import Visitor, alerts_of, said_by, wrong_with
from tests.auth.sign_in.visitors import PASSWORD, session_of

PLACE = f"{SECURITY}/two-factor"
KEY = re.compile(r'<code class="key"[^>]*>([A-Z2-7 ]+)</code>')
KEPT = re.compile(r'name="kept" value="([^"]+)"')
CODES = re.compile(r"<li><code>([0-9a-z]{10})</code>")


def begin(visitor):
    """Begin an enrolment; gives its page, the key on it, and what its form keeps."""
    page = visitor.send(PLACE, page=SECURITY)
    assert page.status_code == 200, page.text
    return page, KEY.search(page.text)[1].replace(" ", ""), KEPT.search(page.text)[1]


def confirm(visitor, kept, code):
    return visitor.send(f"{PLACE}/confirm", page=SECURITY, kept=kept, code=code)


def code_of(key):
    return pyotp.TOTP(key).now()


@pytest.fixture
def enrolled(member):
    """A member whose second factor is on; gives its key and its recovery codes."""
    _, key, kept = begin(member)
    page = confirm(member, kept, code_of(key))
    assert page.status_code == 200, page.text
    return key, CODES.findall(page.text)


def test_the_key_stands_on_the_page_as_a_picture_and_to_type(member):
    page, key, _ = begin(member)
    assert len(key) == 32
    assert re.search(r'<div class="qr" role="img" aria-label="[^"]+"><svg', page.text)
    uri = unescape(re.search(r'href="(otpauth://[^"]+)"', page.text)[1])
    assert f"secret={key}" in uri
    assert page.headers["Cache-Control"] == "no-store"
    assert f'href="{SECURITY}?lang=de"' in page.text
    assert not re.search(r"<style|<script(?! src=)|\sstyle=|\son\w+=", page.text)


def test_the_first_code_switches_it_on_and_shows_the_recovery_codes_once(app, member):
    other = Visitor(app)
    other.sign_in(email=member.email)
    _, key, kept = begin(member)
    done = confirm(member, kept, f" {code_of(key)} ")
    assert done.status_code == 200
    assert len(set(CODES.findall(done.text))) == 10
    assert said_by(done) == ["The second factor is on."]
    assert done.headers["Cache-Control"] == "no-store"
    assert session_of(other.client) is None
    page = member.get(SECURITY).text
    assert "Switch off" in page
    assert not CODES.search(page)
    again = confirm(member, kept, code_of(key))
    assert again.headers["Location"] == SECURITY
    assert said_by(member.get(SECURITY)) == ["There was nothing left to confirm."]


def test_a_wrong_first_code_keeps_the_key(member):
    _, key, kept = begin(member)
    for code, status in (("000000", 401), ("", 400)):
        wrong = confirm(member, kept, code)
        assert wrong.status_code == status
        assert KEY.search(wrong.text)[1].replace(" ", "") == key
        assert wrong_with(wrong, "code") is not None
    kept = KEPT.search(wrong.text)[1]
    assert confirm(member, kept, code_of(key)).status_code == 200


def test_what_a_form_keeps_is_for_its_account_and_its_purpose_alone(app, member):
    _, _key, kept = begin(member)
    other = Visitor(app).sign_up()
    device = other.client.get_cookie("device").value
    for foreign in (kept, device, "x", "x" * 5000, ""):
        response = confirm(other, foreign, "000000")
        assert response.status_code in (303, 401), response.text
        assert KEY.search(response.text) is None
    assert member.get(PLACE).headers["Location"] == SECURITY


def test_setting_up_wants_a_recent_proof(app, member):
    make_stale(app, member)
    refused = member.send(PLACE, page=SECURITY)
    assert refused.status_code == 403
    assert f"next={SECURITY}" in refused.text


def test_what_is_on_is_not_set_up_again(member, enrolled):
    refused = member.send(PLACE, page=SECURITY)
    assert (refused.status_code, alerts_of(refused)) == (409, ["The second factor is on already"])


def test_new_recovery_codes_take_the_place_of_the_earlier_ones(app, member, enrolled):
    place = f"{SECURITY}/recovery-codes"
    page = member.send(place, page=SECURITY)
    codes = CODES.findall(page.text)
    assert (page.status_code, len(codes)) == (200, 10)
    assert not set(codes) & set(enrolled[1])
    earlier = member.send(f"{PLACE}/disable", page=SECURITY, password=PASSWORD, code=enrolled[1][0])
    assert earlier.status_code == 401
    make_stale(app, member)
    assert member.send(place, page=SECURITY).status_code == 403


def test_switching_off_takes_the_password_and_a_code(member, enrolled):
    place, (key, codes) = f"{PLACE}/disable", enrolled
    wrong = member.send(place, page=SECURITY, password="wrong", code=code_of(key))
    assert (wrong.status_code, wrong_with(wrong, "password")) == (401, "This is not your password.")
    wrong = member.send(place, page=SECURITY, password=PASSWORD, code="000000")
    assert (wrong.status_code, wrong_with(wrong, "code")[:26]) == (401, "This code is not right. Co")
    assert '<details class="careful" open>' in wrong.text
    assert member.send(place, page=SECURITY, password=PASSWORD, code=codes[0]).status_code == 303
    page = member.get(SECURITY)
    assert said_by(page) == ["The second factor is off."]
    assert "Set up" in page.text
    for late in (place, f"{SECURITY}/recovery-codes"):
        assert member.send(late, page=SECURITY, password=PASSWORD, code=codes[1]).status_code == 303


def test_trusted_devices_are_listed_and_revoked(app, member, enrolled):
    assert "Every device asks for a code." in member.get(SECURITY).text
    own = AuthTwoFactor.user_id == id_of(member)
    with app.app_context(), transaction() as session:
        factor = session.scalars(select(AuthTwoFactor).where(own)).one()
        device = AuthTrustedDevice(
            user_id=factor.user_id, two_factor_id=factor.id, token_hash=f"{factor.id}", ip_address="192.0.2.1",
            user_agent="Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        )  # fmt: skip
        session.add(device)
        session.flush()
        place = f"{SECURITY}/devices/{device.id}/revoke"
    assert "Firefox on Linux" in member.get(SECURITY).text
    assert Visitor(app).sign_up().send(place, page=SECURITY).status_code == 404
    assert member.send(place, page=SECURITY).status_code == 303
    assert "Firefox on Linux" not in member.get(SECURITY).text
