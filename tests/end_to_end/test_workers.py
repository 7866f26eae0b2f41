"""Several real workers: limits are exact, and what is revoked is refused by each of them on its next request."""

from __future__ import annotations

import http.client
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import update

from app.clock import now
from app.database import transaction
from app.models.auth.identity import AuthSession
from app.models.auth.keys import AuthApiKey
from tests.end_to_end.service import free_port, gunicorn, started

PATH = "/api/v1/crm/contact"


@pytest.fixture(scope="module")
def port(app, var_dir, tmp_path_factory):
    number = free_port()
    log = tmp_path_factory.mktemp("workers") / "log"
    with started(gunicorn(4), number, log, VAR_DIR=var_dir, DEFAULT_LIMIT="1000000 per minute"):
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


def test_a_revoked_key_is_refused_by_every_worker_on_its_next_request(app, cast, port):
    owner = cast.user()
    key = cast.key(owner, "read")
    with ThreadPoolExecutor(20) as pool:
        assert set(pool.map(lambda _: status(port, key.token), range(100))) == {200}
        with app.app_context(), transaction() as session:
            session.execute(update(AuthApiKey).where(AuthApiKey.user_id == owner.user_id).values(revoked_at=now()))
        assert set(pool.map(lambda _: status(port, key.token), range(100))) == {401}


def test_a_session_that_expired_is_refused_by_every_worker(app, cast, port):
    actor = cast.user()
    assert status(port, actor.token) == 200
    with app.app_context(), transaction() as session:
        own = AuthSession.user_id == actor.user_id
        session.execute(update(AuthSession).where(own).values(expires_at=now() - timedelta(seconds=1)))
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: status(port, actor.token), range(40))) == {401}
