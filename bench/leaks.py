"""Whether a worker keeps what it should forget: its memory after ten thousand requests of every kind, and after a
hundred thousand."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from bench import load
from bench.bounded import say
from bench.load import HOST
from bench.population import Population
from bench.processes import family, memory
from bench.servers import Server
from bench.subjects import CONTACTS, request

# Requests after which the memory is taken.
AFTER = (1_000, 10_000, 100_000)
PATIENCE = 400.0


def measure(var_dir: str, people: Population, sender: ProcessPoolExecutor) -> dict[int, float]:
    """MiB of a fresh worker after so many requests."""
    server = Server("wsgi:app", var_dir)
    server.start()
    try:
        server.await_answer("/healthz")
        (worker,) = family(server.pid)[1:]
        endless, sent, found = _requests(people), 0, {}
        for number in AFTER:
            say(f"sending {number:,} requests to one worker")
            some = tuple(islice(endless, number - sent))
            outcome = sender.submit(load.send, load.Slice(HOST, server.port, PATIENCE, some, once=True)).result()
            if outcome.answers != len(some) or outcome.statuses.keys() - {200, 201, 400, 404}:
                raise load.Refused(f"{outcome.statuses}: {outcome.first_failure!r}")
            sent = number
            found[number] = memory([worker])
        return found
    finally:
        server.stop()


def _requests(people: Population) -> Iterator[bytes]:
    """Reads of all kinds, filters with ever other values, writes, and what is refused."""
    number = 0
    while True:
        for person in people.writers:
            number += 1
            contact = person.contact_ids[number % len(person.contact_ids)]
            given = {
                "firstName": "Leak", "lastName": "Hunter", "email": f"leak{number}@bench.example", "title": "Engineer",
                "companyId": str(person.company_id),
            }  # fmt: skip
            yield request("GET", f"{CONTACTS}/{contact}", person.token)
            yield request("GET", CONTACTS, person.token)
            yield request("GET", f"{CONTACTS}?lastName=Last%20{number}&take={number % 100 + 1}", person.token)
            yield request("GET", f"{CONTACTS}/{person.company_id}", person.token)
            yield request("GET", f"{CONTACTS}?unknown{number}=1", person.token)
            yield request("PUT", f"{CONTACTS}/{contact}", person.token, {"title": f"Engineer {number}"})
            if number % 10 == 0:
                yield request("POST", CONTACTS, person.token, given)
