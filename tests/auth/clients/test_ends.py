"""What ends a connection: codes and tokens that come again, the person, and whatever takes rights from them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, update

from app.auth.clients import tokens
from app.auth.models.clients import AuthClientRequest, AuthClientToken
from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthMember
from app.foundation.clock import now
from app.testing.database import transaction
from tests.account.visitors import Visitor
from tests.auth.clients.connecting import (
    Client,
    bearer,
    connect,
    connected,
    decide,
    page_of,
    register,
    rows,
    told,
)
from tests.auth.sign_in.visitors import SAME_ORIGIN


def test_a_code_that_comes_again_ends_the_connection_it_was_for(visitor, client):
    code = told(decide(visitor, page_of(visitor, client)))["code"]
    assert client.exchange(code).status_code == 200
    assert client.call("list_models").status_code == 200
    assert client.exchange(code).json["error"] == "invalid_grant"
    assert client.call("list_models").status_code == 401
    assert connected(visitor) == []


def test_a_code_that_waits_for_more_than_a_minute_is_over(app, visitor, client):
    code = told(decide(visitor, page_of(visitor, client)))["code"]
    with app.app_context(), transaction() as session:
        session.execute(update(AuthClientRequest).values(expires_at=now()))
    assert client.exchange(code).json["error"] == "invalid_grant"


def test_a_refresh_token_that_comes_again_ends_its_whole_family(visitor, client):
    first = connect(visitor, client)
    second = client.refresh().json
    assert client.refresh(first["refresh_token"]).json["error"] == "invalid_grant"
    client.tokens = second
    assert client.call("list_models").status_code == 401
    assert client.refresh().json["error"] == "invalid_grant"


def test_of_two_renewals_at_once_one_at_most_gets_tokens_and_nothing_is_left_half_done(app, visitor, client):
    first = connect(visitor, client)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: client.refresh(first["refresh_token"]).status_code, range(2)))
    assert sorted(answers) == [200, 400]
    assert connected(visitor) == []


def test_a_token_of_one_client_is_neither_renewed_nor_given_back_by_another(app, visitor, client):
    tokens = connect(visitor, client)
    other = Client(app, register(app, "Other"))
    assert other.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    other.post("/oauth/revoke", token=tokens["access_token"])
    assert client.call("list_models").status_code == 200


def test_an_access_token_lasts_a_quarter_of_an_hour(app, visitor, client):
    connect(visitor, client)
    with app.app_context(), transaction() as session:
        session.execute(update(AuthClientToken).where(AuthClientToken.kind == "access").values(expires_at=now()))
    assert client.call("list_models").status_code == 401
    assert client.refresh().status_code == 200
    assert client.call("list_models").status_code == 200


def test_a_person_disconnects_a_client_and_nobody_else_does(app, visitor, client):
    connect(visitor, client)
    (listed,) = connected(visitor)
    stranger = Visitor(app).sign_up()
    path = f"/api/auth/clients/{listed['id']}"
    assert stranger.client.delete(path, headers=SAME_ORIGIN).status_code == 404
    assert client.call("list_models").status_code == 200
    gone = visitor.client.delete(path, headers=SAME_ORIGIN)
    assert gone.json == {"id": listed["id"], "deleted": True}
    assert client.call("list_models").status_code == 401
    assert visitor.client.delete(path, headers=SAME_ORIGIN).status_code == 404


def ban(session, user, organization, key):
    session.execute(update(AuthUser).where(AuthUser.id == user).values(banned=True))


def leave(session, user, organization, key):
    wanted = (AuthMember.user_id == user, AuthMember.organization_id == organization)
    for member in session.scalars(select(AuthMember).where(*wanted)):
        session.delete(member)


def revoke(session, user, organization, key):
    session.execute(update(AuthApiKey).where(AuthApiKey.id == key).values(revoked_at=now()))


def disable(session, user, organization, key):
    session.execute(update(AuthApiKey).where(AuthApiKey.id == key).values(enabled=False))


@pytest.mark.parametrize("end", [ban, leave, revoke, disable])
def test_what_ends_the_rights_of_the_person_ends_those_of_the_client_at_its_next_call(app, visitor, client, end):
    connect(visitor, client)
    assert client.call("list_models").status_code == 200
    (listed,) = connected(visitor)
    with app.app_context(), transaction() as session:
        key = session.get_one(AuthApiKey, listed["id"])
        user, organization = key.user_id, key.organization_id
    with app.app_context(), transaction() as session:
        end(session, user, organization, listed["id"])
    assert client.call("list_models").status_code == 401
    assert client.refresh().json["error"] == "invalid_grant"


def test_narrowing_the_key_of_a_client_counts_at_its_next_call(visitor, client):
    connect(visitor, client)
    (listed,) = connected(visitor)
    narrowed = {"access": [{"models": ["crm/deal"]}]}
    changed = visitor.client.put(f"/api/v1/auth/api-key/{listed['id']}", json=narrowed, headers=bearer(visitor))
    assert changed.status_code == 200, changed.json
    assert client.call("query_records", model="crm/company").json["result"]["isError"]
    assert not client.call("query_records", model="crm/deal").json["result"]["isError"]


def test_renewals_are_counted_and_leave_few_rows(app, visitor, client):
    connect(visitor, client)
    for _ in range(tokens.REMEMBERED + 5):
        assert client.refresh().status_code == 200
    (listed,) = connected(visitor)
    kept = rows(app, select(AuthClientToken).where(AuthClientToken.key_id == listed["id"]))
    assert len(kept) <= tokens.REMEMBERED + 3
    with app.app_context(), transaction() as session:
        limits = {"rate_limit_enabled": True, "rate_limit_max": 1, "rate_limit_time_window": 60_000}
        session.execute(update(AuthApiKey).where(AuthApiKey.id == listed["id"]).values(**limits))
    assert client.refresh().status_code == 200
    assert client.refresh().status_code == 429


def test_a_hint_that_says_nothing_counts_for_nothing_and_secrets_are_refused(visitor, client):
    connect(visitor, client)
    given = {"token": client.tokens["access_token"], "token_type_hint": "weird"}
    assert client.post("/oauth/revoke", **given).status_code == 200
    assert connected(visitor) == []
    basic = client.app.test_client().post(
        "/oauth/token", data={"grant_type": "refresh_token", "refresh_token": "x"}, auth=("x", "y")
    )
    assert basic.status_code == 401
    assert basic.headers["WWW-Authenticate"].startswith("Basic")
