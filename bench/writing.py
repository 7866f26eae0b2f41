"""What is written: the requests of one slice, which are made ready before it, and by what their cost is measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from app.engine.declare.record import camel
from bench import load
from bench.load import Refused
from bench.peers.frameworks import Django
from bench.peers.peer import Ask, Peer
from bench.peers.product import CONTACTS, Rowgate
from bench.peers.world import COMPANIES_EACH, WRITERS, company_id

# Requests of a slice that write one record, and of one that writes a thousand with each.
SINGLE, MANY, RECORDS = 200, 2, 1000
CREATE, UPDATE, DELETE = "create", "update", "delete"
BULK_CREATE = "create 1,000"
KEY, IF_MATCH = "Idempotency-Key: {}\r\n", 'If-Match: "1"\r\n'
UPSERT = f"{CONTACTS}?onConflict=email&resolution=merge"

_serial = count()


class OneWorker(Rowgate):
    """With one worker process, so that none is cold while it is measured."""

    def environment(self, database_host: str) -> dict[str, str]:
        return {**super().environment(database_host), "WORKERS": "1"}

    def jobs(self) -> list[int]:
        """The worker of background jobs."""
        return super().roots()[1:2]

    def roots(self) -> list[int]:
        return super().roots()[:1]


@dataclass(frozen=True)
class Subject:
    """One kind of write. ``requests`` gives those of a slice, each of which writes so many ``records``; what one of
    these costs is divided by what one of ``base`` costs, which is to stay under ``aim``."""

    name: str
    peer: Peer
    requests: Callable[[], list[bytes]]
    records: int = 1
    base: str = ""
    aim: float = 0.0


def subjects(rowgate: Rowgate, django: Django) -> list[Subject]:
    """Everything that is measured by requests, those that are compared next to each other."""
    put, remove = partial(_item, rowgate, "PUT"), partial(_item, rowgate, "DELETE")
    many = partial(Subject, records=RECORDS, base=CREATE)
    return [
        Subject(CREATE, rowgate, partial(_creates, rowgate)),
        Subject("create with a key", rowgate, partial(_creates, rowgate, KEY), base=CREATE, aim=1.12),
        Subject(UPDATE, rowgate, put),
        Subject("update with If-Match", rowgate, partial(put, IF_MATCH), base=UPDATE, aim=1.12),
        Subject(DELETE, rowgate, remove),
        many(BULK_CREATE, rowgate, partial(_arrays, rowgate, CONTACTS, new), aim=1 / 8),
        many("change 1,000", rowgate, partial(_changes, rowgate)),
        many("upsert 1,000, half of them there", rowgate, partial(_arrays, rowgate, UPSERT, partial(_half, rowgate))),
        many("delete 1,000", rowgate, partial(_removals, rowgate)),
        many("create 1,000 in Django REST Framework", django, partial(_arrays, django, "/contacts/bulk/", new)),
        many(
            "the same without a look at the companies",
            django,
            partial(_arrays, django, "/contacts/bulk_unchecked/", new),
        ),
    ]


def new(owner: int, records: int = RECORDS) -> list[dict[str, Any]]:
    """Contacts that are not there yet."""
    return [_contact(owner, next(_serial)) for _ in range(records)]


def _contact(owner: int, number: int) -> dict[str, Any]:
    return {
        "first_name": "New", "last_name": f"Contact {number}", "email": f"new{number}@bench.example.com",
        "phone": "+1 555 0100", "title": "Engineer", "company_id": str(company_id(owner, number % COMPANIES_EACH)),
    }  # fmt: skip


def _owners(number: int) -> list[int]:
    return [WRITERS[next(_serial) % len(WRITERS)] for _ in range(number)]


def _spelled(peer: Peer, contacts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Contacts as ``peer`` calls their fields."""
    if not isinstance(peer, Rowgate):
        return list(contacts)
    return [{camel(name): value for name, value in each.items()} for each in contacts]


def _creates(peer: Peer, header: str = "") -> list[bytes]:
    return [
        load.request(
            "POST", CONTACTS, peer.authorization(owner), _spelled(peer, new(owner, 1))[0], header.format(next(_serial))
        )
        for owner in _owners(SINGLE)
    ]


def _item(peer: Peer, method: str, header: str = "") -> list[bytes]:
    """Requests about records that nobody has changed yet."""
    (owner,) = _owners(1)
    return [
        load.request(
            method, f"{CONTACTS}/{each}", peer.authorization(owner),
            {"title": f"Engineer {next(_serial)}"} if method == "PUT" else None, header,
        )
        for each in _made(peer, owner, new(owner, SINGLE))
    ]  # fmt: skip


def _arrays(peer: Peer, path: str, contacts: Callable[[int], list[dict[str, Any]]]) -> list[bytes]:
    return [
        load.request("POST", path, peer.authorization(owner), _spelled(peer, contacts(owner)))
        for owner in _owners(MANY)
    ]


def _half(peer: Peer, owner: int) -> list[dict[str, Any]]:
    """As many that are there as that are not, and other titles for all."""
    there = new(owner, RECORDS // 2)
    _made(peer, owner, there)
    return [{**each, "title": "Director"} for each in (*there, *new(owner, RECORDS // 2))]


def _changes(peer: Peer) -> list[bytes]:
    return [
        load.request("PUT", CONTACTS, peer.authorization(owner), [
            {"id": each, "title": f"Engineer {next(_serial)}"} for each in _made(peer, owner, new(owner))
        ])
        for owner in _owners(MANY)
    ]  # fmt: skip


def _removals(peer: Peer) -> list[bytes]:
    return [
        load.request("DELETE", CONTACTS, peer.authorization(owner), {"ids": _made(peer, owner, new(owner))})
        for owner in _owners(MANY)
    ]


def _made(peer: Peer, owner: int, contacts: Sequence[dict[str, Any]]) -> list[str]:
    """Have contacts made; returns their ids."""
    answered = peer.ask(Ask("POST", CONTACTS, _spelled(peer, contacts)), owner)
    if answered.status != 201:
        raise Refused(f"{answered.body}")
    return [each["id"] for each in answered.body["data"]]
