"""What an assault did to others, whether that is within bounds, and the lines that tell of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.attacks.assaults import QUERIES, Assault
from tests.attacks.caller import TIMEOUT
from tests.attacks.innocents import Seen
from tests.attacks.observer import percentile

# The p99 of others may be so many times that of the quiet time before.
MAX_RATIO = 4.0
# What holds up a worker now and then, and not the database all the time, may also stay under so many seconds.
MAX_P99 = 0.25
# Where the database does, under so many: a process beside the service that only counts makes quiet answers take 10 to
# 15 ms on two processors, now and then, which nobody notices.
MAX_P99_OF_QUERIES = 0.025
# A ratio to what was slow by itself says nothing.
MAX_QUIET = 0.25
# Seconds until the service is well behind an assault.
MAX_RECOVERY = 10.0
HEADS = ("assault", "others", "before", "during", "after", "ratio", "verdict", "not answered")
WIDTHS = (25, 8, 13, 13, 13, 6, 7, 0)


@dataclass(frozen=True)
class Seconds:
    """How long answers took: half of them, and 99 of 100."""

    p50: float
    p99: float

    @classmethod
    def taken(cls, seen: list[Seen]) -> Seconds:
        taken = [each.seconds for each in seen]
        return cls(percentile(taken, 50), percentile(taken, 99)) if taken else cls(0, 0)

    def __str__(self) -> str:
        return f"{1000 * self.p50:.0f}/{1000 * self.p99:.0f}"


@dataclass(frozen=True)
class Others:
    """The requests of one kind of innocents before, during and after an assault."""

    kind: str
    before: list[Seen]
    during: list[Seen]
    after: list[Seen]

    @property
    def quiet(self) -> float:
        return Seconds.taken(self.before).p99

    @property
    def p99(self) -> float:
        return Seconds.taken(self.during).p99

    @property
    def ratio(self) -> float:
        return self.p99 / self.quiet

    def is_slow(self, section: str) -> bool:
        """Whether answers took too long."""
        return self.ratio > MAX_RATIO and self.p99 > (MAX_P99_OF_QUERIES if section == QUERIES else MAX_P99)

    @property
    def failures(self) -> Counter[str]:
        """Requests from the assault on that were not answered as in quiet times, by what came of them."""
        return Counter(outcome(each) for each in self.during + self.after if each.status != 200)

    def faults(self, section: str) -> Iterator[str]:
        """What is out of bounds."""
        if self.quiet > MAX_QUIET:
            yield f"{self.kind}: p99 {1000 * self.quiet:.0f} ms before it is no quiet"
        if self.is_slow(section):
            yield f"{self.kind}: p99 {1000 * self.p99:.0f} ms is {self.ratio:.1f} times {1000 * self.quiet:.0f} ms"
        for what, number in self.failures.items():
            yield f"{self.kind}: {number} {what}"


def outcome(seen: Seen) -> str:
    """What came of a request: its status, or that the connection was reset or silent."""
    if seen.status:
        return str(seen.status)
    return "silent" if seen.seconds >= TIMEOUT else "reset"


@dataclass(frozen=True)
class Row:
    """What an assault did: to others, to the workers, and which answers it had."""

    assault: Assault
    others: list[Others]
    answers: Counter[str]
    lost_workers: int
    recovery: float

    def faults(self) -> list[str]:
        """What is out of bounds; nothing where the assault stopped nobody."""
        found = [fault for others in self.others for fault in others.faults(self.assault.section)]
        if self.lost_workers:
            found.append(f"{self.lost_workers} workers were ended")
        if self.recovery > MAX_RECOVERY:
            found.append(f"not well after {self.recovery:.0f} s")
        return found

    def is_only_slow(self) -> bool:
        """Whether others had to wait, and nothing worse."""
        return not self.lost_workers and not any(others.failures for others in self.others)

    def lines(self) -> Iterable[str]:
        """The row as it is printed, with a line for each kind of others."""
        name, verdict = self.assault.name, "bad" if self.faults() else "good"
        for others in self.others:
            times = [str(Seconds.taken(seen)) for seen in (others.before, others.during, others.after)]
            failed = ", ".join(f"{number} {what}" for what, number in others.failures.items()) or "-"
            yield line(name, others.kind, *times, f"{others.ratio:.1f}", verdict, failed)
            name = verdict = ""
        yield "    answered: " + ", ".join(f"{number} {what}" for what, number in sorted(self.answers.items()))
        yield from (f"    out of bounds: {fault}" for fault in self.faults())


def line(*cells: str) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()


def head() -> str:
    """The first lines of the table; times are p50/p99 in milliseconds."""
    return line(*HEADS)
