"""make bench-peers: install the peers, give all of them the same contacts, compare their answers, and measure."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

from bench import load
from bench.bounded import bounded, say
from bench.peers import report
from bench.peers.checks import check_reads, check_writes
from bench.peers.directus import Directus
from bench.peers.frameworks import Django, FastApi, Smorest
from bench.peers.measure import Subject, rounds, statements
from bench.peers.parts import parts
from bench.peers.peer import Peer, Unavailable
from bench.peers.pocketbase import PocketBase, PocketBaseWithoutLog
from bench.peers.product import Bare, Rowgate, RowgateWithKey
from bench.peers.tuned import AsyncPg, GoPgx
from bench.peers.works import CREATE, ITEM, LIST, WORKS
from bench.peers.world import READERS, World
from bench.processes import memory

MAX_LENGTH = 25 * 60
# The last round ends this long before, which leaves time to count statements and to stop everything.
RESERVE = 150
PEERS: tuple[type[Peer], ...] = (
    Bare, Rowgate, AsyncPg, GoPgx, PocketBase, PocketBaseWithoutLog, FastApi, Smorest, Django, Directus
)  # fmt: skip
# What is asked of those who are not asked for everything.
SOME = {Bare.name: (ITEM,), RowgateWithKey.name: (ITEM, LIST, CREATE)}


def main() -> int:
    """Measure and report; returns the exit status."""
    parser = ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("names", nargs="*", help="some of the peers; without any, all of them, and the result is kept")
    given = parser.parse_args().names
    chosen = [kind for kind in PEERS if not given or kind.name in (*given, Rowgate.name)]
    return bounded(partial(_measure, chosen, not given), MAX_LENGTH)


def _measure(kinds: Sequence[type[Peer]], keep: bool, children: ExitStack) -> None:
    end = time.monotonic() + MAX_LENGTH - RESERVE
    running = children.enter_context(parts())
    world, missing = World(), dict[str, str]()
    peers = list(_installed([kind(running) for kind in kinds], missing))
    peers = list(_prepared(peers, world, missing))
    started = {peer.name: _started(peer, world, children) for peer in peers}
    rowgate = next(peer for peer in peers if isinstance(peer, Rowgate))
    peers.insert(peers.index(rowgate) + 1, RowgateWithKey(rowgate))
    for peer in peers:
        if peer.name not in SOME:
            say(f"comparing the answers of {peer.title}")
            check_reads(peer, world)
            check_writes(peer, world)
    say("measuring requests")
    sender = children.enter_context(load.loader())
    figures = rounds(_subjects(peers), world, running, sender, end)
    sizes = {peer.name: memory(peer.roots()) for peer in peers}
    say("counting statements")
    for peer in peers:
        peer.stop()
    counted = statements([peer for peer in peers if peer.database and peer.name not in SOME], world, running)
    result = report.document(peers, missing, figures, counted, started, sizes)
    print(report.tables(result))
    if keep:
        report.write(result)


def _installed(peers: Iterable[Peer], missing: dict[str, str]) -> Iterable[Peer]:
    """Install all of them at once; those that cannot be had here are left out, and told of."""
    say("installing what is not there yet")
    with ThreadPoolExecutor() as pool:
        tried = [(peer, pool.submit(peer.install)) for peer in peers]
        for peer, installing in tried:
            try:
                installing.result()
                yield peer
            except Unavailable as reason:
                _leave_out(peer, reason, missing)


def _prepared(peers: Iterable[Peer], world: World, missing: dict[str, str]) -> Iterable[Peer]:
    for peer in peers:
        say(f"giving {peer.title} its contacts")
        try:
            peer.prepare(world)
        except Unavailable as reason:
            _leave_out(peer, reason, missing)
            continue
        if peer.database:
            peer.parts.settle(peer.database)
        yield peer


def _leave_out(peer: Peer, reason: Unavailable, missing: dict[str, str]) -> None:
    say(f"{peer.title} is left out: {reason}")
    missing[peer.title] = str(reason)


def _started(peer: Peer, world: World, children: ExitStack) -> tuple[float, float]:
    """Start it; returns the seconds until its first answer and those of the processor."""
    say(f"starting {peer.title}")
    children.callback(peer.stop)
    peer.start()
    owner = READERS[0]
    taken = peer.await_answer(peer.item(world.by_owner[owner][0].id), owner)
    peer.start_the_rest()
    return taken


def _subjects(peers: Iterable[Peer]) -> list[Subject]:
    wanted = {work.name: work for work in WORKS}
    return [
        (peer, work) for work in wanted.values() for peer in peers if work.name in SOME.get(peer.name, tuple(wanted))
    ]


if __name__ == "__main__":
    raise SystemExit(main())
