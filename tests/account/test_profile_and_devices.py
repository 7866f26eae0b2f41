"""The profile, and the devices that one is signed in on."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from app.foundation.clock import now
from blueprints.pages import formats
from tests.account.visitors import Visitor, alerts_of, said_by, wrong_with
from tests.auth.sign_in.visitors import session_of

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1"
REVOKE = re.compile(r'action="(/account/sessions/[0-9a-f-]{36}/revoke)"')


def test_name_and_picture_are_changed_and_the_address_is_shown(member):
    picture = "https://pictures.example/ada.png"
    response = member.send("/account", name=" Ada L. ", image=picture)
    assert (response.status_code, response.headers["Location"]) == (303, "/account")
    user = session_of(member.client)["user"]
    assert (user["name"], user["image"]) == ("Ada L.", picture)
    page = member.get("/account")
    assert said_by(page) == ["Your profile is saved."]
    assert said_by(member.get("/account")) == []
    assert member.email in page.text
    assert "Not confirmed" in page.text
    member.send("/account", name="Ada", image="")
    assert session_of(member.client)["user"]["image"] is None


def test_what_is_wrong_with_a_profile_is_said_beside_its_field(member):
    response = member.send("/account", name="", image="ftp://x")
    assert (response.status_code, wrong_with(response, "name")) == (400, "This field is required.")
    response = member.send("/account", name="Eve", image="ftp://x")
    assert (response.status_code, wrong_with(response, "image")) == (400, "Not a valid URL.")
    assert 'value="Eve"' in response.text
    assert session_of(member.client)["user"]["name"] == "Ada Example"


def test_values_are_text_on_a_page_whatever_they_hold(member):
    member.send("/account", name="<script>alert(1)</script>", image="")
    for path in ("/account", "/account/organizations"):
        assert "<script>alert" not in member.get(path).text
    assert "&lt;script&gt;alert(1)" in member.get("/account").text


def test_devices_are_told_in_words_and_signed_out_one_by_one(app, member):
    phone = Visitor(app)
    phone.headers["User-Agent"] = PHONE
    phone.sign_in(email=member.email)
    page = member.get("/account/sessions").text
    assert page.index("This device") < page.index("Safari on iPhone")
    assert page.count("Signed in with a password · 198.18.") == 2
    (place,) = REVOKE.findall(page)
    response = member.send(place, page="/account/sessions")
    assert response.headers["Location"] == "/account/sessions"
    assert said_by(member.get("/account/sessions")) == ["That device is signed out."]
    assert session_of(phone.client) is None
    assert "Sign out everywhere else" not in member.get("/account/sessions").text
    gone = member.send(place, page="/account/sessions")
    assert (gone.status_code, alerts_of(gone)) == (404, ["There is no page here."])


def test_a_device_of_somebody_else_is_not_there(app, member):
    other = Visitor(app).sign_up()
    place = f"/account/sessions/{session_of(other.client)['session']['id']}/revoke"
    assert member.send(place, page="/account/sessions").status_code == 404
    assert session_of(other.client) is not None


def test_every_other_device_is_signed_out_at_once(app, member):
    others = [Visitor(app) for _ in range(2)]
    for each in others:
        each.sign_in(email=member.email)
    member.send("/account/sessions/others/revoke", page="/account/sessions")
    assert [session_of(each.client) for each in (member, *others)].count(None) == 2
    assert session_of(member.client) is not None


def test_an_admin_sees_the_own_devices_alone(app, member, cast):
    admin = cast.user(role="admin")
    page = admin.get("/account/sessions").text
    assert page.count("Signed in with") == 1


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (PHONE, "Safari on iPhone"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Chrome/140.0 Safari/537.36", "Chrome on macOS"),
        ("Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (X11; CrOS x86_64)", "ChromeOS"),
        ("curl/8.0", "curl"),
        ("Werkzeug/3.1", "Werkzeug"),
        ("<script>", "Unknown device"),
        (None, "Unknown device"),
    ],
)
def test_a_user_agent_is_named_as_people_would(app, user_agent, words):
    with app.test_request_context():
        assert formats.device(user_agent) == words


def test_moments_are_told_from_now(app):
    with app.test_request_context("/?lang=de"):
        assert formats.ago(now() - timedelta(hours=3)) == "vor 3 Stunden"
        assert formats.ago(now() + timedelta(days=5)) == "in 5 Tagen"
