"""Sign-ups, sign-ins and guesses of keys are limited by network, and cost those of other networks nothing."""

from __future__ import annotations

from threading import Event, Thread

import pytest
from sqlalchemy import func, select

from app.auth.accounts import passwords
from app.auth.credentials import throttling
from app.auth.models.keys import AuthApiKeyAnalytics
from app.foundation import crypto
from app.foundation.errors import Unavailable
from app.testing.database import transaction
from app.testing.waiting import await_true
from tests.auth.sign_in.visitors import PASSWORD, address

LIST = "/api/v1/crm/contact"
numbers = iter(range(1, 250))


@pytest.fixture
def limited(build):
    return build(sign_up_limit="2 per hour", sign_in_limit="3 per minute", unknown_key_limit="3 per minute")


@pytest.fixture
def network():
    """An address that no other test has."""
    return f"198.51.100.{next(numbers)}"


def post(app, path, body, network):
    return app.test_client().post(path, json=body, environ_overrides={"REMOTE_ADDR": network})


def sign_up(app, network):
    return post(app, "/api/auth/signup", {"email": address(), "password": PASSWORD}, network)


def sign_in(app, network):
    return post(app, "/api/auth/signin", {"email": address(), "password": PASSWORD}, network)


@pytest.mark.parametrize(("enter", "before"), [(sign_up, [200, 200]), (sign_in, [401, 401, 401])])
def test_a_network_has_so_many_tries_and_is_told_when_it_may_try_again(limited, network, enter, before):
    assert [enter(limited, network).status_code for _ in before] == before
    refused = enter(limited, network)
    assert (refused.status_code, refused.json["code"]) == (429, "RATE_LIMITED")
    assert int(refused.headers["Retry-After"]) >= 1
    assert enter(limited, "203.0.113.77").status_code == before[0]


def test_loopback_counts_in_production_alone(limited, build):
    assert {sign_up(limited, "127.0.0.1").status_code for _ in range(4)} == {200}
    live = build(environment="production", secret_key="k" * 40, sign_up_limit="1 per hour")
    assert [sign_up(live, "127.0.0.1").status_code for _ in range(2)] == [200, 429]


def test_nothing_is_hashed_for_a_network_that_is_locked(app, network, monkeypatch):
    monkeypatch.setattr(throttling, "FIRST", 60)
    assert [sign_in(app, network).status_code for _ in range(5)] == [401] * 5
    monkeypatch.setattr(passwords, "verify_password", lambda *a, **k: pytest.fail("a hash was computed"))
    assert sign_in(app, network).status_code == 401


def test_one_network_takes_few_places_among_those_who_wait_for_a_hash(monkeypatch):
    monkeypatch.setattr(passwords.HASHING, "each", 2)
    go_on = Event()
    monkeypatch.setattr(passwords, "run_in_thread", lambda work, *arguments: go_on.wait(30) and "hash")
    waiting = [
        Thread(target=passwords.hash_password, args=("correct horse",), kwargs={"network": "a"}) for _ in range(2)
    ]
    for each in waiting:
        each.start()
    await_true(lambda: passwords.HASHING.taken["a"] == 2)
    with pytest.raises(Unavailable):
        passwords.hash_password("correct horse", network="a")
    go_on.set()
    assert passwords.hash_password("correct horse", network="b") == "hash"
    for each in waiting:
        each.join()
    assert not passwords.HASHING.taken


def test_guesses_of_keys_are_refused_and_leave_no_more_rows_and_a_key_that_exists_goes_on(limited, cast, network):
    def present(token):
        headers = {"Authorization": f"Bearer {token}"}
        return limited.test_client().get(LIST, headers=headers, environ_overrides={"REMOTE_ADDR": network}).status_code

    key = cast.key(cast.user(), "read")
    assert [present(crypto.make(crypto.KEY)) for _ in range(6)] == [401] * 3 + [429] * 3
    assert present(key.token) == 200
    limited.extensions["usage"].flush()
    guesses = (AuthApiKeyAnalytics.ip_address == network, AuthApiKeyAnalytics.key_id.is_(None))
    with limited.app_context(), transaction() as session:
        assert session.scalar(select(func.count()).select_from(AuthApiKeyAnalytics).where(*guesses)) == 3
