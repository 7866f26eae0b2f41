"""Make assaults on a whole service, and measure what others notice of them.

python -m tests.attacks.run [--only deep-skip] [--only files] [--seconds 10] [--rows 200000]
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from contextlib import closing
from itertools import count

from tests.attacks.assaults import EVERY, Assault
from tests.attacks.attackers import assail
from tests.attacks.innocents import KINDS, USUAL, Innocents, Seen, connect, send
from tests.attacks.service import Service, running
from tests.attacks.table import Others, Row, head
from tests.attacks.world import World, make_world, with_newcomer

# Each caller is told apart by the address that a proxy would say; all else is as it comes.
SETTINGS = {"TRUSTED_PROXIES": "1"}
# Seconds in which the service gets warm, and for which the harness waits for it to be well again.
WARMING, PATIENCE = 5.0, 60.0
# Answers in a row that came soon, each within so many seconds, from which the service counts as well.
IN_A_ROW, SOON = 40, 0.25


def main() -> int:
    """Make the assaults one after the other; the status is 1 when one of them stopped others."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends the parts in order
    chosen = [each for each in EVERY if not options.only or {each.name, each.section} & set(options.only)]
    with running(SETTINGS) as service:
        began = time.monotonic()
        world = make_world(service, options.rows)
        print(f"rowgate: made {options.rows} rows in {time.monotonic() - began:.0f} s", flush=True)
        _warm_up(world)
        print(f"rowgate: p50/p99 in milliseconds, {options.seconds:.0f} s each\n\n{head()}", flush=True)
        rows = []
        for assault in chosen:
            rows.append(_judged(service, world, assault, options))
    bad = [row.assault.name for row in rows if row.faults()]
    print(f"\nrowgate: out of bounds: {', '.join(bad)}" if bad else "\nrowgate: every assault was within its bounds")
    return int(bool(bad))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", action="append", choices=_names(), help="an assault, or a kind of them")
    parser.add_argument("--seconds", type=float, default=10, help="how long each assault goes on")
    parser.add_argument("--rounds", type=int, default=3, help="how often it is made, while it only slows others")
    parser.add_argument("--rows", type=int, default=200_000, help="how many deals the attacker has")
    return parser.parse_args()


def _names() -> list[str]:
    return list(dict.fromkeys([*(each.name for each in EVERY), *(each.section for each in EVERY)]))


def _warm_up(world: World) -> None:
    with Innocents(world) as innocents:
        time.sleep(WARMING)
        innocents.seen()


def _judged(service: Service, world: World, assault: Assault, options: argparse.Namespace) -> Row:
    """Make an assault until it is within bounds or was made often enough; give what it did the last time."""
    for left in reversed(range(options.rounds)):
        row = _play(service, world, assault, options.seconds)
        print("\n".join(row.lines()), flush=True)
        # Other work on the machine slows single rounds; what an assault holds up is slow in every one.
        if not (row.faults() and row.is_only_slow() and left):
            break
    return row


def _play(service: Service, world: World, assault: Assault, seconds: float) -> Row:
    """Make one assault between two quiet times."""
    attacked = with_newcomer(service, world)
    with Innocents(world, assault.innocents) as innocents:
        _recovery(world)
        quiet = time.monotonic()
        time.sleep(seconds)
        workers, began = service.web_workers(), time.monotonic()
        answers = assail(attacked, assault, seconds)
        ended = time.monotonic()
        recovery = _recovery(world)
        calm = time.monotonic()
        time.sleep(seconds)
        seen = innocents.seen()
    service.forget_jobs()
    others = [
        Others(kind, _begun(asked, quiet, began), _begun(asked, began, ended), _begun(asked, calm, calm + seconds))
        for kind, asked in seen.items()
    ]
    return Row(assault, others, answers, len(workers - service.web_workers()), recovery)


def _begun(seen: list[Seen], begin: float, end: float) -> list[Seen]:
    return [each for each in seen if begin <= each.began < end]


def _recovery(world: World) -> float:
    """Seconds until everything is answered soon again and again, or until patience ends."""
    began, good, kinds = time.monotonic(), 0, [KINDS[name] for name in USUAL]
    for number in count():
        with closing(connect(world)) as connection:
            asked = kinds[number % len(kinds)].request(world, number)
            seen = send(connection, asked, time.monotonic())
        good = good + 1 if seen.status == 200 and seen.seconds < SOON else 0
        if good == IN_A_ROW or time.monotonic() > began + PATIENCE:
            break
    return time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
