"""Single sign-on in the tab, and the headers of the pages that Teams frames."""

from __future__ import annotations

import time
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from joserfc import jwt
from joserfc.jws import JWSRegistry

from app.testing.cast import Actor
from tests.auth.people import Clock, Person
from tests.auth.sign_in.visitors import visit
from tests.teams.microsoft import APP_ID, TENANT, A, C, public

SESSION = "/api/integrations/teams/tab/session"
WEB = "5e3ce6c0-2b1f-4285-8d4b-75ee78787346"
# Microsoft's tokens have header fields that the library does not know.
LENIENT = JWSRegistry(algorithms=["RS256"], strict_check_header=False)
STS = f"https://sts.windows.net/{TENANT}/"


@pytest.fixture
def token(ms):
    """Makes tab tokens as Entra does, or nearly so."""

    def make(key=A, header=None, **claims):
        usual = {
            "iss": f"{ms.url}/{TENANT}/v2.0", "aud": APP_ID, "tid": TENANT, "oid": str(uuid4()), "ver": "2.0",
            "azp": WEB, "scp": "access_as_user", "name": "Ada", "preferred_username": f"{uuid4().hex}@tab.example",
            "nbf": int(time.time()) - 10, "exp": int(time.time()) + 3600,
        }  # fmt: skip
        merged = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        head = {"alg": "RS256", "kid": key.kid, "nonce": "x"} | (header or {})
        return jwt.encode({k: v for k, v in head.items() if v is not None}, merged, key, registry=LENIENT)

    return make


@pytest.fixture
def clock(monkeypatch):
    standing = Clock()
    standing.stop(monkeypatch)
    return standing


def exchange(app, token):
    return Actor(app).send("POST", SESSION, headers={"Authorization": f"Bearer {token}"} if token else {})


def test_a_tab_token_becomes_a_session_of_its_person(teams, token):
    person = str(uuid4())
    first, again = (exchange(teams, token(oid=person)) for _ in range(2))
    assert (first.status_code, set(first.json)) == (200, {"token", "user", "expiresAt"})
    assert first.headers["Cache-Control"] == "no-store"
    assert first.json["user"]["id"] == again.json["user"]["id"]
    ada = Actor(teams, first.json["token"])
    methods = {row["signInMethod"] for row in ada.get("/api/v1/auth/session").json["data"]}
    assert methods == {"teams_sso"}
    logins = ada.get("/api/v1/analytics/activity?activityType=SSO_LOGIN").json["data"]
    assert [row["metadata"]["tenantId"] for row in logins] == [TENANT, TENANT]


NOTIFICATIONS = "/api/integrations/teams/notifications"


def test_the_teams_routes_take_the_token_of_the_tab(teams, token):
    ada = Actor(teams, token())
    assert ada.get(f"{NOTIFICATIONS}/preferences").status_code == 200
    assert ada.put(f"{NOTIFICATIONS}/preferences", {"types": {"MESSAGE": False}}).json["types"]["MESSAGE"] is False
    assert ada.get("/api/teams/meetings").json["data"] == []
    message = {"channelId": "19:none@thread.tacv2", "message": "Hello"}
    assert ada.post("/api/integrations/teams/messages", message).status_code == 404
    ticket = ada.post(f"{NOTIFICATIONS}/stream/ticket")
    assert ticket.status_code == 201
    stream = Actor(teams).get(f"{NOTIFICATIONS}/stream?token={ticket.json['token']}")
    assert stream.status_code == 200
    stream.close()


def test_the_token_of_the_tab_stands_for_one_session_and_for_nothing_beside_teams(teams, token):
    person = str(uuid4())
    ada = Actor(teams, token(oid=person))
    for _ in range(3):
        assert ada.get(f"{NOTIFICATIONS}/preferences").status_code == 200
    assert ada.get("/api/v1/auth/session").status_code == 401
    assert ada.get("/api/documents").status_code == 401
    own = Actor(teams, exchange(teams, token(oid=person)).json["token"])
    assert own.get("/api/v1/analytics/activity?activityType=SSO_LOGIN").json["meta"]["count"] == 2


def test_a_bad_token_of_the_tab_is_refused_alike_on_every_route(teams, token):
    answer = Actor(teams, token(aud="somebody else")).get(f"{NOTIFICATIONS}/preferences")
    assert (answer.status_code, answer.json["code"]) == (401, "TEAMS_001")


def test_messages_are_503_where_no_bot_is_set_up(cast):
    answer = cast.user().post("/api/integrations/teams/messages", {"channelId": "19:x", "message": "Hello"})
    assert (answer.status_code, answer.json["code"]) == (503, "UNAVAILABLE")


def test_tokens_of_version_one_count_too(teams, token):
    claims = {"iss": STS, "ver": "1.0", "azp": None, "appid": WEB, "aud": f"api://botid-{APP_ID}"}
    assert exchange(teams, token(**claims)).status_code == 200


def test_the_audience_that_the_manifest_asks_for_is_ours(teams, token):
    host = urlsplit(teams.config["SETTINGS"].public_url).netloc
    assert exchange(teams, token(aud=f"api://{host}/botid-{APP_ID}")).status_code == 200
    assert exchange(teams, token(aud=f"api://elsewhere.example/botid-{APP_ID}")).status_code == 401


# In seconds since 1970, in the year 2096: no run of the tests takes that long.
NEVER = 4_000_000_000
BAD = {
    "another audience": {"aud": "x"},
    "another issuer": {"iss": "https://evil.example/"},
    "the issuer of another tenant": {"iss": "https://sts.windows.net/9188040d-6c67-4c5b-b112-36a304b66dad/"},
    "no tenant": {"tid": None},
    "a tenant that is none": {"tid": "common"},
    "expired": {"exp": 1},
    "not yet": {"nbf": NEVER},
    "no scope": {"scp": "User.Read"},
    "another client": {"azp": str(uuid4())},
    "an unknown key": {"key": C},
    "no key id": {"header": {"kid": None}},
}


@pytest.mark.parametrize("why", BAD)
def test_a_token_that_is_not_for_the_tab_is_refused(teams, token, why):
    response = exchange(teams, token(**BAD[why]))
    assert (response.status_code, response.json["code"]) == (401, "TEAMS_001")
    assert response.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'


def test_a_good_token_without_a_person_has_no_context(teams, token):
    response = exchange(teams, token(oid=None))
    assert (response.status_code, response.json["code"]) == (400, "TEAMS_003")


def test_no_token_is_refused(teams):
    assert exchange(teams, "").status_code == 401


def test_a_key_of_one_tenant_signs_for_no_other(teams, ms, token):
    ms.entra_keys = [public(A, issuer=f"{ms.url}/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0")]
    assert exchange(teams, token()).status_code == 401
    ms.entra_keys = [public(A, issuer=ms.url + "/{tenantid}/v2.0")]
    teams.extensions.pop("teams_keys")
    assert exchange(teams, token()).status_code == 200


def test_only_named_tenants_may_come_where_the_settings_name_some(build, teams, token):
    kept = ("teams_app_id", "microsoft_authority")
    settings = {name: getattr(teams.config["SETTINGS"], name) for name in kept}
    assert exchange(build(teams_tenants=str(uuid4()), **settings), token()).status_code == 401
    assert exchange(build(teams_tenants=f" {TENANT} , x", **settings), token()).status_code == 200


def test_an_address_that_somebody_has_links_nothing(teams, token, cast):
    victim = cast.user()
    address = victim.get(f"/api/v1/auth/user/{victim.user_id}").json["email"]
    assert exchange(teams, token(preferred_username=address)).status_code == 403


def test_a_tab_token_is_no_credential_of_the_data_api(teams, token):
    assert Actor(teams, token()).get("/api/v1/crm/contact").status_code == 401


def enrolled(teams, clock, token, person):
    """The person of a tab, with a second factor."""
    opened = exchange(teams, token(oid=person)).json
    ada = Person(teams, clock, visit(teams), opened["user"]["email"], opened["token"], opened["user"]["id"])
    ada.switch_on()
    return ada


def test_v11_whoever_has_a_second_factor_is_asked_for_it_in_the_tab(teams, clock, token):
    person = str(uuid4())
    ada = enrolled(teams, clock, token, person)
    asked = exchange(teams, token(oid=person))
    assert (asked.status_code, set(asked.json)) == (200, {"twoFactorRequired", "challenge", "methods", "expiresAt"})
    assert asked.headers["Cache-Control"] == "no-store"
    opened = ada.answer(asked.json["challenge"], visit(teams))
    assert Actor(teams, opened.json["token"]).get(f"{NOTIFICATIONS}/preferences").status_code == 200
    rows = Actor(teams, opened.json["token"]).get("/api/v1/auth/session").json["data"]
    assert {row["signInMethod"] for row in rows} == {"teams_sso"}


def test_v11_the_token_of_the_tab_is_no_credential_where_a_second_factor_is_asked_for(teams, clock, token):
    person = str(uuid4())
    before = token(oid=person)
    assert Actor(teams, before).get(f"{NOTIFICATIONS}/preferences").status_code == 200
    enrolled(teams, clock, token, person)
    for presented in (before, token(oid=person)):
        answer = Actor(teams, presented).get(f"{NOTIFICATIONS}/preferences")
        assert (answer.status_code, answer.json["code"]) == (401, "TEAMS_001")


@pytest.mark.parametrize("path", ["/teams-tab", "/api/integrations/teams/tab/config"])
def test_teams_may_frame_the_pages_and_nothing_from_elsewhere_runs_in_them(app, cast, path):
    response = cast.nobody.get(path, query_string={"theme": "<script>alert(1)</script>"})
    assert (response.status_code, response.mimetype) == (200, "text/html")
    policy = response.headers["Content-Security-Policy"]
    assert "frame-ancestors 'self' https://teams.microsoft.com" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "X-Frame-Options" not in response.headers
    assert b"alert(1)" not in response.data
