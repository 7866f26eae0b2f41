"""Several real workers: limits are exact, and what is revoked is refused by each of them on its next request."""

from __future__ import annotations

import http.client
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import delete, update

from app.auth.models.identity import AuthSession
from app.auth.models.organizations import AuthMember
from app.foundation.clock import now
from app.platform import flags
from app.testing.database import transaction, unit_of_work
from tests.end_to_end.service import free_port, gunicorn, started

PATH = "/api/v1/crm/contact"
KEYS = "/api/v1/auth/api-key"


@pytest.fixture(scope="module")
def port(app, var_dir, tmp_path_factory):
    number = free_port()
    log = tmp_path_factory.mktemp("workers") / "log"
    settings = {"VAR_DIR": var_dir, "DEFAULT_LIMIT": "1000000 per minute", "TRUSTED_PROXIES": "1"}
    with started(gunicorn(4), number, log, **settings):
        yield number


def status(port, token, path=PATH):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().status
    finally:
        connection.close()


def test_v19_parallel_calls_over_four_workers_never_pass_more_than_the_limit(cast, port):
    key = cast.key(cast.user(), "read", rate_limit_enabled=True, rate_limit_max=50)
    with ThreadPoolExecutor(40) as pool:
        answers = Counter(pool.map(lambda _: status(port, key.token), range(200)))
    assert answers == {200: 50, 429: 150}


@pytest.mark.variants
@pytest.mark.parametrize("how", ["revoked", "disabled", "banned", "left"])
def test_a_key_that_ends_is_refused_by_every_worker_on_its_next_request(app, cast, port, how):
    owner = cast.user()
    key = cast.key(owner, "read")
    own = f"{KEYS}/{owner.get(KEYS).json['data'][0]['id']}"
    with ThreadPoolExecutor(200) as pool:
        assert set(pool.map(lambda _: status(port, key.token), range(200))) == {200}
        END[how](app, cast, owner, own)
        assert set(pool.map(lambda _: status(port, key.token), range(200))) == {401}


def leave(app, owner):
    with app.app_context(), transaction() as session:
        session.execute(delete(AuthMember).where(AuthMember.user_id == owner.user_id))


END = {
    "revoked": lambda app, cast, owner, own: owner.delete(own),
    "disabled": lambda app, cast, owner, own: owner.put(own, {"enabled": False}),
    "banned": lambda app, cast, owner, own: cast.admin.put(f"/api/v1/auth/user/{owner.user_id}", {"banned": True}),
    "left": lambda app, cast, owner, own: leave(app, owner),
}


def create(port, token=None):
    """Ask for a key; anonymous ones are counted by network, and tests of pages make theirs from this machine's."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Content-Type": "application/json", "X-Forwarded-For": "198.51.100.9"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    try:
        connection.request("POST", KEYS, json.dumps({} if token else {"anonymous": True}), headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_v19_parallel_calls_over_four_workers_make_ten_keys_and_no_more(cast, port):
    owner = cast.user()
    with ThreadPoolExecutor(50) as pool:
        assert Counter(pool.map(lambda _: create(port, owner.token), range(50))) == {201: 10, 429: 40}
    assert owner.get(KEYS).json["meta"]["count"] == 10


def test_the_flag_reaches_every_worker_within_a_second_and_parallel_calls_make_five_keys(app, port):
    def switch(enabled):
        with app.app_context(), unit_of_work() as unit:
            flags.switch(unit, flags.ANONYMOUS_KEYS, enabled=enabled)

    with ThreadPoolExecutor(50) as pool:
        assert set(pool.map(lambda _: create(port), range(50))) == {403}
        switch(True)
        assert Counter(pool.map(lambda _: create(port), range(50))) == {201: 5, 429: 45}
        switch(False)
        assert set(pool.map(lambda _: create(port), range(50))) == {403}


def test_a_session_that_expired_is_refused_by_every_worker(app, cast, port):
    actor = cast.user()
    assert status(port, actor.token) == 200
    with app.app_context(), transaction() as session:
        own = AuthSession.user_id == actor.user_id
        session.execute(update(AuthSession).where(own).values(expires_at=now() - timedelta(seconds=1)))
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: status(port, actor.token), range(40))) == {401}
