"""What an account's owner is told by mail without asking: new devices, new keys, and keys that end."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from app.auth.keys import key_mails
from app.auth.models.keys import AuthApiKey
from app.foundation.clock import now
from app.testing.database import transaction
from tests.auth.accounts.people import PASSWORD, VERIFY
from tests.auth.sign_in.visitors import SAME_ORIGIN, visit
from tests.mail import letters

FIREFOX, CURL = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "curl/8.0"


def sign_in(client, email, agent=FIREFOX):
    body = {"email": email, "password": PASSWORD}
    return client.post("/api/auth/signin", json=body, headers={"User-Agent": agent}).status_code


def at(app, place):
    client = visit(app)
    client.environ_base["REMOTE_ADDR"] = place
    return client


def test_the_sign_up_is_no_new_device(ada):
    assert ada.mails() == [VERIFY]


def test_a_sign_in_on_another_device_is_told_once(ada):
    assert sign_in(at(ada.app, "203.0.113.7"), ada.email) == 200
    assert ada.mails() == [VERIFY, "new-device"]
    said = letters.text(ada.app, ada.email, "new-device")
    assert "203.0.113.7" in said
    assert "Firefox" in said
    assert sign_in(at(ada.app, "203.0.113.8"), ada.email) == 200
    assert ada.mails() == [VERIFY, "new-device"]


def test_another_network_or_another_program_is_another_device(ada):
    # Networks from which no other test guesses, or they may be locked by then.
    assert sign_in(at(ada.app, "203.0.113.7"), ada.email) == 200
    assert sign_in(at(ada.app, "192.0.2.7"), ada.email) == 200
    assert sign_in(at(ada.app, "203.0.113.7"), ada.email, CURL) == 200
    assert ada.mails().count("new-device") == 3


def test_a_browser_is_known_by_its_cookie_wherever_it_goes(ada):
    ada.browser.post("/api/auth/signout", headers=SAME_ORIGIN)
    ada.browser.environ_base["REMOTE_ADDR"] = "203.0.113.7"
    assert sign_in(ada.browser, ada.email) == 200
    assert ada.mails() == [VERIFY]


def test_a_new_key_is_told_without_its_secret(ada):
    made = ada.actor.post("/api/v1/auth/api-key", {"name": "Deployment"}).json
    assert ada.mails() == [VERIFY, "key-created"]
    said = letters.text(ada.app, ada.email, "key-created")
    assert "Deployment" in said
    assert made["key"][:11] in said
    assert made["key"][11:] not in said


def tell(app):
    with app.app_context():
        key_mails.tell_of_ends()


def let_end(app, key_id, *, made, ends, **values):
    times = {"created_at": now() - timedelta(days=made), "expires_at": now() + timedelta(days=ends)}
    with app.app_context(), transaction() as session:
        session.execute(update(AuthApiKey).where(AuthApiKey.id == key_id).values(**times, **values))


@pytest.fixture
def key(ada):
    """The id of a key."""
    return ada.actor.post("/api/v1/auth/api-key", {"name": "Deployment"}).json["id"]


def test_a_key_that_ends_within_a_week_is_told_once(ada, key):
    let_end(ada.app, key, made=30, ends=6)
    tell(ada.app)
    tell(ada.app)
    assert ada.mails().count("key-expires") == 1
    assert "Deployment" in letters.text(ada.app, ada.email, "key-expires")


@pytest.mark.parametrize(
    ("times", "values"),
    [
        ({"made": 30, "ends": 8}, {}),
        ({"made": 30, "ends": -1}, {}),
        ({"made": 1, "ends": 5}, {}),
        ({"made": 30, "ends": 6}, {"enabled": False}),
        ({"made": 30, "ends": 6}, {"revoked_at": now()}),
    ],
    ids=["in more than a week", "over", "made for a few days", "disabled", "revoked"],
)
def test_of_other_keys_nothing_is_told(ada, key, times, values):
    let_end(ada.app, key, **times, **values)
    tell(ada.app)
    assert "key-expires" not in ada.mails()
