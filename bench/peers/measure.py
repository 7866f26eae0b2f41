"""Measuring: short slices in which peers take turns, and the statements of requests one by one."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from bench import load
from bench.load import HOST
from bench.peers.parts import Parts
from bench.peers.peer import Peer
from bench.peers.works import WORKS, Work
from bench.peers.world import World
from bench.processes import cpu_seconds
from bench.tap import Tap

WARM_SECONDS, SLICE_SECONDS = 0.5, 1.2
ROUNDS, FEWEST_ROUNDS = 7, 3
# Requests before and within a count of statements: each of eight connections has to know all of them.
COUNT_WARM, COUNTED = 200, 40
SOCKET = ".s.PGSQL.5432"


@dataclass
class Figures:
    """What the rounds gave for one peer and work: processor milliseconds per request of its server, and of that and
    the database; requests per second; latencies in milliseconds."""

    server_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    per_second: list[float] = field(default_factory=list)
    p50: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)

    @property
    def cost(self) -> float:
        return median(self.cpu_ms)


@dataclass(frozen=True)
class Counted:
    """Statements and round trips to PostgreSQL that one request takes."""

    statements: float
    round_trips: float


Subject = tuple[Peer, Work]


def rounds(
    subjects: Sequence[Subject], world: World, parts: Parts, sender: ProcessPoolExecutor, end: float
) -> dict[tuple[str, str], Figures]:
    """Measure the subjects in turn, each round starting with another one, until all rounds are done or no further one
    fits before ``end`` (monotonic)."""
    figures = {(peer.name, work.name): Figures() for peer, work in subjects}
    for subject in subjects:
        _slice(subject, world, parts, sender, WARM_SECONDS, Figures())
    longest = 0.0
    for number in range(ROUNDS):
        begun = time.monotonic()
        if number >= FEWEST_ROUNDS and begun + longest > end:
            break
        first = number * len(subjects) // ROUNDS
        for peer, work in (*subjects[first:], *subjects[:first]):
            _slice((peer, work), world, parts, sender, SLICE_SECONDS, figures[peer.name, work.name])
        longest = max(longest, time.monotonic() - begun)
    return figures


def _slice(
    subject: Subject, world: World, parts: Parts, sender: ProcessPoolExecutor, seconds: float, figures: Figures
) -> None:
    peer, work = subject
    requests = tuple(peer.raw(ask, owner) for owner, ask in work.asks(peer, world))
    sent = load.Slice(HOST, peer.port, seconds, requests, work.once)
    before = cpu_seconds(peer.roots()), cpu_seconds(parts.postgres_processes())
    outcome = sender.submit(load.send, sent).result()
    server = cpu_seconds(peer.roots()) - before[0]
    database = cpu_seconds(parts.postgres_processes()) - before[1] if peer.database else 0.0
    good = outcome.statuses[200] + outcome.statuses[201]
    if good != outcome.answers:
        raise load.Refused(f"{peer.title}, {work.title}: {outcome.statuses} {outcome.first_failure!r}")
    ordered = sorted(outcome.latencies)
    figures.server_ms.append(1000 * server / good)
    figures.cpu_ms.append(1000 * (server + database) / good)
    figures.per_second.append(good / outcome.elapsed)
    figures.p50.append(1000 * ordered[len(ordered) // 2])
    figures.p99.append(1000 * ordered[int(len(ordered) * 0.99)])


def statements(peers: Sequence[Peer], world: World, parts: Parts) -> Mapping[tuple[str, str], Counted]:
    """Start each peer again, with a tap between it and PostgreSQL, and count what its requests take."""
    folder = Path(parts.folder) / "tapped"
    folder.mkdir()
    tap = Tap(folder / SOCKET, f"{parts.sockets}/{SOCKET}", is_postgres=True)
    found = {}
    for peer in peers:
        peer.start(str(folder))
        try:
            peer.await_answer(*next((ask, owner) for owner, ask in WORKS[0].asks(peer, world)))
            for work in WORKS:
                found[peer.name, work.name] = _counted(peer, work, world, tap)
        finally:
            peer.stop()
    tap.close()
    return found


def _counted(peer: Peer, work: Work, world: World, tap: Tap) -> Counted:
    requests = (peer.raw(ask, owner) for owner, ask in work.asks(peer, world))
    endless = requests if work.once else cycle(list(requests))
    connections = [load.Connection(HOST, peer.port) for _ in range(load.CONNECTIONS)]
    turns = cycle(connections)
    for request in islice(endless, COUNT_WARM):
        next(turns).exchange(request)
    before = tap.counts()
    for request in islice(endless, COUNTED):
        next(turns).exchange(request)
    taken = tap.counts().since(before)
    for connection in connections:
        connection.socket.close()
    return Counted(taken.statements / COUNTED, taken.round_trips / COUNTED)
