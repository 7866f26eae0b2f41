"""Before anything is timed: every peer gives the same answers, those that the rows demand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from app.engine.declare.record import camel
from bench.peers.peer import Answer, Ask, Peer
from bench.peers.world import BIG, READERS, SKIP, TAKE, WRITERS, Contact, World, company_id
from bench.servers import ServerError

NAMES = ("id", "first_name", "last_name", "email", "phone", "title", "company_id", "created_at", "updated_at")
GIVEN = ("first_name", "last_name", "email", "phone", "title", "company_id")


class Differs(ServerError):
    """A peer that answers otherwise; to time it would compare nothing."""


def check_reads(peer: Peer, world: World) -> None:
    """Compare items and pages of some owners with their rows; raises Differs."""
    for owner in (READERS[0], READERS[-1], BIG):
        mine = world.by_owner[owner]
        _same(peer, "item", _shown(peer.record(_asked(peer, peer.item(mine[5].id), owner))), _expected(mine[5]))
        _check_page(peer, "list", peer.page(), owner, mine)
        _check_page(peer, "deep page", peer.page(skip=SKIP), owner, mine, SKIP)
        company = company_id(owner, 3)
        _check_page(peer, "filtered list", peer.page(company=company), owner, world.of_company(owner, company))
        uncounted = peer.rows(_asked(peer, peer.uncounted(), owner))
        _same(peer, "list without a count", _all_shown(uncounted), [_expected(each) for each in mine[:TAKE]])
    if peer.keeps_owners_apart:
        foreign = peer.ask(peer.item(world.by_owner[READERS[1]][0].id), READERS[0])
        _same(peer, "item of somebody else", foreign.status, 404)


def check_writes(peer: Peer, world: World) -> None:
    """Create and change a contact, and read it back; raises Differs. The first writer has one more after it."""
    owner = WRITERS[0]
    given = {
        "first_name": "Ada", "last_name": "Lovelace", "email": f"ada@{peer.name}.example", "phone": "+44 20 7946 0000",
        "title": "Analyst", "company_id": str(company_id(owner, 0)),
    }  # fmt: skip
    made = peer.record(_asked(peer, peer.create(owner, given), owner, 200, 201))
    _same(peer, "created", _given(made), _given(given))
    changed = peer.record(_asked(peer, peer.update(made["id"], {"title": "Countess"}), owner))
    _same(peer, "updated", _given(changed), _given({**given, "title": "Countess"}))
    read = peer.record(_asked(peer, peer.item(made["id"]), owner))
    _same(peer, "read after that", _shown(read), _shown(changed))


def _check_page(peer: Peer, what: str, wanted: Ask, owner: int, rows: list[Contact], skip: int = 0) -> None:
    records, count = peer.records(_asked(peer, wanted, owner))
    _same(peer, f"count of the {what}", count, len(rows))
    _same(peer, what, _all_shown(records), [_expected(each) for each in rows[skip : skip + TAKE]])


def _asked(peer: Peer, wanted: Ask, owner: int, *statuses: int) -> Answer:
    answer = peer.ask(wanted, owner)
    if answer.status not in (statuses or (200,)):
        raise Differs(f"{peer.title}: {wanted.method} {wanted.path} is answered {answer.status}: {answer.body}"[:600])
    return answer


def _same(peer: Peer, what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise Differs(f"{peer.title}: {what} is {found}, not {expected}"[:1200])


def _expected(row: Contact) -> dict[str, Any]:
    return _shown({name: str(getattr(row, name)) for name in NAMES})


def _shown(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the same names and forms everywhere: times in milliseconds."""
    return {name: _value(record, name) for name in NAMES}


def _all_shown(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [_shown(each) for each in records]


def _given(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(record, name) for name in GIVEN}


def _value(record: Mapping[str, Any], name: str) -> Any:
    value = record[name] if name in record else record[camel(name)]
    if name.endswith("_at"):
        return _milliseconds(value)
    return value.replace("-", "") if name in ("id", "company_id") else value


def _milliseconds(text: str) -> int:
    moment = datetime.fromisoformat(text)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
