"""Counting in Redis beside what the library would have counted, and across whatever happens to the connections."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from uuid import uuid4

import pytest
import redis
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import RedisError

from app.runtime import redis_scripts, window_counts
from app.runtime.embedded import redis_url
from app.runtime.redis_scripts import RedisScripts
from app.runtime.window_counts import Hit, WindowCounts
from app.testing.waiting import await_true


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


@pytest.fixture
def moment(monkeypatch):
    """The moment that leases go by; nothing is given back by itself meanwhile."""
    told = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(window_counts, "time", SimpleNamespace(monotonic=lambda: told.now))
    monkeypatch.setattr(WindowCounts, "_schedule_give_back", lambda self: None)
    return told


def counted(client, key):
    return int(client.get(key) or 0)


def test_a_caller_who_asks_often_is_paid_for_ahead(windows, client, key, moment):
    seen = []
    for _ in range(20):
        windows.count([Hit(key, 1, 60, 10_000)])
        seen.append(counted(client, key))
    assert seen == [1, 3, 3, 6, 6, 6, 11, 11, 11, 11, 11, *[20] * 9]


def test_above_half_of_a_limit_each_request_is_counted_by_itself(windows, client, key, moment):
    for number in range(1, 401):
        assert windows.count([Hit(key, 1, 60, 400)])[0] <= number
        assert number <= counted(client, key) <= max(number, 200)
    assert windows.count([Hit(key, 1, 60, 400)]) == [401]


def test_a_small_limit_is_counted_one_by_one(windows, client, key, moment):
    for number in range(1, 20):
        assert windows.count([Hit(key, 1, 60, window_counts.FRACTION - 1)]) == [number]
        assert counted(client, key) == number


def test_a_caller_who_asks_seldom_is_never_paid_for_ahead(windows, client, key, moment):
    for number in range(1, 10):
        windows.count([Hit(key, 1, 60, 10_000)])
        assert counted(client, key) == number
        moment.now += 1


def test_what_is_left_of_a_lease_goes_back(windows, client, key, moment):
    for _ in range(4):
        windows.count([Hit(key, 1, 60, 10_000)])
    assert counted(client, key) == 6
    moment.now += 0.9
    windows.give_back()
    assert counted(client, key) == 6
    moment.now += 0.2
    windows.give_back()
    assert counted(client, key) == 4


def test_many_are_given_back_some_at_a_time(windows, client, key, moment, monkeypatch):
    monkeypatch.setattr(window_counts, "BATCH", 2)
    keys = [f"{key}/{number}" for number in range(5)]
    for each in keys * 4:
        windows.count([Hit(each, 1, 60, 10_000)])
    windows.give_back(everything=True)
    assert [counted(client, each) for each in keys] == [4] * 5


def test_what_may_have_arrived_is_not_given_back_twice(windows, client, key, moment, monkeypatch):
    for _ in range(4):
        windows.count([Hit(key, 1, 60, 10_000)])
    answer = windows.scripts._answer

    def lose_the_answer(*asked):
        answer(*asked)
        raise ConnectionLost

    with monkeypatch.context() as patch:
        patch.setattr(windows.scripts, "_answer", lose_the_answer)
        windows.give_back(everything=True)
    assert counted(client, key) == 4
    assert windows.count([Hit(key, 1, 60, 10_000)]) == [5]


def test_what_is_left_goes_back_by_itself(windows, client, key):
    for _ in range(4):
        windows.count([Hit(key, 1, 60, 10_000)])
    await_true(lambda: counted(client, key) == 4)


def test_a_lease_is_used_for_a_second(windows, client, key, moment):
    for _ in range(4):
        windows.count([Hit(key, 1, 60, 10_000)])
    moment.now += 1.1
    assert windows.count([Hit(key, 1, 60, 10_000)]) == [7]
    windows.give_back()
    assert counted(client, key) == 5


def test_a_lease_ends_with_its_window_and_nothing_of_it_goes_back_into_the_next(windows, client, key, moment):
    for _ in range(3):
        windows.count([Hit(key, 1, 60, 10_000)])
    client.pexpire(key, 300)
    windows.count([Hit(key, 1, 60, 10_000)])
    client.delete(key)
    moment.now += 0.4
    assert windows.count([Hit(key, 1, 60, 10_000)]) == [1]
    windows.give_back(everything=True)
    assert counted(client, key) == 1


@pytest.mark.parametrize(("limit", "calls", "fewer"), [(100, 120, 0), (800, 1000, 8)], ids=["small", "with leases"])
def test_of_calls_at_once_over_two_hosts_no_more_pass_than_the_limit_says(client, key, limit, calls, fewer):
    hosts = [WindowCounts(RedisScripts(client)) for _ in range(2)]
    with ThreadPoolExecutor(24) as pool:
        counts = list(pool.map(lambda number: hosts[number % 2].count([Hit(key, 1, 60, limit)])[0], range(calls)))
    assert limit - fewer <= sum(count <= limit for count in counts) <= limit
    for each in hosts:
        each.give_back(everything=True)
    assert counted(client, key) == calls


@pytest.mark.full
def test_a_large_amount_leaves_what_was_paid_ahead_as_it_is(windows, client, key, moment):
    for _ in range(4):
        windows.count([Hit(key, 1, 60, 10_000)])
    assert windows.count([Hit(key, 50, 60, 10_000)]) == [56]
    windows.give_back(everything=True)
    assert counted(client, key) == 54


def test_what_is_left_goes_back_while_others_pay_ahead(windows, key):
    """The collector may run wherever something is made, and let others go on."""
    for number in range(8):
        windows._prepaid[f"{key}/{number}"] = SimpleNamespace(ends=0, is_used_up=lambda: True)
    numbers = iter(range(8, 1000))

    def pay_ahead(phase, _):
        windows._prepaid[f"{key}/{next(numbers)}"] = SimpleNamespace(ends=float("inf"))

    kept = gc.get_threshold()
    gc.callbacks.append(pay_ahead)
    gc.set_threshold(1)
    try:
        windows.give_back()
    finally:
        gc.set_threshold(*kept)
        gc.callbacks.remove(pay_ahead)
    assert not [each for each in windows._prepaid.values() if each.ends == 0]
