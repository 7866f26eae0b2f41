"""What every peer holds: 100,000 contacts of 100 owners, and one owner more who has 100,000 alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import NamedTuple
from uuid import UUID, uuid5

OWNERS, CONTACTS_EACH, COMPANIES_EACH = 100, 1000, 10
BIG = OWNERS
CONTACTS_OF_BIG = 100_000
# Those who read and those who write have sessions; what readers own stays as it is.
READERS, WRITERS = range(20), range(20, 40)
SIGNED_IN = (*READERS, *WRITERS, BIG)
TAKE, SKIP = 20, 900
NAMESPACE = UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


class Contact(NamedTuple):
    """A row as all peers hold it. ``owner`` is a number, as each peer names its users by ids of its own."""

    id: UUID
    owner: int
    first_name: str
    last_name: str
    email: str
    phone: str
    title: str
    company_id: UUID
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class World:
    """The rows, the same in every run."""

    @cached_property
    def contacts(self) -> list[Contact]:
        """Every contact in the order of its time, each owner's among everybody else's."""
        return list(_contacts())

    @cached_property
    def by_owner(self) -> dict[int, list[Contact]]:
        """The contacts of each owner, newest first."""
        found: dict[int, list[Contact]] = {}
        for contact in reversed(self.contacts):
            found.setdefault(contact.owner, []).append(contact)
        return found

    def companies(self) -> Iterator[tuple[UUID, int, str]]:
        """Id, owner and name of every company."""
        for owner in range(OWNERS + 1):
            for number in range(COMPANIES_EACH):
                yield company_id(owner, number), owner, f"Company {owner}-{number}"

    def of_company(self, owner: int, company: UUID) -> list[Contact]:
        return [each for each in self.by_owner[owner] if each.company_id == company]


def user_id(owner: int) -> UUID:
    """The id of an owner where ids are UUIDs."""
    return uuid5(NAMESPACE, f"user {owner}")


def company_id(owner: int, number: int) -> UUID:
    return uuid5(NAMESPACE, f"company {owner} {number}")


def email(owner: int) -> str:
    return f"owner{owner}@bench.example.com"


def _contacts() -> Iterator[Contact]:
    serial = 0
    for turn in range(CONTACTS_EACH):
        for owner in range(OWNERS):
            yield _contact(serial, owner, turn)
            serial += 1
        for _ in range(CONTACTS_OF_BIG // CONTACTS_EACH):
            yield _contact(serial, BIG, serial)
            serial += 1


def _contact(serial: int, owner: int, turn: int) -> Contact:
    stamp = BEGUN + timedelta(seconds=serial)
    # Ids in the order of their times, as version 7 of RFC 9562 has them.
    identifier = UUID(int=(int(stamp.timestamp() * 1000) << 80) | (7 << 76) | (2 << 62) | serial)
    return Contact(
        identifier, owner, f"First {serial}", f"Last {serial}", f"contact{serial}@bench.example", f"+1 555 {serial:07}",
        "Engineer", company_id(owner, turn % COMPANIES_EACH), stamp, stamp,
    )  # fmt: skip
