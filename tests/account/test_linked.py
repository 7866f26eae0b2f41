"""Ways to sign in on the pages: through a provider, by linking one, and without it again."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from uuid import uuid4

import pytest
from sqlalchemy import update

from app.auth.models.identity import AuthSession, AuthUser
from app.foundation.clock import now
from app.testing.database import transaction
from tests.account.visitors import Visitor, alerts_of, said_by
from tests.auth.oauth.journey import PUBLIC, agree
from tests.auth.oauth.loopback import GitHub
from tests.auth.sign_in.visitors import session_of

LINKED = "/account/linked"
REMOVE = re.compile(r'action="(/account/linked/[0-9a-f-]{36}/remove)"')


@pytest.fixture
def github():
    server = GitHub()
    server.user = {"id": uuid4().int % 10**9, "login": "octocat", "name": "The Octocat"}
    server.emails = [{"email": f"{uuid4().hex}@github.example", "primary": True, "verified": True}]
    yield server
    server.stop()


@pytest.fixture
def service(build, github):
    client = {"github_client_id": "rowgate", "github_client_secret": "client-secret"}
    return build(base_url=PUBLIC, github_url=github.url, github_api_url=github.url, **client)


@pytest.fixture
def member(service):
    visitor = Visitor(service).sign_up()
    with service.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.email == visitor.email).values(email_verified=True))
    return visitor


def travel(visitor, path, page, **fields):
    """Press a provider's button and agree there; returns where that ends."""
    leading = visitor.send(path, page=page, **fields)
    assert leading.status_code == 200, leading.text
    place = unescape(re.search(r'<meta http-equiv="refresh" content="0; url=([^"]+)">', leading.text)[1])
    assert unescape(re.search(r'<a href="(http[^"]+)"', leading.text)[1]) == place
    return visitor.get(agree(place))


def make_stale(service, visitor):
    own = AuthSession.id == session_of(visitor.client)["session"]["id"]
    with service.app_context(), transaction() as session:
        session.execute(update(AuthSession).where(own).values(authenticated_at=now() - timedelta(hours=1)))


def test_a_provider_signs_somebody_in_and_leads_on(service, github):
    visitor = Visitor(service)
    assert "Continue with GitHub" in visitor.get("/account/sign-in").text
    back = travel(visitor, "/account/providers/github", "/account/sign-in", next="/account/sessions")
    assert back.headers["Location"] == "/account/sessions"
    assert session_of(visitor.client)["user"]["email"] == github.emails[0]["email"]
    assert "Signed in through a provider" in visitor.get("/account/sessions").text


def test_a_provider_that_refuses_leads_back_with_a_sentence(service, github):
    visitor = Visitor(service)
    github.emails = []
    back = travel(visitor, "/account/providers/github", "/account/sign-in")
    page = visitor.get(back.headers["Location"])
    assert page.status_code == 200
    assert re.search(r'role="alert">The provider has not confirmed your address\.<', page.text)
    assert "evil" not in visitor.get("/account/sign-in?error=evil").text.replace("error=evil", "")


def test_a_provider_is_linked_and_removed(member, github):
    back = travel(member, f"{LINKED}/providers/github", LINKED)
    assert back.headers["Location"] == LINKED
    page = member.get(LINKED).text
    assert str(github.user["id"]) in page
    assert session_of(member.client)["user"]["email"] == member.email
    password, provider = REMOVE.findall(page)[::-1]
    assert member.send(provider, page=LINKED).headers["Location"] == LINKED
    left = member.get(LINKED)
    assert said_by(left) == ["That way to sign in is removed."]
    assert REMOVE.findall(left.text) == []
    refused = member.send(password, page=LINKED)
    assert (refused.status_code, alerts_of(refused)) == (409, ["The last way to sign in stays"])


def test_removing_wants_a_recent_sign_in_and_says_where(service, member, github):
    travel(member, f"{LINKED}/providers/github", LINKED)
    make_stale(service, member)
    place = REMOVE.findall(member.get(LINKED).text)[0]
    refused = member.send(place, page=LINKED)
    assert refused.status_code == 403
    assert alerts_of(refused) == ["This needs a recent sign-in: sign in again, then try once more."]
    assert 'href="/account/confirm?next=/account/linked"' in refused.text
    member.sign_in("/account/sign-in?again=1&next=/account/linked", next=LINKED)
    assert member.send(place, page=LINKED).status_code == 303


def test_linking_wants_a_recent_sign_in(service, member, github):
    make_stale(service, member)
    back = travel(member, f"{LINKED}/providers/github", LINKED)
    assert "This needs a recent sign-in" in member.get(back.headers["Location"]).text


def test_a_provider_that_is_not_set_up_is_told(member):
    response = member.send(f"{LINKED}/providers/google", page=LINKED)
    assert (response.status_code, alerts_of(response)) == (404, ["This sign-in provider is not set up here"])


def test_a_way_in_of_somebody_else_is_not_there(service, member, github):
    travel(member, f"{LINKED}/providers/github", LINKED)
    place = REMOVE.findall(member.get(LINKED).text)[0]
    assert Visitor(service).sign_up().send(place, page=LINKED).status_code == 404
