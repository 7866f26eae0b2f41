"""What is asked for: the same requests of every peer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice

from bench.peers.peer import Ask, Peer
from bench.peers.world import BIG, COMPANIES_EACH, READERS, SKIP, WRITERS, World, company_id

# More than any slice can take: an address is new once.
WRITES = 9000
ITEMS_EACH = 25


@dataclass(frozen=True)
class Work:
    """One kind of request; ``asks`` gives those of a slice with their callers. Those that are not ``shown`` are in the
    raw figures alone."""

    name: str
    title: str
    asks: Callable[[Peer, World], Iterator[tuple[int, Ask]]]
    once: bool = False
    shown: bool = True


def _items(peer: Peer, world: World) -> Iterator[tuple[int, Ask]]:
    for number in range(ITEMS_EACH):
        for owner in READERS:
            yield owner, peer.item(world.by_owner[owner][number].id)


def _pages(peer: Peer, world: World) -> Iterator[tuple[int, Ask]]:
    for owner in READERS:
        yield owner, peer.page()


def _filtered(peer: Peer, world: World) -> Iterator[tuple[int, Ask]]:
    for number in range(COMPANIES_EACH):
        for owner in READERS:
            yield owner, peer.page(company=company_id(owner, number))


def _deep(peer: Peer, world: World) -> Iterator[tuple[int, Ask]]:
    for owner in READERS:
        yield owner, peer.page(skip=SKIP)


def _big(peer: Peer, world: World) -> Iterator[tuple[int, Ask]]:
    yield BIG, peer.page()


def _uncounted(peer: Peer, world: World) -> Iterator[tuple[int, Ask]]:
    yield BIG, peer.uncounted()


_serial = count()


def _creates(peer: Peer, world: World) -> Iterator[tuple[int, Ask]]:
    for number in islice(_serial, WRITES):
        owner = WRITERS[number % len(WRITERS)]
        yield owner, peer.create(
            owner,
            {
                "first_name": "New", "last_name": f"Contact {number}", "email": f"new{number}@bench.example.com",
                "phone": "+1 555 0100", "title": "Engineer",
                "company_id": str(company_id(owner, number % COMPANIES_EACH)),
            },
        )  # fmt: skip


def _updates(peer: Peer, world: World) -> Iterator[tuple[int, Ask]]:
    """Changes that change something: every title is a new one."""
    for number in islice(_serial, WRITES):
        owner = WRITERS[number % len(WRITERS)]
        contact = world.by_owner[owner][number // len(WRITERS) % len(world.by_owner[owner])]
        yield owner, peer.update(contact.id, {"title": f"Engineer {number}"})


ITEM, LIST, CREATE = "item", "list", "create"
WORKS = (
    Work(ITEM, "item", _items),
    Work(LIST, "list of 20, count", _pages),
    Work("filtered", "filtered list", _filtered),
    Work(CREATE, "create", _creates, once=True),
    Work("update", "update", _updates, once=True),
    Work("deep", "skip 900", _deep, shown=False),
    Work("big", "list of 100,000", _big),
    Work("uncounted", "list of 100,000, no count", _uncounted, shown=False),
)
