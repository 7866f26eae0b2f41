"""The tokens of the Bot Framework: which are good, and that all others are refused alike."""

from __future__ import annotations

import hashlib
import hmac
import time
from base64 import urlsafe_b64encode
from types import SimpleNamespace

import pytest

from app.teams import tokens
from app.testing.cast import Actor
from tests.teams.inbox import WEBHOOK, key_of, stored
from tests.teams.microsoft import APP_ID, BARE, BOT_ISSUER, A, C, public


@pytest.fixture
def now(monkeypatch):
    """The second at which the clock of those who check tokens stands."""
    moment = int(time.time())
    monkeypatch.setattr(tokens, "time", SimpleNamespace(time=lambda: moment, monotonic=time.monotonic))
    return moment


@pytest.mark.parametrize(
    ("claim", "skew", "status"), [("exp", -299, 200), ("nbf", 299, 200), ("exp", -301, 401), ("nbf", 301, 401)]
)
def test_clocks_may_differ_by_five_minutes(send, now, claim, skew, status):
    assert send(**{claim: now + skew}).status_code == status


def test_a_slash_at_the_end_of_the_address_makes_no_difference(ms, send):
    assert send(serviceurl=ms.url).status_code == 200


def test_a_rotated_key_is_fetched(ms, send):
    assert send().status_code == 200
    ms.keys.append(public(C, endorsements=["msteams"]))
    assert send(key=C).status_code == 200


def test_keys_are_kept_while_they_cannot_be_fetched(ms, send):
    assert send().status_code == 200
    ms.down = True
    assert send().status_code == 200


def test_without_any_keys_the_sender_is_to_come_back(ms, send):
    ms.down = True
    assert send().status_code == 503


BAD = {
    "no token": lambda ms: {"header": ""},
    "basic": lambda ms: {"header": "Basic YTpi"},
    "two tokens": lambda ms: {"header": f"Bearer {ms.bot_token()} x"},
    "lower case scheme": lambda ms: {"header": f"bearer {ms.bot_token()}"},
    "rubbish": lambda ms: {"token": "a.b.c"},
    "no algorithm": lambda ms: {"token": unsigned(ms)},
    "HS256 with the public key": lambda ms: {"token": confused(ms)},
    "no key id": lambda ms: {"header": f"Bearer {ms.bot_token(header={'kid': None})}"},
    "unknown key": lambda ms: {"key": C},
    "wrong key under a known id": lambda ms: {"token": ms.bot_token(key=C, header={"kid": "bf-1"})},
    "a key without endorsement": lambda ms: {"key": BARE},
    "another issuer": lambda ms: {"iss": "https://evil.example"},
    "another audience": lambda ms: {"aud": "00000000-0000-4000-8000-0000000000bb"},
    "a list of audiences": lambda ms: {"aud": [APP_ID]},
    "no audience": lambda ms: {"aud": None},
    "never expires": lambda ms: {"exp": None},
    "another channel of the bot": lambda ms: {"activity": ms.activity(channelId="directline")},
    "nested without end": lambda ms: {"token": f"{'W' * 20000}.e30.x"},
    "another service": lambda ms: {"serviceurl": "https://smba.example/"},
    "no service": lambda ms: {"serviceurl": None},
}


def unsigned(ms):
    _, claims, _ = ms.bot_token().split(".")
    return f"eyJhbGciOiJub25lIiwia2lkIjoiYmYtMSJ9.{claims}."


def confused(ms):
    _, claims, _ = ms.bot_token().split(".")
    header = urlsafe_b64encode(b'{"alg":"HS256","kid":"bf-1"}').rstrip(b"=").decode()
    signature = hmac.digest(A.as_pem(private=False), f"{header}.{claims}".encode(), hashlib.sha256)
    return f"{header}.{claims}.{urlsafe_b64encode(signature).rstrip(b'=').decode()}"


@pytest.mark.parametrize("why", BAD)
def test_who_cannot_prove_it_is_refused_in_the_same_words(teams, ms, send, why):
    sent = BAD[why](ms)
    activity = sent.pop("activity", None) or ms.activity()
    response = send(activity, **sent)
    assert response.status_code == 401
    assert response.json == {"error": "Bot authentication failed", "code": "TEAMS_001", "details": {}}
    assert stored(teams, dedupe_key=key_of(activity)) == 0


def test_a_body_that_was_changed_after_signing_is_refused(ms, send):
    assert send(ms.activity(serviceUrl="https://evil.example/")).status_code == 401


def test_without_an_app_id_nobody_is_believed(app, ms):
    headers = {"Authorization": f"Bearer {ms.bot_token()}"}
    assert Actor(app).post(WEBHOOK, ms.activity(), headers=headers).status_code == 401


def test_the_emulator_is_believed_only_where_a_setting_says_so(build, ms, teams):
    issuer = "https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/"
    claims = {"iss": issuer, "ver": "1.0", "appid": APP_ID}
    headers = {"Authorization": f"Bearer {ms.bot_token(**claims)}"}
    assert Actor(teams).post(WEBHOOK, ms.activity(), headers=headers).status_code == 401
    settings = teams.config["SETTINGS"]
    kept = ("teams_app_id", "microsoft_authority", "teams_bot_metadata_url")
    open_minded = build(teams_emulator=True, **{name: getattr(settings, name) for name in kept})
    assert Actor(open_minded).post(WEBHOOK, ms.activity(channelId="emulator"), headers=headers).status_code == 200
    assert issuer != BOT_ISSUER
