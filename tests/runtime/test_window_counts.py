"""Counting in Redis beside what the library would have counted, and across whatever happens to the connections."""

from __future__ import annotations

import threading
from uuid import uuid4

import pytest
import redis
from redis.exceptions import RedisError

from app.runtime import redis_scripts
from app.runtime.embedded import redis_url
from app.runtime.redis_scripts import RedisScripts
from app.runtime.window_counts import Hit, WindowCounts


@pytest.fixture
def client(var_dir):
    return redis.Redis.from_url(redis_url(var_dir))


@pytest.fixture
def windows(client):
    return WindowCounts(RedisScripts(client))


@pytest.fixture
def key():
    return f"LIMITS:{uuid4()}"


def test_all_keys_are_counted_in_one_command(windows, client, key):
    before = client.info("commandstats")
    assert windows.count([Hit(key, 1, 60), Hit(f"{key}/other", 5, 60)]) == [1, 5]
    assert windows.count([Hit(key, 1, 60), Hit(f"{key}/other", 5, 60)]) == [2, 10]
    after = client.info("commandstats")
    calls = [each.get("cmdstat_evalsha", {"calls": 0})["calls"] for each in (before, after)]
    assert 2 <= calls[1] - calls[0] <= 3


def test_a_window_ends_when_its_first_count_says(windows, client, key):
    windows.count([Hit(key, 1, 60)])
    client.expire(key, 30)
    windows.count([Hit(key, 1, 60)])
    assert 0 < client.ttl(key) <= 30


def test_the_library_reads_and_removes_what_is_counted(app, key):
    counter = app.extensions["limit_counter"]
    counter.hit(key, 60, 3)
    assert counter.shared.get(key) == 3
    assert counter.shared.incr(key, 60) == 4
    assert counter.hit(key, 60) == 5
    counter.shared.clear(key)
    assert counter.hit(key, 60) == 1


def test_scripts_that_redis_has_forgotten_are_sent_again(windows, client, key):
    windows.count([Hit(key, 1, 60)])
    client.script_flush()
    assert windows.count([Hit(key, 1, 60)]) == [2]


def test_connections_that_redis_has_ended_are_opened_again(windows, client, key):
    windows.count([Hit(key, 1, 60)])
    client.client_kill_filter(_type="normal", skipme=True)
    assert windows.count([Hit(key, 1, 60)]) == [2]


def test_a_redis_that_is_away_is_told_at_once(tmp_path, key):
    with pytest.raises(RedisError):
        WindowCounts(RedisScripts(redis.Redis(unix_socket_path=str(tmp_path / "none")))).count([Hit(key, 1, 60)])


def test_more_callers_than_connections_wait_for_one(windows, client, key, monkeypatch):
    monkeypatch.setattr(redis_scripts, "MAX_CONNECTIONS", 2)
    counted = []
    callers = [
        threading.Thread(target=lambda: counted.extend(windows.count([Hit(key, 1, 60)])[0] for _ in range(20)))
        for _ in range(8)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert sorted(counted) == list(range(1, 161))
    assert windows.scripts._opened <= 2


def test_a_request_that_finds_no_connection_counts_here_and_the_next_one_in_redis(app, key, monkeypatch):
    counter = app.extensions["limit_counter"]
    assert counter.hit(key, 60) == 1
    with monkeypatch.context() as patch:
        patch.setattr(redis_scripts, "MAX_CONNECTIONS", 0)
        patch.setattr(redis_scripts, "WAIT", 0.01)
        patch.setattr(counter.scripts, "_idle", [])
        assert counter.hit(key, 60) == 1
    assert counter.hit(key, 60) == 2
