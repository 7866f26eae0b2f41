"""Let faults happen to a whole service under load, and compare what was acknowledged with what is there.

python -m tests.faults.run --rounds 40 [--seed 7] [--only postgres-killed]
"""

from __future__ import annotations

import argparse
import signal
import sys
from random import Random

from tests.faults.faults import FAULTS, Fault
from tests.faults.rounds import Round, Rounds
from tests.faults.service import Service

CLIENTS, FOLLOWERS, OF_CHANGES, WEBHOOKS = 20, 4, 10, 5
DISK = "disk-full"


def main() -> int:
    """Play the rounds; the status is 1 when something was found."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends the parts in order
    rounds = Rounds(
        Service(), clients=CLIENTS, followers=FOLLOWERS, of_changes=OF_CHANGES, webhooks=WEBHOOKS, seed=options.seed
    )
    played: list[Round] = []
    print(f"rowgate: seed {options.seed}; what the service says is in {rounds.service.folder}", flush=True)
    with rounds:
        faults = [FAULTS[name] for name in options.only or FAULTS]
        if not rounds.service.shrink_disk():
            print(f"rowgate: {DISK} is left out, since no small disk can be mounted here", flush=True)
            faults = [fault for fault in faults if fault.name != DISK]
        for number, fault in enumerate(_drawn(faults, options.rounds, options.seed), 1):
            played.append(rounds.play(fault))
            _tell(f"{number:>3}", played[-1])
        played.append(rounds.last())
        _tell("end", played[-1])
    _print_table(played)
    found = any(each.findings for each in played)
    if not found:
        rounds.service.remove()
    return int(found)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40, help="how many faults happen")
    parser.add_argument("--seed", type=int, default=Random().randrange(10_000), help="what chance begins with")
    parser.add_argument("--only", action="append", choices=list(FAULTS), help="this kind of fault, or several")
    return parser.parse_args()


def _drawn(faults: list[Fault], number: int, seed: int) -> list[Fault]:
    """So many faults in an order of their own, each kind once before any comes again."""
    chance, drawn = Random(seed), []
    while len(drawn) < number:
        drawn += chance.sample(faults, len(faults))
    return drawn[:number]


def _tell(number: str, played: Round) -> None:
    print(f"{number} {played}", flush=True)
    for finding in played.shown_findings():
        print(f"      {finding}", flush=True)


def _print_table(played: list[Round]) -> None:
    print(f"\n{'fault':<25} {'rounds':>6} {'slowest recovery':>17} {'findings':>9}")
    for name in dict.fromkeys(each.fault for each in played):
        same = [each for each in played if each.fault == name]
        slowest = max((each.recovery for each in same if each.recovery is not None), default=0.0)
        print(f"{name:<25} {len(same):>6} {slowest:>15.1f} s {sum(len(each.findings) for each in same):>9}")


if __name__ == "__main__":
    sys.exit(main())
