"""What is measured: each subject is a server, requests to it, and the status that they must be answered with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from uuid import UUID

from bench import bare, by_hand, load
from bench.population import Person, Population
from bench.servers import Server

CONTACTS = "/api/v1/crm/contact"
# More than any slice can take: a create is sent once, for its e-mail address must be new.
CREATES = 8000

BARE, ITEM, LIST, CREATE, UPDATE, BY_HAND = "bare", "item", "list", "create", "update", "by hand"
TITLES = {
    BARE: "bare Flask route",
    ITEM: "item GET",
    LIST: "list of 20 with count",
    CREATE: "create",
    UPDATE: "update",
    BY_HAND: "list of 20 by hand",
}


@dataclass(frozen=True)
class Subject:
    """One kind of request; ``requests`` makes those of a slice."""

    name: str
    server: Server
    requests: Callable[[], tuple[bytes, ...]]
    status: int = 200
    once: bool = False


def subjects(people: Population, bare_server: Server, product: Server, hand: Server) -> list[Subject]:
    """Every subject, in the order of the table."""
    readers, writers, serial = people.readers, people.writers, count()
    items = tuple(
        request("GET", f"{CONTACTS}/{each.contact_ids[number]}", each.token) for number in range(25) for each in readers
    )
    lists = tuple(request("GET", CONTACTS, each.token) for each in readers)
    by_hands = tuple(request("GET", by_hand.PATH, each.token) for each in readers)
    constants = tuple(request("GET", bare.PATH, each.token) for each in readers)
    return [
        Subject(BARE, bare_server, lambda: constants),
        Subject(ITEM, product, lambda: items),
        Subject(LIST, product, lambda: lists),
        Subject(CREATE, product, lambda: _creates(writers, serial), 201, once=True),
        Subject(UPDATE, product, lambda: _updates(writers, serial), once=True),
        Subject(BY_HAND, hand, lambda: by_hands),
    ]


def request(method: str, path: str, token: str, body: dict[str, str] | None = None) -> bytes:
    """A request with a session."""
    return load.request(method, path, f"Bearer {token}", body)


def _creates(writers: tuple[Person, ...], serial: count[int]) -> tuple[bytes, ...]:
    made = [(writers[number % len(writers)], next(serial)) for number in range(CREATES)]
    return tuple(request("POST", CONTACTS, each.token, _contact(each.company_id, number)) for each, number in made)


def _contact(company_id: UUID, number: int) -> dict[str, str]:
    return {
        "firstName": "New",
        "lastName": f"Contact {number}",
        "email": f"new{number}@bench.example",
        "phone": "+1 555 0100",
        "title": "Engineer",
        "companyId": str(company_id),
    }


def _updates(writers: tuple[Person, ...], serial: count[int]) -> tuple[bytes, ...]:
    """Changes that change something: every title is a new one."""
    made = []
    for number in range(CREATES):
        person = writers[number % len(writers)]
        contact = person.contact_ids[number // len(writers) % len(person.contact_ids)]
        made.append(request("PUT", f"{CONTACTS}/{contact}", person.token, {"title": f"Engineer {next(serial)}"}))
    return tuple(made)
