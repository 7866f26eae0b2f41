"""Measuring: rounds of short slices in which the subjects take turns, and the latency of deep pages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from statistics import median

import orjson

from bench import by_hand, load
from bench.load import HOST
from bench.servers import Server, ServerError
from bench.subjects import CONTACTS, Subject

WARM_SECONDS, SLICE_SECONDS = 1.0, 2.0
ROUNDS, FEWEST_ROUNDS = 6, 3
DEEP_SKIP, DEEP_REQUESTS, DEEP_WARM = 90_000, 15, 5


@dataclass
class Figures:
    """What the rounds gave for one subject: requests per second and processor milliseconds per request."""

    per_second: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    requests: int = 0

    @property
    def rate(self) -> float:
        return median(self.per_second)

    @property
    def cost(self) -> float:
        return median(self.cpu_ms)


def rounds(subjects: Sequence[Subject], sender: ProcessPoolExecutor, end: float) -> dict[str, Figures]:
    """Measure the subjects in turn, each round starting with another one, until all rounds are done or no further
    one fits before ``end`` (monotonic)."""
    figures = {subject.name: Figures() for subject in subjects}
    for subject in subjects:
        _slice(subject, sender, WARM_SECONDS, Figures())
    longest = 0.0
    for number in range(ROUNDS):
        started = time.monotonic()
        if number >= FEWEST_ROUNDS and started + longest > end:
            break
        first = number % len(subjects)
        for subject in (*subjects[first:], *subjects[:first]):
            _slice(subject, sender, SLICE_SECONDS, figures[subject.name])
        longest = max(longest, time.monotonic() - started)
    return figures


def _slice(subject: Subject, sender: ProcessPoolExecutor, seconds: float, figures: Figures) -> None:
    sent = load.Slice(HOST, subject.server.port, seconds, subject.requests(), subject.once)
    before = subject.server.cpu_seconds()
    outcome = sender.submit(load.send, sent).result()
    taken = subject.server.cpu_seconds() - before
    failed = outcome.answers - outcome.statuses[subject.status]
    if failed:
        raise ServerError(f"{failed} of {outcome.answers} answers to {subject.name} failed: {outcome.first_failure!r}")
    figures.per_second.append(outcome.answers / outcome.elapsed)
    figures.cpu_ms.append(1000 * taken / outcome.answers)
    figures.requests += outcome.answers


def check_same_lists(product: Server, hand: Server, token: str) -> None:
    """Refuse to compare two lists that do not say the same; only the form of the times may differ."""
    served = orjson.loads(product.get(CONTACTS, token))
    written = orjson.loads(hand.get(by_hand.PATH, token))
    for page in (served, written):
        for record in page["data"]:
            record["createdAt"], record["updatedAt"] = record["createdAt"][:19], record["updatedAt"][:19]
    if served != written or len(served["data"]) != 20:
        raise ServerError("The list and the one by hand differ")


def deep_pages(server: Server, token: str) -> tuple[float, float]:
    """Median milliseconds of the first page and of one far down, over all contacts, taking turns."""
    first, deep = f"{CONTACTS}?take=20&skip=0", f"{CONTACTS}?take=20&skip={DEEP_SKIP}"
    page = orjson.loads(server.get(deep, token))
    if len(page["data"]) != 20 or page["meta"]["count"] < DEEP_SKIP:
        raise ServerError("The deep page is not full")
    latencies: dict[str, list[float]] = {first: [], deep: []}
    for number in range(DEEP_WARM + DEEP_REQUESTS):
        for path, taken in latencies.items():
            started = time.perf_counter()
            server.get(path, token)
            if number >= DEEP_WARM:
                taken.append(1000 * (time.perf_counter() - started))
    return median(latencies[first]), median(latencies[deep])
