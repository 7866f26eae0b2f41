"""Passwords are hashed aside: a worker that signs people in goes on answering everybody else."""

from __future__ import annotations

import http.client
import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from app.runtime import rate_limits

IN_FLIGHT = 20
PROBES = 200
ROUNDS, MAX_RATIO = 12, 5
PERSON = {"email": "load@sign-in.example", "password": "correct horse battery"}


@pytest.fixture(scope="module")
def port(app, shared_service):
    yield shared_service.port
    with app.app_context():
        for kept in ("failures", "lock"):
            forget = f"sign-in/{kept}/network/127.0.0.1"
            rate_limits.counter().shared.storage.delete(forget)


def sign(port, how, person):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", f"/api/auth/{how}", json.dumps(person), {"Content-Type": "application/json"})
    status = connection.getresponse().status
    connection.close()
    return status


def p95_of_health(port):
    """The latency that 95 of 100 probes stay under, in seconds, over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    taken = []
    for _ in range(PROBES):
        began = time.perf_counter()
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        taken.append(time.perf_counter() - began)
        time.sleep(0.002)
    connection.close()
    return statistics.quantiles(taken, n=20)[-1]


def busy_with_sign_ins(port):
    """The same latency while twenty sign-ins are in flight all the time."""
    done = Event()

    def keep_signing_in(_):
        statuses = []
        while not done.is_set():
            statuses.append(sign(port, "signin", PERSON))
        return statuses

    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        running = pool.map(keep_signing_in, range(IN_FLIGHT))
        try:
            latency = p95_of_health(port)
        finally:
            done.set()
        statuses = [status for each in running for status in each]
    assert set(statuses) == {200}
    assert len(statuses) > IN_FLIGHT
    return latency


@pytest.mark.alone
def test_with_twenty_sign_ins_in_flight_health_answers_within_five_times_its_idle_time(port):
    assert sign(port, "signup", PERSON) == 200
    ratios = []
    # Other tests share the processors and disturb single rounds; hashing on the event loop would show in every one.
    while not ratios or (min(ratios) >= MAX_RATIO and len(ratios) < ROUNDS):
        idle, busy = p95_of_health(port), busy_with_sign_ins(port)
        print(f"\np95 of /healthz: idle {idle * 1000:.2f} ms, with sign-ins {busy * 1000:.2f} ms")
        ratios.append(busy / idle)
    assert min(ratios) < MAX_RATIO


def test_v19_of_parallel_guesses_no_more_are_heard_than_of_single_ones(app, port):
    person = PERSON | {"email": "guessed@sign-in.example"}
    assert sign(port, "signup", person) == 200
    wrong = person | {"password": "not this one"}
    with ThreadPoolExecutor(40) as pool:
        assert set(pool.map(lambda _: sign(port, "signin", wrong), range(40))) == {401}
    assert sign(port, "signin", person) == 401
