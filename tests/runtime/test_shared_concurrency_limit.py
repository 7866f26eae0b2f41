"""Places for expensive work: counted over all processes, and never lost with one of them."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from uuid import uuid4

import pytest
from limits.storage import storage_from_string

from app.foundation.errors import RateLimited, Unavailable
from app.runtime import shared_concurrency_limit
from app.runtime.embedded import redis_url
from app.runtime.rate_limits import Counter
from app.runtime.shared_concurrency_limit import SharedConcurrencyLimit
from app.testing.waiting import await_true


@pytest.fixture
def make(var_dir, tmp_path):
    """Makes the slots of a process; they have a name of their own for each test."""
    name = str(uuid4())

    def make(*, is_away=False, **changes):
        url = f"redis+unix://{tmp_path}/none" if is_away else f"redis+{redis_url(var_dir)}"
        bounds = {"each": 2, "total": 3, "seconds": 60.0, "wait": 0.1} | changes
        return SharedConcurrencyLimit(Counter(storage_from_string(url)), name, **bounds)

    return make


def test_a_caller_has_so_many_slots_over_all_processes(make):
    first, second, third = make(), make(), make()
    with in_thread(first, "a"), in_thread(second, "a"):
        with pytest.raises(RateLimited):
            entered(third, "a", fails=True)
        assert entered(third, "b")
    assert entered(third, "a")


def test_all_callers_have_so_many_slots_together(make):
    with ExitStack() as held:
        for caller in ("a", "b", "c"):
            held.enter_context(in_thread(make(), caller))
        with pytest.raises(Unavailable), make().of("d"):
            pass
    with make().of("d"):
        pass


def test_who_waits_gets_the_slot_that_is_given_back(make):
    first, patient = make(each=1), make(each=1, wait=30.0)
    ended = []
    holding = in_thread(first, "a")
    holding.__enter__()
    waiting = threading.Thread(target=lambda: ended.append(entered(patient, "a")))
    waiting.start()
    holding.__exit__(None, None, None)
    waiting.join()
    assert ended == [True]


def test_work_within_work_takes_no_second_slot(make):
    slots = make(each=1)
    with slots.of("a"), slots.of("a"):
        pass


def test_slots_of_a_process_that_is_gone_are_free_after_their_lease(make, monkeypatch):
    monkeypatch.setattr(shared_concurrency_limit, "LEASE", 0.5)
    gone = make(each=1)
    gone._hold = lambda token, caller: None  # which nobody renews
    gone._give_back = lambda caller, token, seconds: None
    with gone.of("a"):
        pass
    with pytest.raises(RateLimited), make(each=1).of("a"):
        pass
    await_true(lambda: entered(make(each=1), "a"))


def test_work_that_outlasts_the_lease_keeps_its_slot(make, monkeypatch):
    monkeypatch.setattr(shared_concurrency_limit, "LEASE", 0.3)
    renewed = threading.Event()
    slots = make(each=1)
    run = slots._run

    def watched(script, words, here):
        answer = run(script, words, here)
        if script is shared_concurrency_limit.RENEW:
            renewals.append(script)
            if len(renewals) == 5:  # one and a half leases later
                renewed.set()
        return answer

    renewals = []
    monkeypatch.setattr(slots, "_run", watched)
    with slots.of("a"):
        assert renewed.wait(30)
        assert not entered(make(each=1), "a")


def test_seconds_of_a_caller_add_up_over_processes(make):
    make(seconds=0.001)._give_back("a", "token", 2.0)
    with pytest.raises(RateLimited) as refused, make(seconds=0.001).of("a"):
        pass
    assert 1 <= int(refused.value.headers["Retry-After"]) <= 61


def test_without_redis_each_process_counts_for_itself(make):
    alone = make(is_away=True, each=2, total=2)
    with in_thread(alone, "a"), in_thread(alone, "a"):
        with pytest.raises(RateLimited):
            entered(alone, "a", fails=True)
        with pytest.raises(Unavailable):
            entered(alone, "b", fails=True)
        assert entered(make(is_away=True), "a")
    alone._give_back("a", "token", 61.0)
    with pytest.raises(RateLimited):
        entered(alone, "a", fails=True)


def entered(slots, caller, *, fails=False):
    """Whether the caller gets a slot in a thread of its own; with ``fails``, its refusal is raised here."""
    refusals = []

    def enter():
        try:
            with slots.of(caller):
                pass
        except (RateLimited, Unavailable) as refusal:
            refusals.append(refusal)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    if refusals and fails:
        raise refusals[0]
    return not refusals


class in_thread:  # noqa: N801 - it reads as a function
    """Hold a slot in a thread of its own."""

    def __init__(self, slots, caller):
        self._taken, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._hold, args=(slots, caller))

    def _hold(self, slots, caller):
        with slots.of(caller):
            self._taken.set()
            self._over.wait(30)

    def __enter__(self):
        self._thread.start()
        assert self._taken.wait(30)

    def __exit__(self, *error):
        self._over.set()
        self._thread.join()
